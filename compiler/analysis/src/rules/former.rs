//! Earlier names, after `@was`: one that says nothing, or that two things would have, keeps no identity.

use gsw_infer::hir::{Body, ExpressionId, ExpressionKind};
use gsw_names::item_signature;
use gsw_source::{Db, Diagnostic, ItemId, Name, Place, Span};
use gsw_syntax::{file_item_ids, item_ast};

use crate::errors::{self, FormerNameProblem};

/// The earlier name of a workflow, prompt or tool.
pub(super) fn check_head(db: &dyn Db, item: ItemId) -> Option<Diagnostic> {
    let was = item_signature(db, item).signature.was.as_ref()?;
    let tree = item_ast(db, item)?;
    let attribute = tree.attributes.iter().find(|it| it.name.name == "was")?;
    let place = Place::Item {
        item,
        span: attribute.span,
    };
    let kind = item.kind(db);
    let others = file_item_ids(db, item.file(db)).iter().copied();
    let mut others = others.filter(|it| *it != item && it.kind(db) == kind);
    let problem = if was.trim().is_empty() {
        FormerNameProblem::Empty
    } else if was == item.name(db) {
        FormerNameProblem::Own
    } else if others.clone().any(|it| it.name(db) == was) {
        FormerNameProblem::Present
    } else if others.any(|it| item_signature(db, it).signature.was.as_ref() == Some(was)) {
        FormerNameProblem::Twice
    } else {
        return None;
    };
    Some(errors::wrong_former_name(place, was, problem))
}

/// The earlier names of the steps of a body, as far as they are known.
pub(super) fn check(body: &Body, found: &mut Vec<Diagnostic>) {
    let steps = body.expressions.iter().filter_map(|it| {
        let ExpressionKind::Step { was, name, .. } = &it.kind else {
            return None;
        };
        Some((*was, *name))
    });
    let steps: Vec<(Option<ExpressionId>, ExpressionId)> = steps.collect();
    if steps.iter().all(|it| it.0.is_none()) {
        return;
    }
    let names: Vec<Option<Name>> = steps.iter().map(|it| known(body, it.1)).collect();
    let mut seen: Vec<Name> = Vec::new();
    for ((was, _), name) in steps.iter().zip(&names) {
        let Some(expression) = was else { continue };
        let Some(was) = known(body, *expression) else {
            continue;
        };
        let is_own = name.as_ref() == Some(&was);
        let problem = if was.trim().is_empty() {
            Some(FormerNameProblem::Empty)
        } else if is_own {
            Some(FormerNameProblem::Own)
        } else if names.iter().flatten().any(|it| *it == was) {
            Some(FormerNameProblem::Present)
        } else if seen.contains(&was) {
            Some(FormerNameProblem::Twice)
        } else {
            None
        };
        if let Some(problem) = problem {
            let span: Span = body.expression(*expression).span;
            found.push(errors::wrong_former_name(body.place(span), &was, problem));
        }
        seen.push(was);
    }
}

/// A text without anything that is only known when it runs.
fn known(body: &Body, id: ExpressionId) -> Option<Name> {
    if let ExpressionKind::String(text) = &body.expression(id).kind {
        Some(text.clone())
    } else {
        None
    }
}
