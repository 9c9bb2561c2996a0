//! Loops that ask models and end only when an answer says so, without a limit on what they may cost.
//!
//! Only `while true` is looked at: any other condition is something that the author has thought of. What a person, the outside or
//! another task keeps waiting is held up by them, and where numbers are compared there most likely is a count.

use gsw_infer::hir::{
    Body, Expression, ExpressionId, ExpressionKind as Kind, Modifiers, OperatorClass,
};
use gsw_infer::infer_item;
use gsw_names::types::{Effect, Type};
use gsw_source::{Db, Diagnostic, ItemKind, Span};

use super::body::BodyFacts;
use crate::call_summary::Summary;
use crate::errors;

/// Warnings about the loops of a body.
pub(super) fn unbounded_loops(db: &dyn Db, body: &Body, facts: &BodyFacts) -> Vec<Diagnostic> {
    let head = &infer_item(db, body.item).modifiers;
    if body.item.kind(db) == ItemKind::Test || is_bound(head) {
        return Vec::new();
    }
    let report = |it: &Expression| {
        let end = endless(body, it)?;
        let does = facts.does.get(end.body.0 as usize)?;
        let is_free = asks_alone(does)
            && !is_within(
                end.span,
                body.expressions.iter().filter(|it| is_bounding(it)),
            )
            && !compares_numbers(body, end.body);
        is_free.then(|| errors::unbounded_calls(body.place(end.head)))
    };
    body.expressions.iter().filter_map(report).collect()
}

/// A `while true`.
struct Endless {
    body: ExpressionId,
    span: Span,
    /// `while true`
    head: Span,
}

fn endless(body: &Body, expression: &Expression) -> Option<Endless> {
    let Kind::While {
        condition,
        body: inside,
    } = expression.kind
    else {
        return None;
    };
    let condition = body.expression(condition);
    let head = Span::new(expression.span.start, condition.span.end);
    matches!(condition.kind, Kind::Bool(true)).then_some(Endless {
        body: inside,
        span: expression.span,
        head,
    })
}

/// Whether a turn asks a model and waits for nothing else.
fn asks_alone(turn: &Summary) -> bool {
    let has = |it| turn.effects.has(it);
    has(Effect::Model)
        && ![Effect::Human, Effect::External, Effect::Time]
            .into_iter()
            .any(has)
        && turn.late.is_empty()
}

fn is_bound(modifiers: &Modifiers) -> bool {
    modifiers.budget.is_some() || modifiers.timeout.is_some()
}

fn is_bounding(expression: &Expression) -> bool {
    matches!(&expression.kind, Kind::Step { modifiers, .. } | Kind::Modified { modifiers, .. } if is_bound(modifiers))
}

fn is_within<'a>(inner: Span, mut around: impl Iterator<Item = &'a Expression>) -> bool {
    around.any(|it| it.span.holds(inner))
}

/// Whether ints are compared by their order in an expression.
fn compares_numbers(body: &Body, id: ExpressionId) -> bool {
    let span = body.expression(id).span;
    let is_comparison = |it: &&Expression| {
        if let Kind::Binary { operator, left, .. } = &it.kind {
            matches!(operator.class(), OperatorClass::Order(_))
                && body.expression(*left).ty == Type::Int
        } else {
            false
        }
    };
    body.expressions
        .iter()
        .filter(is_comparison)
        .any(|it| span.holds(it.span))
}
