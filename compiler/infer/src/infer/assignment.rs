//! Assignments to variables and to their parts.
//!
//! The place on the left is inferred like a value that is read, `order.lines[2].qty`, so that everything wrong in it is reported
//! as it is anywhere else; then what was inferred is destructured into the variable and the steps that lead from it to the part.

mod together;

use gsw_names::types::Type;
use gsw_names::{Definition, source_text};
use gsw_source::{ItemKind, Span};
use gsw_syntax::ast;

use crate::errors::habits;
use crate::errors::values as errors;
use crate::hir::{
    ArithmeticOperator, Change, ExpressionId, ExpressionKind, LocalId, LocalKind, Pattern,
    PatternKind, PlacePart, PlaceStep, Statement, StatementKind,
};
use crate::infer::coerce;
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::operator::{self, Operation};
use crate::item_bodies::Reference;

struct Target {
    local: LocalId,
    /// From the variable to the part; empty for the whole variable.
    path: Vec<PlaceStep>,
    /// The type of what changes.
    ty: Type,
    span: Span,
}

/// Why a place that can be read cannot be assigned.
enum Refusal {
    /// What was inferred is wrong, which has been reported.
    Reported,
    /// It is in a `json`.
    Json,
    /// It is reached through `?.`.
    MayBeNone,
    /// It is no part of a variable.
    NoPart,
}

/// `x = e`, `x.f[i] += e`
pub(super) fn assign(
    cx: &mut Context,
    target: &ast::Expression,
    operator: ast::AssignOperator,
    value: &ast::Expression,
    span: Span,
) -> Option<StatementKind> {
    let Some(target) = assigned_target(cx, target) else {
        // The target was reported; the value still has mistakes of its own to report.
        cx.expression(value, &Expected::Anything);
        return None;
    };
    let operator = match operator {
        ast::AssignOperator::Set => {
            let value = cx.expression(value, &Expected::Type(target.ty.clone()));
            // After the value, as it is evaluated: a closure in the value captures the variable first.
            cx.hir.locals.touch(target.local);
            return Some(target.assignment(Change::Set, value));
        }
        ast::AssignOperator::Add => ArithmeticOperator::Add,
        ast::AssignOperator::Subtract => ArithmeticOperator::Subtract,
        ast::AssignOperator::Multiply => ArithmeticOperator::Multiply,
        ast::AssignOperator::Divide => ArithmeticOperator::Divide,
        ast::AssignOperator::Remainder => ArithmeticOperator::Remainder,
    };
    Some(infer_update(cx, target, operator, value, span))
}

/// `(a, b) = e`. True when nothing after it is reached.
///
/// The value is destructured into hidden locals before any place changes, so that `(a, b) = (b, a)` swaps.
pub(super) fn assign_tuple(
    cx: &mut Context,
    target: &ast::Expression,
    value: &ast::Expression,
    span: Span,
    out: &mut Vec<Statement>,
) -> bool {
    let mut assigned = Vec::new();
    let Some(pattern) = taken_apart(cx, target, &mut assigned) else {
        cx.expression(value, &Expected::Anything);
        return false;
    };
    let value = cx.expression(value, &Expected::Type(pattern.ty.clone()));
    let diverges = cx.hir.ty(value) == Type::Never;
    let kind = StatementKind::Let { pattern, value };
    out.push(Statement { kind, span });
    together::assign_all(&mut cx.hir, assigned, span, out);
    diverges
}

/// The pattern that takes a value apart for the places of a tuple, with each place and the hidden local that holds its part.
/// None when one of them was reported.
fn taken_apart(
    cx: &mut Context,
    target: &ast::Expression,
    assigned: &mut Vec<(Target, LocalId)>,
) -> Option<Pattern> {
    let span = target.span;
    if let ast::ExpressionKind::Tuple(parts) = &target.kind {
        // All are checked, so that all mistakes are reported.
        let parts: Vec<Option<Pattern>> = parts
            .iter()
            .map(|part| taken_apart(cx, part, assigned))
            .collect();
        let parts: Vec<Pattern> = parts.into_iter().collect::<Option<_>>()?;
        let ty = Type::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
        let kind = PatternKind::Tuple(parts);
        return Some(Pattern { kind, ty, span });
    }
    let target = assigned_target(cx, target)?;
    let ty = target.ty.clone();
    let local = cx.hir.hidden_local(ty.clone(), span);
    assigned.push((target, local));
    let kind = PatternKind::Binding(local);
    Some(Pattern { kind, ty, span })
}

/// `x += e`
fn infer_update(
    cx: &mut Context,
    target: Target,
    operator: ArithmeticOperator,
    value: &ast::Expression,
    span: Span,
) -> StatementKind {
    let ty = target.ty.clone();
    let is_sum = operator == ArithmeticOperator::Add;
    // A sum of literals is none of them, so a variable that is added to holds any string.
    if is_sum && let Type::Text(text) = cx.hir.table.resolve(&ty) {
        cx.hir.table.texts.reach_any(text);
    }
    // A list grows only by lists of its own type.
    let is_list = matches!(cx.hir.table.resolve(&ty), Type::List(_));
    let near = if is_list && is_sum && !cx.hir.table.is_open(&ty) {
        Expected::Type(ty.clone())
    } else {
        Expected::Hint(ty.clone())
    };
    let value = cx.expression(value, &near);
    // A part is read once, into a hidden local: `xs[next()] += 1` must evaluate `next()` once, so the arithmetic cannot repeat
    // the path.
    let old = if target.path.is_empty() {
        target.local
    } else {
        cx.hir.locals.touch(target.local);
        cx.hir.hidden_local(ty.clone(), target.span)
    };
    let left = cx.hir.local_value(old, target.span);
    let before = cx.hir.findings.reported();
    let operation = Operation {
        operator_span: target.span.to(span),
        left,
        right: value,
        span,
    };
    let whole = operator::arithmetic(&mut cx.hir, operator, operation);
    let place = cx.hir.place(target.span);
    if let Some(report) = cx.hir.findings.first_error_since(before) {
        report
            .fixes
            // A fix that wraps the left side (`${x}`, `x.to_float()`) would leave no place to assign to.
            .retain(|fix| fix.edits.iter().all(|it| !touches(it.place, place)));
    }
    let whole = cx.hir.coerce(whole, &ty);
    // `x += e` is one step where `x + e` needs no conversion; otherwise it is written out.
    if let Some(value) = added_to(&cx.hir, left, whole) {
        return target.assignment(Change::Operator(operator.into()), value);
    }
    if target.path.is_empty() || cx.hir.findings.first_error_since(before).is_some() {
        return target.assignment(Change::Set, whole);
    }
    // A conversion of the sum (a check, `?`) cannot be part of an operator, so lowering gets old value, right side and result as
    // three expressions. They are inferred again over locals, since an expression belongs to one parent.
    let right = cx.hir.hidden_local(cx.hir.ty(value), cx.hir.span(value));
    let operation = Operation {
        left: cx.hir.local_value(old, target.span),
        right: cx.hir.local_value(right, cx.hir.span(value)),
        ..operation
    };
    let new = operator::arithmetic(&mut cx.hir, operator, operation);
    let new = cx.hir.coerce(new, &ty);
    target.assignment(Change::Converted { old, right, new }, value)
}

/// The right side of `whole`, when it is `left` with an operator and that.
fn added_to(hir: &HirBuilder, left: ExpressionId, whole: ExpressionId) -> Option<ExpressionId> {
    let kind = &hir.arena.get(coerce::below_widening(hir, whole)).kind;
    let ExpressionKind::Binary {
        left: kept, right, ..
    } = kind
    else {
        return None;
    };
    (coerce::below_widening(hir, *kept) == left).then_some(*right)
}

/// What an assignment means; what cannot be assigned is reported.
fn assigned_target(cx: &mut Context, target: &ast::Expression) -> Option<Target> {
    if let ast::ExpressionKind::Name(name) = &target.kind {
        let local = assigned_local(cx, name, target.span)?;
        let part = cx.part;
        cx.hir.refer(target.span, Reference::Local { part, local });
        let local = changed_local(cx, name, target, local)?;
        return Some(Target {
            local,
            path: Vec::new(),
            ty: cx.hir.locals.local(local).ty.clone(),
            span: target.span,
        });
    }
    let root = root(target);
    let before = cx.hir.findings.reported();
    // The target is inferred as a value first, so an unknown field or an index of the wrong type is reported in the same words
    // as in any other expression.
    let read = cx.expression(target, &Expected::Anything);
    if let Some(report) = cx.hir.findings.first_error_since(before) {
        // What fixes a read of the value, such as `?.`, does not make a place of it.
        report.fixes.clear();
        return None;
    }
    let ast::ExpressionKind::Name(name) = &root.kind else {
        let place = cx.hir.place(target.span);
        cx.hir.report(errors::assigned_value(errors::not_assignable(
            place,
            "this expression",
        )));
        return None;
    };
    let local = assigned_local(cx, name, target.span)?;
    let local = changed_local(cx, name, target, local)?;
    let (path, first) = match steps(&cx.hir, read) {
        Ok(steps) => steps,
        Err(refusal) => {
            refuse(&mut cx.hir, &refusal, target, root);
            return None;
        }
    };
    // The variable is changed here, not read.
    // Otherwise walks over the body (captures, unused values) would see a read of the variable that never runs.
    cx.hir.arena.get_mut(first).kind = ExpressionKind::Unit;
    cx.hir.locals.assign_parts(local);
    Some(Target {
        local,
        path,
        ty: cx.hir.ty(read),
        span: target.span,
    })
}

/// The local of a name that is assigned as a whole.
fn assigned_local(cx: &mut Context, name: &gsw_source::Name, span: Span) -> Option<LocalId> {
    let local = cx.scopes.find(name);
    if local.is_none() {
        match gsw_names::resolve_name(cx.db, cx.file, name) {
            Some(definition) => {
                let kind = match definition {
                    Definition::Item(item) => crate::infer::name::kind_text(item.kind(cx.db)),
                    Definition::Variant { .. } => "variant",
                    Definition::Module(_) => "module",
                };
                let what = format!("the {kind} `{name}`");
                let report = errors::not_assignable(cx.hir.place(span), &what);
                let is_constant = matches!(definition, Definition::Item(item) if item.kind(cx.db) == ItemKind::Const);
                cx.hir.report(match is_constant {
                    true => habits::assigned_constant(report),
                    false => report,
                });
            }
            None => cx.names().unknown_variable(name, span),
        }
    }
    local
}

/// The local, if it may change.
fn changed_local(
    cx: &mut Context,
    name: &gsw_source::Name,
    target: &ast::Expression,
    local: LocalId,
) -> Option<LocalId> {
    let what = match cx.hir.locals.local(local).kind {
        LocalKind::Var | LocalKind::State => return Some(local),
        LocalKind::Let => format!("`{name}`, which `let` binds once"),
        LocalKind::Parameter => format!("the parameter `{name}`"),
    };
    let mut report = errors::not_assignable(cx.hir.place(target.span), &what);
    if let Some(sign) = sign_in_lambda(&cx.hir, target.span) {
        cx.hir.report(habits::compared_in_lambda(report, sign));
        return None;
    }
    if let Some(word) = cx.scopes.let_word(local) {
        report = report.fix("declare it with `var`", cx.hir.place(word), "var");
    }
    let is_name = matches!(target.kind, ast::ExpressionKind::Name(_));
    if is_name && cx.hir.locals.local(local).kind == LocalKind::Parameter {
        report = habits::assigned_parameter(report, name);
    }
    let declared = cx.hir.place(cx.hir.locals.local(local).span);
    report = report.label(declared, "bound here");
    let text = |of: &ast::Expression| source_text(cx.db, cx.hir.item, of.span);
    cx.hir.report(
        if let ast::ExpressionKind::Field { base, name, .. } = &target.kind {
            errors::assigned_field(report, &text(base), &name.name)
        } else if let ast::ExpressionKind::Index { base, .. } = &target.kind {
            errors::assigned_element(report, &text(base))
        } else {
            report
        },
    );
    None
}

/// The `=` behind what is assigned as all that a lambda does: `xs.filter(p => p.n = 1)`.
fn sign_in_lambda(hir: &HirBuilder, target: Span) -> Option<gsw_source::Place> {
    let text = gsw_names::item_text(hir.db, hir.item);
    let before = text.get(..target.start as usize)?;
    let behind = text.get(target.end as usize..)?;
    let blanks = behind.len() - behind.trim_start().len();
    let is_meant = before.trim_end().ends_with("=>") && behind.trim_start().starts_with("= ");
    let start = target.end + u32::try_from(blanks).ok()?;
    is_meant.then(|| hir.place(Span::new(start, start + 1)))
}

/// The steps from a variable to the part of it that `read` reads, and the expression that reads the variable.
fn steps(hir: &HirBuilder, read: ExpressionId) -> Result<(Vec<PlaceStep>, ExpressionId), Refusal> {
    let mut path = Vec::new();
    let mut current = read;
    loop {
        let ty = hir.ty(current);
        let kind = &hir.arena.get(current).kind;
        let (base, part) = if let ExpressionKind::Local(_) = kind {
            // The walk goes from the part to the variable; lowering follows the path from the variable to the part.
            path.reverse();
            return Ok((path, current));
        } else if let ExpressionKind::Field { base, index }
        | ExpressionKind::TupleField { base, index } = kind
        {
            (*base, PlacePart::Field(*index))
        } else if let ExpressionKind::Index { base, index } = kind {
            (*base, PlacePart::Element(*index))
        } else if let ExpressionKind::JsonField { .. } = kind {
            return Err(Refusal::Json);
        } else if let ExpressionKind::Chain { .. } = kind {
            return Err(Refusal::MayBeNone);
        } else if let ExpressionKind::Invalid = kind {
            return Err(Refusal::Reported);
        } else {
            return Err(Refusal::NoPart);
        };
        let whole = hir.table.unchecked(&hir.ty(base));
        if whole == Type::Json {
            return Err(Refusal::Json);
        }
        // What has come of a value so far is not the program's.
        if matches!(whole, Type::Partial(_)) {
            return Err(Refusal::NoPart);
        }
        path.push(PlaceStep { part, ty });
        current = base;
    }
}

fn refuse(
    hir: &mut HirBuilder,
    refusal: &Refusal,
    target: &ast::Expression,
    root: &ast::Expression,
) {
    let place = hir.place(target.span);
    let whole = source_text(hir.db, hir.item, root.span);
    hir.report(match refusal {
        Refusal::Reported => return,
        Refusal::Json => errors::assigned_json(place, &whole),
        Refusal::MayBeNone => errors::assigned_maybe_none(place),
        Refusal::NoPart => errors::assigned_value(errors::not_assignable(place, "this expression")),
    });
}

impl Target {
    fn assignment(self, change: Change, value: ExpressionId) -> StatementKind {
        StatementKind::Assign {
            local: self.local,
            path: self.path,
            change,
            value,
        }
    }
}

/// The expression that the parts of a place are parts of.
pub(super) fn root(target: &ast::Expression) -> &ast::Expression {
    let mut root = target;
    while let ast::ExpressionKind::Field { base, .. }
    | ast::ExpressionKind::TupleField { base, .. }
    | ast::ExpressionKind::Index { base, .. } = &root.kind
    {
        root = base;
    }
    root
}

/// Whether an edit changes or touches what is assigned to.
fn touches(edit: gsw_source::Place, target: gsw_source::Place) -> bool {
    let gsw_source::Place::Item { span: edit, .. } = edit else {
        return false;
    };
    let gsw_source::Place::Item { span: target, .. } = target else {
        return false;
    };
    edit.start <= target.end && edit.end >= target.start
}
