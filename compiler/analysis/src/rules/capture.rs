//! Captured variables hold no function, task, stream or session: otherwise values could refer to each other in a cycle, and
//! counting references would free none of them.

use gsw_infer::hir::{Body, Captured, ExpressionKind, LocalId, LocalKind};
use gsw_source::{Db, Diagnostic, Span};

use super::boundary::unrecordable;
use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for (local, id) in body.locals.iter().zip((0..).map(LocalId)) {
        let is_shared = local.captured == Captured::Yes
            && matches!(local.kind, LocalKind::Var | LocalKind::State);
        if !is_shared {
            continue;
        }
        if let Some(what) = unrecordable(db, &local.ty) {
            let report = errors::captured_cycle(body.place(local.span), &local.name, what);
            found.push(match closure_of(body, id) {
                Some(closure) => errors::captured_by(report, body.place(closure)),
                None => report,
            });
        }
    }
}

/// The first lambda that captures the local.
fn closure_of(body: &Body, local: LocalId) -> Option<Span> {
    let mut expressions = body.expressions.iter();
    let closure = expressions.find(
        |it| matches!(&it.kind, ExpressionKind::Lambda(lambda) if lambda.captures.contains(&local)),
    );
    closure.map(|it| it.span)
}
