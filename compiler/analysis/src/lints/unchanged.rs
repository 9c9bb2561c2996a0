//! `var`s that nothing assigns.

use gsw_infer::hir::{Body, BodyPart, ExpressionKind, LocalKind, StatementKind};
use gsw_names::source_text;
use gsw_source::{Db, Diagnostic, Span};

use super::unused::{assigned_locals, read_locals};
use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    if !matches!(body.part, BodyPart::Main | BodyPart::Messages) {
        return;
    }
    let (assigned, read) = (assigned_locals(body), read_locals(body));
    let blocks = body.expressions.iter().filter_map(|it| {
        let ExpressionKind::Block { statements, .. } = &it.kind else {
            return None;
        };
        Some(statements)
    });
    for statement in blocks.flatten() {
        let StatementKind::Var { local, .. } = &statement.kind else {
            continue;
        };
        let variable = body.local(*local);
        // What is never read has a warning already.
        if variable.kind != LocalKind::Var || assigned.contains(local) || !read.contains(local) {
            continue;
        }
        let place = |span| body.place(span);
        let word = Span::new(statement.span.start, statement.span.start + 3);
        if source_text(db, body.item, word) == "var" {
            let report =
                errors::unchanged_variable(place(variable.span), place(word), &variable.name);
            found.push(report);
        }
    }
}
