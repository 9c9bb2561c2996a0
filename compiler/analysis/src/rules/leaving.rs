//! `break`, `continue` and `return`: what they may leave.

use gsw_infer::hir::{Body, ExpressionId, ExpressionKind, StatementKind};
use gsw_infer::{Child, children};
use gsw_source::Diagnostic;
use rustc_hash::FxHashSet;

use crate::errors;

/// What is around an expression, as far as leaving it goes.
#[derive(Clone, Copy)]
struct Around {
    /// Whether it is inside of a loop of the same code.
    in_loop: bool,
    /// What `break` and `continue` would have to leave to reach a loop further out.
    wall: Option<&'static str>,
    /// What `return` would have to leave and may not.
    no_return: Option<&'static str>,
}

const IN_DEFER: Around = Around {
    in_loop: false,
    wall: Some("a `defer`"),
    no_return: Some("a `defer`"),
};

pub(super) fn check(body: &Body, found: &mut Vec<Diagnostic>) {
    let leaves = |it: &ExpressionKind| {
        matches!(
            it,
            ExpressionKind::Break | ExpressionKind::Continue | ExpressionKind::Return(_)
        )
    };
    if !body.has(leaves) {
        return;
    }
    let around = Around {
        in_loop: false,
        wall: None,
        no_return: None,
    };
    visit(body, body.root, around, found);
}

fn visit(body: &Body, id: ExpressionId, around: Around, found: &mut Vec<Diagnostic>) {
    let expression = body.expression(id);
    let place = body.place(expression.span);
    if expression.kind == ExpressionKind::Break && !around.in_loop {
        found.push(errors::outside_loop(place, "break", around.wall));
    }
    if expression.kind == ExpressionKind::Continue && !around.in_loop {
        found.push(errors::outside_loop(place, "continue", around.wall));
    }
    if let ExpressionKind::Return(_) = expression.kind
        && let Some(wall) = around.no_return
    {
        found.push(errors::cannot_leave(place, "return", wall));
    }
    let deferred = deferred(&expression.kind);
    for child in children(&expression.kind) {
        match child {
            Child::Inline(inner) => {
                let around = match deferred.contains(&inner) {
                    true => IN_DEFER,
                    false => around_inline(&expression.kind, inner, around),
                };
                visit(body, inner, around, found);
            }
            Child::Closure(lambda, _) => {
                visit(body, lambda.body, around_closure(&expression.kind), found)
            }
        }
    }
}

fn around_inline(kind: &ExpressionKind, inner: ExpressionId, around: Around) -> Around {
    if let ExpressionKind::For { body, .. } | ExpressionKind::While { body, .. } = kind
        && *body == inner
    {
        return Around {
            in_loop: true,
            wall: None,
            ..around
        };
    }
    around
}

/// What the `defer`s of a block run; collected once for all its statements.
fn deferred(kind: &ExpressionKind) -> FxHashSet<ExpressionId> {
    let ExpressionKind::Block { statements, .. } = kind else {
        return FxHashSet::default();
    };
    let deferred = statements.iter().filter_map(|it| {
        let StatementKind::Defer(deferred) = it.kind else {
            return None;
        };
        Some(deferred)
    });
    deferred.collect()
}

/// `return` in a lambda or a spawned block leaves just that.
#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
fn around_closure(kind: &ExpressionKind) -> Around {
    let (wall, no_return) = match kind {
        ExpressionKind::ParallelFor { .. } | ExpressionKind::Parallel { .. } => {
            ("a `parallel`", Some("a `parallel`"))
        }
        ExpressionKind::Spawn(_) => ("a `spawn`", None),
        ExpressionKind::Undo(_) => ("an `undo`", Some("an `undo`")),
        ExpressionKind::Int(_)
        | ExpressionKind::Float(_)
        | ExpressionKind::Bool(_)
        | ExpressionKind::None
        | ExpressionKind::Unit
        | ExpressionKind::Duration(_)
        | ExpressionKind::String(_)
        | ExpressionKind::Local(_)
        | ExpressionKind::Constant(_)
        | ExpressionKind::FunctionValue { .. }
        | ExpressionKind::ConstructorValue { .. }
        | ExpressionKind::Lambda(_)
        | ExpressionKind::Record { .. }
        | ExpressionKind::Variant { .. }
        | ExpressionKind::ErrorValue { .. }
        | ExpressionKind::List(_)
        | ExpressionKind::Map(_)
        | ExpressionKind::Tuple(_)
        | ExpressionKind::Field { .. }
        | ExpressionKind::TupleField { .. }
        | ExpressionKind::JsonField { .. }
        | ExpressionKind::Index { .. }
        | ExpressionKind::Interpolation(_)
        | ExpressionKind::Unary { .. }
        | ExpressionKind::Binary { .. }
        | ExpressionKind::In { .. }
        | ExpressionKind::Otherwise { .. }
        | ExpressionKind::Chain { .. }
        | ExpressionKind::Range { .. }
        | ExpressionKind::Coerce { .. }
        | ExpressionKind::As(_)
        | ExpressionKind::Matches { .. }
        | ExpressionKind::If { .. }
        | ExpressionKind::Match { .. }
        | ExpressionKind::Catch { .. }
        | ExpressionKind::Block { .. }
        | ExpressionKind::For { .. }
        | ExpressionKind::While { .. }
        | ExpressionKind::Return(_)
        | ExpressionKind::Break
        | ExpressionKind::Continue
        | ExpressionKind::Fail(_)
        | ExpressionKind::Emit(_)
        | ExpressionKind::Call { .. }
        | ExpressionKind::PromptCall { .. }
        | ExpressionKind::PromptText { .. }
        | ExpressionKind::OfferedTool { .. }
        | ExpressionKind::SpawnDetached { .. }
        | ExpressionKind::Await(_)
        | ExpressionKind::Race { .. }
        | ExpressionKind::Step { .. }
        | ExpressionKind::Modified { .. }
        | ExpressionKind::Invalid => ("a lambda", None),
    };
    Around {
        in_loop: false,
        wall: Some(wall),
        no_return,
    }
}
