//! How a lane is left before its end: by `return`, `fail`, `break` or `continue` on every way through it.

use gsw_infer::hir::{Body, ExpressionId, ExpressionKind, StatementKind};

use super::Leave;

/// What an expression ends with, when nothing after it is ever reached from it.
pub(super) fn leaving(body: &Body, id: ExpressionId) -> Option<Leave> {
    let kind = &body.expression(id).kind;
    if let ExpressionKind::Return(_) = kind {
        return Some(Leave::Return);
    }
    if let ExpressionKind::Fail(_) = kind {
        return Some(Leave::Fail);
    }
    if let ExpressionKind::Break = kind {
        return Some(Leave::Break);
    }
    if let ExpressionKind::Continue = kind {
        return Some(Leave::Continue);
    }
    if let ExpressionKind::Coerce { value, .. } = kind {
        return leaving(body, *value);
    }
    if let ExpressionKind::Block { statements, tail } = kind {
        let mut inside = statements.iter().filter_map(|it| match it.kind {
            StatementKind::Expression(id) => Some(id),
            StatementKind::Let { .. }
            | StatementKind::Var { .. }
            | StatementKind::Assign { .. }
            | StatementKind::Defer(_)
            | StatementKind::Assert { .. }
            | StatementKind::AssertFails { .. }
            | StatementKind::Mock { .. } => None,
        });
        let left = inside.find_map(|it| leaving(body, it));
        return left.or_else(|| leaving(body, (*tail)?));
    }
    if let ExpressionKind::If {
        then,
        otherwise: Some(otherwise),
        ..
    } = kind
    {
        leaving(body, *otherwise)?;
        return leaving(body, *then);
    }
    if let ExpressionKind::Match { arms, .. } = kind {
        let ends: Option<Vec<Leave>> = arms.iter().map(|it| leaving(body, it.body)).collect();
        return ends?.first().copied();
    }
    None
}
