//! What a test may put something in the place of: what reaches outside of the program. A function may do so for several tests.

use gsw_abi::call::CallKind;
use gsw_infer::hir::{Body, Callee, ExpressionKind, StatementKind};
use gsw_infer::infer_item;
use gsw_names::{is_std, item_signature};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind};

use crate::call_summary::Waits;
use crate::errors;
use crate::summary::item_summary;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    match body.item.kind(db) {
        ItemKind::Test => check_targets(db, body, found),
        ItemKind::Function if sets_mocks(db, body.item) => check_targets(db, body, found),
        ItemKind::Function
        | ItemKind::Import
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Human
        | ItemKind::External
        | ItemKind::Skill
        | ItemKind::Permissions
        | ItemKind::Invalid => check_uses(db, body, found),
    }
}

/// Reports uses of functions that set mocks where no test runs.
fn check_uses(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for expression in &body.expressions {
        let (ExpressionKind::Call {
            callee: Callee::Item { item, .. },
            ..
        }
        | ExpressionKind::FunctionValue { item, .. }) = &expression.kind
        else {
            continue;
        };
        if sets_mocks(db, *item) {
            let place = body.place(expression.span);
            found.push(errors::mocks_outside_test(place, item.name(db)));
        }
    }
}

/// Whether it is a function that sets mocks itself, so that only tests call it.
#[salsa::tracked(returns(copy))]
fn sets_mocks(db: &dyn Db, item: ItemId) -> bool {
    let is_mock = |it: &ExpressionKind| {
        let ExpressionKind::Block { statements, .. } = it else {
            return false;
        };
        statements.iter().any(|it| {
            matches!(
                it.kind,
                StatementKind::Mock { .. } | StatementKind::MockAgent { .. }
            )
        })
    };
    item.kind(db) == ItemKind::Function
        && !is_std(db, item.file(db))
        && infer_item(db, item).bodies.iter().any(|it| it.has(is_mock))
}

fn check_targets(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
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
