//! What is asked of the operands of an operator.

use gsw_names::KnownItem;
use gsw_names::types::Type;
use gsw_source::{ItemId, Span};

use crate::errors::elsewhere;
use crate::hir::{ArithmeticOperator, ExpressionId};
use crate::infer::hir_builder::HirBuilder;

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
        ArithmeticOperator::Multiply => takes(Type::Duration, Type::Int).then_some(Type::Duration),
        ArithmeticOperator::Divide if takes(Type::Duration, Type::Duration) => Some(Type::Float),
        ArithmeticOperator::Divide => takes(Type::Duration, Type::Int).then_some(Type::Duration),
        ArithmeticOperator::Remainder => None,
    }
}

pub(super) const fn is_optional(ty: &Type) -> bool {
    matches!(ty, Type::Optional(_))
}

/// Reports an order between what may be `none` and what is never: who asks for those below a limit seldom means those without a
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
