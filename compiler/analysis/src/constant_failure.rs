//! Constants whose value cannot be computed: they raise, never end, or reach outside.

use gsw_evaluator::{Failure, failing_constants};
use gsw_infer::hir::{BodyPart, ExpressionKind};
use gsw_infer::infer_item;
use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind, Place, Severity, Span};
use gsw_syntax::{file_item_ids, is_damaged};
use rustc_hash::FxHashSet;

use crate::call_summary::Waits;
use crate::errors;
use crate::rules::evaluated_by;
use crate::summary::item_summary;

/// What is wrong with the values of the constants that `file` declares. One that `found` already reports is left alone.
pub(crate) fn constant_diagnostics(
    db: &dyn Db,
    file: File,
    found: &[Diagnostic],
) -> Vec<Diagnostic> {
    let is_reported = |item: ItemId| {
        found.iter().any(|it| {
            it.severity == Severity::Error
                && matches!(it.place, Place::Item { item: other, .. } if other == item)
        })
    };
    let items = file_item_ids(db, file).iter().copied();
    let mut sound = FxHashSet::default();
    let constants: Vec<ItemId> = items
        .filter(|it| it.kind(db) == ItemKind::Const && !is_reported(*it) && is_computed(db, *it))
        .filter(|it| is_whole(db, *it, &mut sound))
        .collect();
    let (pure, impure): (Vec<ItemId>, Vec<ItemId>) = constants
        .into_iter()
        .partition(|it| outside(db, *it).is_none());
    let mut wrong: Vec<Diagnostic> = impure
        .into_iter()
        .filter_map(|it| Some(errors::impure_constant(whole(db, it), &outside(db, it)?)))
        .collect();
    if !pure.is_empty() {
        let failed = failing_constants(db, &pure);
        wrong.extend(failed.into_iter().map(|it| {
            let item = it.item;
            let place = it
                .span
                .map_or_else(|| whole(db, item), |span| Place::Item { item, span });
            match it.failure {
                Failure::Raises { error, message } => {
                    errors::failing_constant(place, &error, message.as_deref())
                }
                Failure::Unending(why) => errors::endless_constant(place, &why),
            }
        }));
    }
    wrong
}

/// Whether no mistake of syntax is in what a constant is computed by: what is left of that may raise or never end. `known` are items
/// of which this is known.
fn is_whole(db: &dyn Db, constant: ItemId, known: &mut FxHashSet<ItemId>) -> bool {
    let mut seen = FxHashSet::default();
    let mut waiting = vec![constant];
    while let Some(item) = waiting.pop() {
        if known.contains(&item) || !seen.insert(item) {
            continue;
        }
        if is_damaged(db, item) {
            return false;
        }
        waiting.extend(evaluated_by(db, item));
    }
    known.extend(seen);
    true
}

/// Whether a constant is more than a literal.
fn is_computed(db: &dyn Db, item: ItemId) -> bool {
    let bodies = &infer_item(db, item).bodies;
    let Some(body) = bodies.iter().find(|it| it.part == BodyPart::Main) else {
        return false;
    };
    !matches!(
        body.expression(body.root).kind,
        ExpressionKind::Int(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Bool(_)
            | ExpressionKind::Duration(_)
            | ExpressionKind::String(_)
    )
}

/// What a constant would need that is not there while compiling.
fn outside(db: &dyn Db, item: ItemId) -> Option<String> {
    let summary = &item_summary(db, item).item;
    let effects: Vec<String> = summary
        .effects
        .iter()
        .map(|it| format!("`{}`", it.name()))
        .collect();
    match (effects.is_empty(), summary.waits) {
        (false, _) => Some(effects.join(", ")),
        (true, Waits::Always) => Some("waiting".to_owned()),
        (true, _) => None,
    }
}

fn whole(db: &dyn Db, item: ItemId) -> Place {
    let bodies = &infer_item(db, item).bodies;
    let body = bodies.iter().find(|it| it.part == BodyPart::Main);
    let span = body.map_or(Span::new(0, 0), |it| it.expression(it.root).span);
    Place::Item { item, span }
}
