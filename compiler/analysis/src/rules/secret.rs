//! Secrets in what is shown: prompts go to models, questions to people, a workflow's result to its starter.

use gsw_names::{declared_name, holds_secret, item_head, item_signature};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};

use super::boundary::boundary_word;
use crate::errors;

pub(super) fn check_head(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    let Some(word) = boundary_word(item.kind(db)) else {
        return Vec::new();
    };
    let signature = &item_signature(db, item).signature;
    let mut found = Vec::new();
    // A workflow is given its secrets by name.
    let shown = signature
        .parameters
        .iter()
        .filter(|_| item.kind(db) != ItemKind::Workflow);
    for parameter in shown.filter(|it| holds_secret(db, &it.ty)) {
        let place = Place::Item {
            item,
            span: parameter.span,
        };
        found.push(errors::secret_exposed(
            place,
            &format!("a parameter of {word}"),
        ));
    }
    let head = item_head(db, item);
    let name = head.as_deref().and_then(declared_name);
    if let Some(name) = name.filter(|_| holds_secret(db, &signature.result)) {
        let place = Place::Item {
            item,
            span: name.span,
        };
        found.push(errors::secret_exposed(
            place,
            &format!("the result of {word}"),
        ));
    }
    found
}
