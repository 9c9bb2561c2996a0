//! Branches, loops, and ways out.

use gsw_abi::builtin::BuiltinError;
use gsw_names::types::Type;
use gsw_names::{builtin_item, partial};
use gsw_source::{Diagnostic, ItemId, Span};
use gsw_syntax::ast;

use crate::errors::{habits, patterns, values as errors};
use crate::hir::{
    Arm, BinaryOperator, ExpressionId, ExpressionKind, Pattern, Statement, StatementKind,
};
use crate::infer::absence::Arms;
use crate::infer::coerce::Siblings;
use crate::infer::context::Context;
use crate::infer::conversation;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::literal;
use crate::infer::lookup;
use crate::infer::mismatch;
use crate::infer::pattern::Place;
use crate::infer::scopes::Loop;

/// Pattern and guard of an arm.
type Head = (Pattern, Option<ExpressionId>);

/// `if c { } else { }`
pub(super) fn infer_if(
    cx: &mut Context,
    condition: &ast::Expression,
    then: &ast::Block,
    otherwise: Option<&ast::Expression>,
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    let mark = cx.scopes.mark();
    let condition = infer_condition(cx, condition);
    let part = match otherwise {
        Some(_) => expected,
        None => &Expected::Dropped,
    };
    let then = cx.block(then, part);
    cx.scopes.leave(mark);
    let Some(otherwise) = otherwise else {
        let then = cx.hir.without_value(then);
        let kind = ExpressionKind::If {
            condition,
            then,
            otherwise: None,
        };
        let id = cx.hir.push(kind, Type::Unit, span);
        return without_else(&mut cx.hir, id, span, expected);
    };
    let otherwise = cx.expression(otherwise, expected);
    let (ty, branches) = agree(&mut cx.hir, vec![then, otherwise], expected);
    let kind = ExpressionKind::If {
        condition,
        then: branches[0],
        otherwise: Some(branches[1]),
    };
    cx.hir.push(kind, ty, span)
}

/// The condition of an `if` or `while`; the names that it binds stay in scope.
fn infer_condition(cx: &mut Context, condition: &ast::Expression) -> ExpressionId {
    // Names of a pattern are in scope in the rest of the `and` and in the block, which holds only where every operand must
    // have matched. So `let` is handled here and nowhere else; under `or` or `not` it is misplaced.
    if let ast::ExpressionKind::Let { pattern, value } = &condition.kind {
        return pattern_test(cx, pattern, value, condition.span);
    }
    if let ast::ExpressionKind::Binary {
        operator: ast::BinaryOperator::And,
        operator_span: _,
        left,
        right,
    } = &condition.kind
        && binds(condition)
    {
        let left = infer_condition(cx, left);
        let right = infer_condition(cx, right);
        let kind = ExpressionKind::Binary {
            operator: BinaryOperator::And,
            left,
            right,
        };
        return cx.hir.push(kind, Type::Bool, condition.span);
    }
    cx.expression(condition, &Expected::Type(Type::Bool))
}

/// `let p = e` as a condition; the names of the pattern come into scope.
fn pattern_test(
    cx: &mut Context,
    pattern: &ast::Pattern,
    value: &ast::Expression,
    span: Span,
) -> ExpressionId {
    let value = cx.expression(value, &Expected::Anything);
    let ty = cx.hir.ty(value);
    let pattern = cx.pattern(pattern, &ty, Place::Top);
    cx.hir
        .push(ExpressionKind::Matches { value, pattern }, Type::Bool, span)
}

/// `let p = e` where no condition is expected, which is reported.
pub(super) fn misplaced_let(
    cx: &mut Context,
    pattern: &ast::Pattern,
    value: &ast::Expression,
    span: Span,
) -> ExpressionId {
    let place = cx.hir.place(span);
    cx.hir.report(patterns::misplaced_let(place));
    pattern_test(cx, pattern, value, span);
    cx.hir.push(ExpressionKind::Invalid, Type::Bool, span)
}

/// `let p: T = e else { }`: continues with the names of the pattern bound, or leaves.
pub(super) fn infer_let_else(
    cx: &mut Context,
    pattern: &ast::Pattern,
    ty: Option<&ast::TypeExpression>,
    value: &ast::Expression,
    otherwise: &ast::Block,
    span: Span,
) -> StatementKind {
    let wanted = match ty {
        Some(ty) => Expected::Type(cx.written_type(ty)),
        None => Expected::Anything,
    };
    let tested = Span::new(span.start, value.span.end);
    let value = cx.expression(value, &wanted);
    // The names of the pattern are not bound in the block.
    // Inferred before the pattern, which is what keeps its names out of the block; evaluation still tests first.
    let left = cx.block(otherwise, &Expected::Dropped);
    if cx.hir.ty(left) != Type::Never {
        let end = otherwise.span.end;
        let place = cx.hir.place(Span::new(end.saturating_sub(1), end));
        cx.hir.report(patterns::else_must_leave(place));
    }
    let left = cx.hir.without_value(left);
    let ty = cx.hir.ty(value);
    let pattern = cx.pattern(pattern, &ty, Place::Top);
    let condition = cx.hir.push(
        ExpressionKind::Matches { value, pattern },
        Type::Bool,
        tested,
    );
    let then = cx.hir.push(ExpressionKind::Unit, Type::Unit, tested);
    let kind = ExpressionKind::If {
        condition,
        then,
        otherwise: Some(left),
    };
    StatementKind::Expression(cx.hir.push(kind, Type::Unit, span))
}

/// Settles an `if` that has no `else` where a value may be wanted.
fn without_else(
    hir: &mut HirBuilder,
    id: ExpressionId,
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    let Expected::Type(wanted) = expected else {
        return id;
    };
    if let Some(id) = hir.try_coerce(id, wanted) {
        return id;
    }
    let (place, text) = (
        hir.place(Span::new(span.start, span.start + 2)),
        hir.show(wanted),
    );
    hir.report(errors::no_else(place, &text));
    hir.push(ExpressionKind::Invalid, wanted.clone(), span)
}

/// The type of branches that were inferred with `expected`, and the branches given it.
fn agree(
    hir: &mut HirBuilder,
    branches: Vec<ExpressionId>,
    expected: &Expected,
) -> (Type, Vec<ExpressionId>) {
    match expected {
        Expected::Type(ty) => (ty.clone(), branches),
        // Only when no branch gives a value is what follows unreachable; `Unit` would hide that from `return` checks.
        Expected::Dropped if branches.iter().all(|&it| hir.ty(it) == Type::Never) => {
            (Type::Never, branches)
        }
        Expected::Dropped => {
            let branches = branches
                .into_iter()
                .map(|it| hir.without_value(it))
                .collect();
            (Type::Unit, branches)
        }
        Expected::Anything | Expected::Hint(_) => hir.join(branches, Siblings::Branches),
    }
}

pub(super) fn infer_match(
    cx: &mut Context,
    value: &ast::Expression,
    arms: &[ast::MatchArm],
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    let value = cx.expression(value, &Expected::Anything);
    let ty = cx.hir.ty(value);
    let (heads, bodies) = infer_arms(cx, arms, &ty, expected);
    let (joined, bodies) = agree(&mut cx.hir, bodies, expected);
    let arms = whole_arms(heads, bodies);
    cx.hir
        .push(ExpressionKind::Match { value, arms }, joined, span)
}

pub(super) fn infer_catch(
    cx: &mut Context,
    value: &ast::Expression,
    arms: &[ast::MatchArm],
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    let value = cx.expression(value, expected);
    let (heads, mut bodies) = infer_arms(cx, arms, &Type::Error, expected);
    bodies.insert(0, value);
    let (joined, mut bodies) = agree(&mut cx.hir, bodies, expected);
    let value = bodies.remove(0);
    let arms = whole_arms(heads, bodies);
    cx.hir
        .push(ExpressionKind::Catch { value, arms }, joined, span)
}

/// The heads and bodies of arms over values of type `ty`.
fn infer_arms(
    cx: &mut Context,
    arms: &[ast::MatchArm],
    ty: &Type,
    expected: &Expected,
) -> (Vec<Head>, Vec<ExpressionId>) {
    // The names in one arm depend on the patterns of the others, so all arms are known before the first is inferred.
    let absences = Arms::new(&cx.names(), arms, ty);
    let outer = cx.pattern_names.enter(absences);
    let mut heads = Vec::with_capacity(arms.len());
    let mut bodies = Vec::with_capacity(arms.len() + 1);
    for (index, arm) in arms.iter().enumerate() {
        let mark = cx.scopes.mark();
        cx.pattern_names.at_arm(Some(index));
        let pattern = cx.pattern(&arm.pattern, ty, Place::Top);
        // Patterns inside the guard or body (`let`, nested lambdas) belong to no arm of this `match`.
        cx.pattern_names.at_arm(None);
        let guard = arm
            .guard
            .as_ref()
            .map(|it| cx.expression(it, &Expected::Type(Type::Bool)));
        bodies.push(cx.expression(&arm.body, expected));
        cx.scopes.leave(mark);
        heads.push((pattern, guard));
    }
    cx.pattern_names = outer;
    (heads, bodies)
}

/// What `for` and `parallel for` bind in each turn.
pub(super) fn element(hir: &mut HirBuilder, iterable: ExpressionId) -> Type {
    let ty = hir.ty(iterable);
    match hir.table.unchecked(&ty) {
        Type::List(element) => (*element).clone(),
        Type::Map(key, value) => Type::Tuple([(*key).clone(), (*value).clone()].into()),
        Type::Stream(inner) => partial(hir.db, hir.table.unchecked(&inner)),
        Type::Queue(item) => (*item).clone(),
        Type::Invalid => Type::Invalid,
        Type::Variable(variable) => {
            let element = hir.fresh();
            // Of what `for` can iterate over, lists are what a parameter without a type most often is.
            hir.table.bind(variable, &element.clone().list());
            element
        }
        other @ (Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Text(_)) => {
            let (place, text) = (hir.place(hir.span(iterable)), hir.show(&ty));
            let report = errors::not_iterable(place, &text);
            hir.report(if let Type::Optional(_) = other {
                errors::may_be_none(report)
            } else if lookup::is_set(hir.db, &other) {
                habits::elements_of_set(report)
            } else if other == Type::Json {
                errors::elements_of_json(report)
            } else if matches!(other, Type::String | Type::Text(_)) {
                errors::characters(report)
            } else if other == Type::Int {
                errors::range_to(report)
            } else {
                report
            });
            Type::Invalid
        }
    }
}

/// `for p in e { }`
pub(super) fn infer_for(
    cx: &mut Context,
    pattern: &ast::Pattern,
    iterable: &ast::Expression,
    body: &ast::Block,
    span: Span,
) -> ExpressionId {
    let iterable = cx.expression(iterable, &Expected::Anything);
    let element = element(&mut cx.hir, iterable);
    let mark = cx.scopes.mark();
    let pattern = cx.pattern(pattern, &element, Place::Loop);
    cx.scopes.open_loop();
    let body = cx.block(body, &Expected::Dropped);
    cx.scopes.close_loop();
    cx.scopes.leave(mark);
    cx.hir.push(
        ExpressionKind::For {
            pattern,
            iterable,
            body,
        },
        Type::Unit,
        span,
    )
}

/// `while c { }`; `while true` without `break` never ends, so it fits every type.
pub(super) fn infer_while(
    cx: &mut Context,
    condition: &ast::Expression,
    body: &ast::Block,
    span: Span,
) -> ExpressionId {
    let mark = cx.scopes.mark();
    let condition = infer_condition(cx, condition);
    cx.scopes.open_loop();
    let body = cx.block(body, &Expected::Dropped);
    let left = cx.scopes.close_loop();
    cx.scopes.leave(mark);
    // Only the literal counts, not a constant that is true: the type of a body must not change with a value elsewhere.
    let is_true = cx.hir.arena.get(condition).kind == ExpressionKind::Bool(true);
    let id = cx
        .hir
        .push(ExpressionKind::While { condition, body }, Type::Unit, span);
    match builtin_item(cx.db, BuiltinError::Internal) {
        Some(item) if is_true && left == Loop::Endless => endless(&mut cx.hir, id, item, span),
        _ => id,
    }
}

/// A loop that never ends, with an end that says so to what follows.
fn endless(hir: &mut HirBuilder, id: ExpressionId, item: ItemId, span: Span) -> ExpressionId {
    // Lowering needs an expression of type `Never`. The failure cannot be reached; if a bug reaches it, it is loud.
    let message = literal::push_text(hir, "an endless loop ended", span);
    let fields = vec![(0, message)];
    let error = hir.push(
        ExpressionKind::ErrorValue { item, fields },
        Type::Error,
        span,
    );
    let tail = Some(hir.push(ExpressionKind::Fail(error), Type::Never, span));
    let kind = StatementKind::Expression(id);
    let statements = vec![Statement { kind, span }];
    hir.push(
        ExpressionKind::Block { statements, tail },
        Type::Never,
        span,
    )
}

pub(super) fn infer_break(cx: &mut Context, span: Span) -> ExpressionId {
    cx.scopes.leave_loop();
    cx.hir.push(ExpressionKind::Break, Type::Never, span)
}

pub(super) fn infer_return(
    cx: &mut Context,
    value: Option<&ast::Expression>,
    span: Span,
) -> ExpressionId {
    if let Some(id) = conversation::infer_return(cx, value, span) {
        return id;
    }
    let wanted = cx.hir.locals.wanted_result();
    let wanted = wanted.unwrap_or(Type::Unit);
    // A lambda whose result is still open: binding it to the first `return` would make that decide over the others, so they
    // are collected and joined at the end of the lambda (`free_body`).
    if let (Some(variable), Some(value)) = (cx.hir.table.unknown(&wanted), value) {
        let near = cx.hir.table.near(variable);
        let value = cx.expression(value, &near);
        let id = cx
            .hir
            .push(ExpressionKind::Return(Some(value)), Type::Never, span);
        cx.hir.locals.add_return(id, value);
        return id;
    }
    let value = match value {
        Some(value) if wanted == Type::Unit && states_no_result(cx) => {
            Some(value_without_result(cx, value))
        }
        Some(value) => Some(cx.expression(value, &Expected::Type(wanted))),
        None => {
            let unit = cx.hir.push(ExpressionKind::Unit, Type::Unit, span);
            // What the conversion makes of it is given back, not what it is made of.
            let given = cx.hir.coerce(unit, &wanted);
            (given != unit).then_some(given)
        }
    };
    cx.hir
        .push(ExpressionKind::Return(value), Type::Never, span)
}

/// Whether what is inferred is the body of an item itself, whose head says nothing of a result.
fn states_no_result(cx: &Context) -> bool {
    let head = gsw_names::item_head(cx.db, cx.hir.item);
    let signature = head.as_deref().and_then(|it| it.body.signature());
    !cx.hir.locals.is_in_closure() && signature.is_some_and(|it| it.result.is_none())
}

/// The value after `return` in what gives none; of several only the first is reported.
fn value_without_result(cx: &mut Context, value: &ast::Expression) -> ExpressionId {
    let given = cx.expression(value, &Expected::Anything);
    let ty = cx.hir.table.resolve(&cx.hir.ty(given));
    let before = cx.hir.findings.reported();
    let coerced = cx.hir.coerce(given, &Type::Unit);
    let Some(report) = cx.hir.findings.first_error_since(before).cloned() else {
        return coerced;
    };
    let report = mismatch::lacks_result(&cx.hir, report, cx.hir.item, &ty);
    let reports = cx.hir.findings.diagnostics_mut();
    reports.pop();
    let is_told = |it: &Diagnostic| it.code == report.code && it.fixes == report.fixes;
    if report.fixes.is_empty() || !reports.iter().any(is_told) {
        reports.push(report);
    }
    coerced
}

pub(super) fn infer_fail(cx: &mut Context, value: &ast::Expression, span: Span) -> ExpressionId {
    let before = cx.hir.findings.reported();
    let id = cx.expression(value, &Expected::Hint(Type::Error));
    if let ast::ExpressionKind::Catch { value: error, .. } = &value.kind
        && let Some(report) = cx.hir.findings.first_error_since(before)
    {
        let item = cx.hir.item;
        let at = |at| gsw_source::Place::Item {
            item,
            span: Span::new(at, at),
        };
        habits::fail_takes_all(report, at(span.start), at(error.span.end));
        return cx.hir.invalid(span);
    }
    let ty = cx.hir.ty(id);
    let id = match cx.hir.try_coerce(id, &Type::Error) {
        Some(id) => id,
        None => {
            let place = cx.hir.place(cx.hir.span(id));
            let report = errors::mismatch(place, "Error", &cx.hir.show(&ty));
            let report = if cx.hir.table.operand(&ty) == Type::String {
                let ends = cx.hir.span(id);
                errors::fail_with_text(report, cx.hir.place_before(ends), cx.hir.place_after(ends))
            } else if let Some(name) = mismatch::constructor_name(&cx.hir, id) {
                errors::lacks_payload(report, &name)
            } else {
                errors::declared_errors(report)
            };
            cx.hir.report(report);
            cx.hir.push(ExpressionKind::Invalid, Type::Error, span)
        }
    };
    cx.hir.push(ExpressionKind::Fail(id), Type::Never, span)
}

pub(super) fn infer_emit(cx: &mut Context, value: &ast::Expression, span: Span) -> ExpressionId {
    let value = cx.expression(value, &Expected::Type(Type::Json));
    cx.hir.push(ExpressionKind::Emit(value), Type::Unit, span)
}

/// Whether one of the conditions that `and` joins is a pattern.
fn binds(condition: &ast::Expression) -> bool {
    let mut rest = condition;
    while let ast::ExpressionKind::Binary {
        operator: ast::BinaryOperator::And,
        operator_span: _,
        left,
        right,
    } = &rest.kind
    {
        if is_let(right) {
            return true;
        }
        rest = left;
    }
    is_let(rest)
}

fn is_let(condition: &ast::Expression) -> bool {
    matches!(condition.kind, ast::ExpressionKind::Let { .. })
}

fn whole_arms(heads: Vec<Head>, bodies: Vec<ExpressionId>) -> Vec<Arm> {
    let pairs = heads.into_iter().zip(bodies);
    pairs
        .map(|((pattern, guard), body)| Arm {
            pattern,
            guard,
            body,
        })
        .collect()
}
