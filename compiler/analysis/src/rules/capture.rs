//! Captured variables hold no function, task, stream or session: otherwise values could refer to each other in a cycle, and
//! counting references would free none of them.

use gsw_infer::hir::{Body, Captured, LocalKind};
use gsw_source::{Db, Diagnostic};

use super::boundary::unrecordable;
use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for local in &body.locals {
        let is_shared = local.captured == Captured::Yes
            && matches!(local.kind, LocalKind::Var | LocalKind::State);
        if !is_shared {
            continue;
        }
        if let Some(what) = unrecordable(db, &local.ty) {
            found.push(errors::captured_cycle(
                body.place(local.span),
                &local.name,
                what,
            ));
        }
    }
}
