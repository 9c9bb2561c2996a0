//! Parallel work: `parallel for` and `parallel (…)`.

use gsw_names::KnownItem;
use gsw_names::types::Type;
use gsw_source::{Name, Span};
use gsw_syntax::ast;

use crate::errors::calls;
use crate::hir::{
    ErrorPolicy, ExpressionId, ExpressionKind, Lambda, LocalKind, Statement, StatementKind,
};
use crate::infer::context::Context;
use crate::infer::control;
use crate::infer::expected::Expected;
use crate::infer::lambda;
use crate::infer::pattern::Place;
use crate::infer::workflow::{infer_modifiers, misplaced};

/// `parallel for p in e mods { }`
pub(super) fn infer_parallel_for(
    cx: &mut Context,
    pattern: &ast::Pattern,
    iterable: &ast::Expression,
    modifiers: &[ast::Modifier],
    body: &ast::Block,
    whole: (Span, Option<&Type>),
) -> ExpressionId {
    let (span, hint) = whole;
    let iterable = cx.expression(iterable, &Expected::Anything);
    let element = control::element(&mut cx.hir, iterable);
    let (limit, policy) = parallel_modifiers(cx, modifiers);
    // A variable, because the values of all iterations join in it; the block's own type may still change.
    let result = cx.hir.fresh();
    let ty = outcome(cx, policy, &result).list();
    cx.hir.table.absorb_plain(&ty, hint);
    cx.hir
        .table
        .absorb_json(&ty, hint, std::slice::from_ref(&result));
    let body = iteration(cx, pattern, element, body, &result, span);
    cx.hir.push(
        ExpressionKind::ParallelFor {
            iterable,
            limit,
            policy,
            body,
        },
        ty,
        span,
    )
}

/// What stands for one iteration or branch that gives `result`.
fn outcome(cx: &Context, policy: ErrorPolicy, result: &Type) -> Type {
    match policy {
        ErrorPolicy::Settle => {
            let outcome = KnownItem::Result.item(cx.db);
            let outcome = outcome.map(|it| Type::Enum(it, [result.clone()].into()));
            // Under `settle` one that failed has a place among the results as well, hence the `Result`.
            outcome.unwrap_or(Type::Invalid)
        }
        ErrorPolicy::First | ErrorPolicy::Merge => result.clone(),
    }
}

/// What runs for each element.
fn iteration(
    cx: &mut Context,
    pattern: &ast::Pattern,
    element: Type,
    body: &ast::Block,
    result: &Type,
    span: Span,
) -> Lambda {
    // A `return` in it is reported elsewhere, whatever it gives.
    cx.hir.locals.open_frame(Some(Type::Invalid));
    let mark = cx.scopes.mark();
    let mut statements = Vec::new();
    // A plain name is the parameter itself. Any other pattern takes a hidden parameter apart, as the first statement of the body.
    let local = if let ast::PatternKind::Binding(name) = &pattern.kind {
        cx.declare(&name.name, element, LocalKind::Parameter, name.span)
    } else {
        let span = pattern.span;
        let local = cx
            .hir
            .locals
            .add(Name::default(), element.clone(), LocalKind::Parameter, span);
        let value = cx.hir.local_value(local, span);
        let pattern = cx.pattern(pattern, &element, Place::Loop);
        statements.push(Statement {
            kind: StatementKind::Let { pattern, value },
            span,
        });
        local
    };
    let wanted = match cx.hir.table.unknown(result) {
        Some(variable) => cx.hir.table.near(variable),
        None => Expected::Type(result.clone()),
    };
    let mut body = cx.block(body, &wanted);
    // Before the block is wrapped, so that a report names the value and not the statements around it.
    body = cx.hir.coerce(body, result);
    if !statements.is_empty() {
        let ty = cx.hir.ty(body);
        let kind = ExpressionKind::Block {
            statements,
            tail: Some(body),
        };
        body = cx.hir.push(kind, ty, span);
    }
    cx.scopes.leave(mark);
    let captures = cx.hir.locals.close_frame().captures;
    Lambda {
        parameters: vec![local],
        body,
        captures,
    }
}

fn parallel_modifiers(
    cx: &mut Context,
    modifiers: &[ast::Modifier],
) -> (Option<ExpressionId>, ErrorPolicy) {
    let mut limit = None;
    let mut policy = None;
    for modifier in modifiers {
        let is_new = match &modifier.kind {
            ast::ModifierKind::Limit(value) => {
                let value = cx.expression(value, &Expected::Type(Type::Int));
                limit.replace(value).is_none()
            }
            ast::ModifierKind::Errors(name) => match error_policy(cx, name) {
                Some(found) => policy.replace(found).is_none(),
                None => continue,
            },
            ast::ModifierKind::Timeout(_)
            | ast::ModifierKind::Retry { .. }
            | ast::ModifierKind::Reflect { .. }
            | ast::ModifierKind::Budget(_) => {
                misplaced(&mut cx.hir, modifier);
                // Its expressions are inferred for their own mistakes, and for the uses of names in them.
                infer_modifiers(cx, std::slice::from_ref(modifier));
                continue;
            }
        };
        if !is_new {
            let (place, name) = (cx.hir.place(modifier.span), modifier.kind.name().text());
            cx.hir.report(calls::duplicate_setting(place, name));
        }
    }
    (limit, policy.unwrap_or(ErrorPolicy::First))
}

/// The policy that a name after `errors` is.
fn error_policy(cx: &mut Context, name: &ast::Identifier) -> Option<ErrorPolicy> {
    match name.name.as_str() {
        "first" => Some(ErrorPolicy::First),
        "settle" => Some(ErrorPolicy::Settle),
        "merge" => Some(ErrorPolicy::Merge),
        _ => {
            let place = cx.hir.place(name.span);
            let wanted = "`first`, `settle` or `merge`";
            cx.hir.report(calls::wrong_setting(place, "errors", wanted));
            None
        }
    }
}

/// `parallel (a, b) errors p`
pub(super) fn infer_parallel(
    cx: &mut Context,
    parts: &[ast::Expression],
    errors: Option<&ast::Identifier>,
    whole: (Span, Option<&Type>),
) -> ExpressionId {
    let (span, hint) = whole;
    let policy = errors.and_then(|it| error_policy(cx, it));
    let policy = policy.unwrap_or(ErrorPolicy::First);
    let results = cx.hir.fresh_arguments(parts.len());
    let outcomes: Vec<Type> = results.iter().map(|it| outcome(cx, policy, it)).collect();
    let whole = Type::Tuple(outcomes.into());
    cx.hir.table.absorb_plain(&whole, hint);
    cx.hir.table.absorb_json(&whole, hint, &results);
    let branches: Vec<Lambda> = parts
        .iter()
        .zip(&results)
        .map(|(part, result)| lambda::closure(cx, part, Some(result)))
        .collect();
    let types: Vec<Type> = branches
        .iter()
        .map(|it| outcome(cx, policy, &cx.hir.ty(it.body)))
        .collect();
    let kind = ExpressionKind::Parallel { branches, policy };
    cx.hir.push(kind, Type::Tuple(types.into()), span)
}
