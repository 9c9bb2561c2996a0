//! Questions about a whole subtree of typed HIR.

use gsw_infer::hir::{Body, ExpressionId, ExpressionKind, LocalId, StatementKind};
use gsw_infer::{Child, children};

/// The expressions directly inside `id`, bodies of lambdas included.
#[must_use]
pub fn inside(body: &Body, id: ExpressionId) -> Vec<ExpressionId> {
    children(&body.expression(id).kind)
        .into_iter()
        .map(|child| match child {
            Child::Inline(id) => id,
            Child::Closure(lambda, _) => lambda.body,
        })
        .collect()
}

/// Whether `holds` for some expression of the subtree.
pub fn any(body: &Body, root: ExpressionId, holds: &mut dyn FnMut(ExpressionId) -> bool) -> bool {
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if holds(id) {
            return true;
        }
        stack.extend(inside(body, id));
    }
    false
}

/// Whether the subtree assigns `local`.
#[must_use]
pub fn assigns(body: &Body, root: ExpressionId, local: LocalId) -> bool {
    any(body, root, &mut |id| {
        let ExpressionKind::Block { statements, .. } = &body.expression(id).kind else {
            return false;
        };
        statements.iter().any(|it| {
            matches!(it.kind, StatementKind::Assign { local: assigned, .. } if assigned == local)
        })
    })
}

/// Whether the subtree reads `local`.
#[must_use]
pub fn reads(body: &Body, root: ExpressionId, local: LocalId) -> bool {
    any(
        body,
        root,
        &mut |id| matches!(body.expression(id).kind, ExpressionKind::Local(it) if it == local),
    )
}
