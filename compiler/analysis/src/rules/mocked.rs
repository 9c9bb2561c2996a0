//! What a test may put something in the place of: what reaches outside of the program.

use gsw_abi::call::CallKind;
use gsw_infer::hir::{Body, ExpressionKind, StatementKind};
use gsw_names::{is_std, item_signature};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind};

use crate::call_summary::Waits;
use crate::errors;
use crate::summary::item_summary;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    if body.item.kind(db) != ItemKind::Test {
        return;
    }
    for expression in &body.expressions {
        let ExpressionKind::Block { statements, .. } = &expression.kind else {
            continue;
        };
        for statement in statements {
            if let StatementKind::Mock { item, .. } = &statement.kind
                && !is_mockable(db, *item)
            {
                let place = body.place(statement.span);
                found.push(errors::not_mockable(place, item.name(db)));
            }
        }
    }
}

/// Whether a test may `mock` calls of `item`.
pub fn is_mockable(db: &dyn Db, item: ItemId) -> bool {
    match item.kind(db) {
        ItemKind::Prompt
        | ItemKind::Human
        | ItemKind::External
        | ItemKind::Tool
        | ItemKind::Workflow => true,
        // Whatever waits in the library waits for something outside.
        ItemKind::Function => {
            let signature = &item_signature(db, item).signature;
            let waits = match signature.intrinsic {
                Some(call) => call.kind() == CallKind::Waiting,
                None => item_summary(db, item).item.waits == Waits::Always,
            };
            is_std(db, item.file(db)) && signature.generics.is_empty() && waits
        }
        ItemKind::Import
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => false,
    }
}
