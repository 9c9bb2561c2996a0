//! Map literals that have a key twice.

use std::collections::HashMap;

use gsw_infer::hir::{Body, ExpressionId, ExpressionKind};
use gsw_names::type_declaration;
use gsw_names::{TypeDeclarationKind, source_text};
use gsw_source::{Db, Diagnostic, Span};

use crate::constant::{ConstantValue, known_value};
use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for expression in &body.expressions {
        let ExpressionKind::Map(entries) = &expression.kind else {
            continue;
        };
        let mut seen: HashMap<String, Span> = HashMap::new();
        for (key, _) in entries {
            let Some(known) = known_key(db, body, *key) else {
                continue;
            };
            let span = body.expression(*key).span;
            if let Some(first) = seen.insert(known, span) {
                let place = |span| body.place(span);
                let text = source_text(db, body.item, span);
                found.push(errors::duplicate_key(place(span), place(first), &text));
            }
        }
    }
}

/// A key that is known before the program runs, as text that no other key has.
fn known_key(db: &dyn Db, body: &Body, id: ExpressionId) -> Option<String> {
    if let ExpressionKind::Variant { item, variant, .. } = &body.expression(id).kind {
        let declared = &type_declaration(db, *item).declaration.kind;
        let TypeDeclarationKind::Enum(variants) = declared else {
            return None;
        };
        return variants
            .get(*variant as usize)
            .map(|it| it.name.to_string());
    }
    match known_value(db, body, id)? {
        ConstantValue::Text(text) => Some(text.to_string()),
        ConstantValue::Int(number) => Some(number.to_string()),
        ConstantValue::Bool(_)
        | ConstantValue::Float(_)
        | ConstantValue::Duration(_)
        | ConstantValue::List(_) => None,
    }
}
