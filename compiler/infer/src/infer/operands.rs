//! What is asked of the operands of an operator.

use gsw_names::KnownItem;
use gsw_names::types::Type;
use gsw_source::{Diagnostic, ItemId, Span, nearest};

use crate::errors::elsewhere;
use crate::errors::habits;
use crate::errors::literals;
use crate::errors::values as errors;
use crate::hir::{ArithmeticOperator, ExpressionId, ExpressionKind};
use crate::infer::hir_builder::HirBuilder;
use crate::infer::mismatch;
use crate::infer::narrowing;

pub(super) fn is_result(hir: &HirBuilder, ty: &Type) -> bool {
    matches!(ty, Type::Enum(item, _) if KnownItem::Result.is(hir.db, *item))
}

/// Where `??` and a single word or number follow an operand directly.
pub(super) fn default_after(hir: &HirBuilder, operand: ExpressionId) -> Option<Span> {
    let end = hir.span(operand).end;
    let text = gsw_names::item_text(hir.db, hir.item);
    let rest = text.get(end as usize..)?;
    let default = rest.trim_start_matches(' ').strip_prefix("??")?;
    let default = default.trim_start_matches(' ');
    let start = end + (rest.len() - default.len()) as u32;
    let is_part = |it: char| it.is_alphanumeric() || "_.\"".contains(it);
    let length = default.find(|it| !is_part(it)).unwrap_or(default.len());
    (length > 0).then(|| Span::new(start, start + length as u32))
}

/// The enum that a type is.
pub(super) const fn enum_of(ty: &Type) -> Option<ItemId> {
    if let Type::Enum(item, _) = ty {
        Some(*item)
    } else {
        None
    }
}

/// The type of the result where times and durations are not of one type with it.
pub(super) fn of_times(operator: ArithmeticOperator, left: &Type, right: &Type) -> Option<Type> {
    let takes = |first: Type, second: Type| *left == first && *right == second;
    match operator {
        ArithmeticOperator::Add => takes(Type::Time, Type::Duration).then_some(Type::Time),
        ArithmeticOperator::Subtract if takes(Type::Time, Type::Time) => Some(Type::Duration),
        ArithmeticOperator::Subtract => takes(Type::Time, Type::Duration).then_some(Type::Time),
        ArithmeticOperator::Multiply => (takes(Type::Duration, Type::Int)
            || takes(Type::Int, Type::Duration))
        .then_some(Type::Duration),
        ArithmeticOperator::Divide if takes(Type::Duration, Type::Duration) => Some(Type::Float),
        ArithmeticOperator::Divide => takes(Type::Duration, Type::Int).then_some(Type::Duration),
        ArithmeticOperator::Remainder => None,
    }
}

/// Reports each text of `written`, a literal or a list of them, that the union which `other` is of does not have: it is never equal.
pub(super) fn report_foreign_literals(
    hir: &mut HirBuilder,
    other: ExpressionId,
    written: ExpressionId,
) {
    let mut ty = hir.table.unchecked(&hir.ty(other));
    if let Type::Optional(inner) = &ty {
        ty = hir.table.unchecked(inner);
    }
    let Type::Literals(names) = &ty else {
        return;
    };
    let mut texts = vec![written];
    if let ExpressionKind::List(elements) = &hir.arena.get(written).kind {
        texts.clone_from(elements);
    }
    for id in texts {
        let ExpressionKind::String(text) = &hir.arena.get(id).kind else {
            continue;
        };
        if names.contains(text) {
            continue;
        }
        let (text, suggestion) = (text.clone(), nearest(text, names.iter()));
        let (place, wanted) = (hir.place(hir.span(id)), hir.show(&ty));
        let report = literals::not_in_union(place, &text, &wanted, suggestion.as_ref());
        hir.report(report);
    }
}

pub(super) const fn is_optional(ty: &Type) -> bool {
    matches!(ty, Type::Optional(_))
}

/// Reports an order between what may be `none` and what is never: a query for those below a limit seldom means those without a
/// value.
pub(super) fn report_absent(hir: &mut HirBuilder, left: ExpressionId, right: ExpressionId) {
    let (one, other) = (hir.ty(left), hir.ty(right));
    let absent = match (is_optional(&one), is_optional(&other)) {
        (true, false) if hir.table.unknown(&other).is_none() => left,
        (false, true) if hir.table.unknown(&one).is_none() => right,
        (true | false, true | false) => return,
    };
    let place = hir.place(hir.span(absent));
    hir.report(elsewhere::absent_operand(place));
}

/// Reports operands that are taken for something else: an optional for its inside, as a condition tests it, or a task or
/// function for its value. Whether they are.
pub(super) fn is_misunderstood(
    hir: &mut HirBuilder,
    left: ExpressionId,
    right: ExpressionId,
    report: &Diagnostic,
) -> bool {
    let mut tested = [left, right].into_iter();
    if let Some(value) = tested.find_map(|it| narrowing::tested_value(hir, it)) {
        if hir.findings.tell_tested(value.clone()) {
            hir.report(habits::comparison_narrows_nothing(report.clone(), &value));
        }
        return true;
    }
    match without_call(hir, left, right, report) {
        Some(report) => {
            hir.report(report);
            true
        }
        None => false,
    }
}

/// The report of a task, a function or a variant with a payload that is used where its value is meant.
fn without_call(
    hir: &HirBuilder,
    left: ExpressionId,
    right: ExpressionId,
    report: &Diagnostic,
) -> Option<Diagnostic> {
    for (operand, other) in [(left, right), (right, left)] {
        if let Type::Task(_) = hir.table.operand(&hir.ty(operand)) {
            let start = hir.place_before(hir.span(operand));
            return Some(elsewhere::await_it(report.clone(), start));
        }
        let kind = &hir.arena.get(operand).kind;
        if let ExpressionKind::FunctionValue { item, .. } = kind
            && let Type::Function(function) = hir.table.operand(&hir.ty(operand))
            && function.parameters.is_empty()
        {
            let end = hir.place_after(hir.span(operand));
            return Some(habits::call_it(report.clone(), item.name(hir.db), end));
        }
        if let ExpressionKind::ConstructorValue { item, .. } = kind
            && matches!(hir.table.operand(&hir.ty(other)), Type::Enum(it, _) if it == *item)
            && let Some(name) = mismatch::constructor_name(hir, operand)
        {
            return Some(habits::compared_variant(report.clone(), &name));
        }
        if let Type::Function(function) = hir.table.operand(&hir.ty(operand))
            && hir.table.operand(&function.result) == hir.table.operand(&hir.ty(other))
        {
            return Some(habits::gives_other_side(report.clone()));
        }
    }
    None
}

pub(super) fn suggest_interpolation(
    hir: &HirBuilder,
    id: ExpressionId,
    report: Diagnostic,
) -> Diagnostic {
    let span = hir.span(id);
    let text = mismatch::text_of(&hir.table.operand(&hir.ty(id)));
    let around = (hir.place_before(span), hir.place_after(span));
    errors::interpolate(report, text, around)
}

pub(super) fn suggest_float(hir: &HirBuilder, id: ExpressionId, report: Diagnostic) -> Diagnostic {
    let (start, end) = (
        hir.place_before(hir.span(id)),
        hir.place_after(hir.span(id)),
    );
    if let ExpressionKind::Int(_) = hir.arena.get(id).kind {
        return errors::write_as_float(report, end);
    }
    if mismatch::is_quotient(hir, id) {
        return elsewhere::quotient_of_ints(report);
    }
    errors::convert_to_float(report, mismatch::operand_form(hir, id), (start, end))
}

/// Whether one type is that of a list, and the other of its elements.
pub(super) fn is_list_of(hir: &HirBuilder, left: &Type, right: &Type) -> bool {
    let holds =
        |list: &Type, one: &Type| matches!(list, Type::List(of) if hir.table.operand(of) == *one);
    holds(left, right) || holds(right, left)
}
