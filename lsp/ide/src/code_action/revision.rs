//! Answers that are replaced by others in their step: a step of its own around one of the two would part them.

use std::collections::HashSet;

use gsw_abi::setting::Turn;
use gsw_infer::hir::{Expression, ExpressionKind};
use gsw_infer::{Reference, infer_item};
use gsw_source::{Db, ItemId, ItemKind};

use super::place::Place;

/// Whether the item of a place, or a function that it names, has a `revise` of the last answer in the step around it.
pub fn revises(place: &Place<'_>) -> bool {
    leads_to_revision(place.db, place.item, &mut HashSet::new())
}

fn leads_to_revision(db: &dyn Db, item: ItemId, seen: &mut HashSet<ItemId>) -> bool {
    if !seen.insert(item) {
        return false;
    }
    let inferred = infer_item(db, item);
    let mut expressions = inferred.bodies.iter().flat_map(|it| &it.expressions);
    if expressions.any(is_revision) {
        return true;
    }
    // The other kinds of declarations have nodes of their own.
    let mut references = inferred.references.iter();
    references.any(|(_, it)| match it {
        Reference::Item(it) => {
            it.kind(db) == ItemKind::Function && leads_to_revision(db, *it, seen)
        }
        Reference::Local { .. }
        | Reference::Variant { .. }
        | Reference::Field { .. }
        | Reference::Module(_) => false,
    })
}

/// In a conversation it is known which answer is meant.
fn is_revision(it: &Expression) -> bool {
    matches!(
        it.kind,
        ExpressionKind::PromptCall {
            turn: Turn::Revised,
            session: None,
            ..
        }
    )
}
