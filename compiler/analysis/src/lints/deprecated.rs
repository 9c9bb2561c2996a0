//! Uses of what is marked `@deprecated`.

use std::collections::HashSet;

use gsw_infer::{ItemBodies, Reference};
use gsw_names::{declared_name, item_head};
use gsw_source::{Db, Diagnostic, ItemId, Name, Place};
use gsw_syntax::ast::{Attribute, ExpressionKind, ItemBody, Literal};

use crate::errors;

pub(super) fn check(db: &dyn Db, item: ItemId, inferred: &ItemBodies, found: &mut Vec<Diagnostic>) {
    let mut seen = HashSet::new();
    for (span, reference) in &inferred.references {
        let Some((name, why)) = deprecated(db, item, reference) else {
            continue;
        };
        if seen.insert(*span) {
            let place = Place::Item { item, span: *span };
            found.push(errors::deprecated(place, &name, &why));
        }
    }
}

/// The name of what is meant and why it is not to be used. What an item says of itself is its own business.
fn deprecated(db: &dyn Db, user: ItemId, reference: &Reference) -> Option<(Name, Name)> {
    let (item, place) = match *reference {
        Reference::Item(item) => (item, None),
        Reference::Variant { item, variant } => (item, Some((variant, None))),
        Reference::Field {
            item,
            variant,
            field,
        } => (item, Some((variant, Some(field)))),
        Reference::Local { .. } | Reference::Module(_) => return None,
    };
    if item == user {
        return None;
    }
    let head = item_head(db, item)?;
    let Some((variant, field)) = place else {
        let name = declared_name(&head)?.name.clone();
        return Some((name, reason(&head.attributes)?));
    };
    let (name, attributes) = match &head.body {
        ItemBody::Record(record) => {
            let field = record.fields.get(field? as usize)?;
            (&field.name, &field.attributes)
        }
        ItemBody::Error(error) => {
            let field = error.fields.get(field? as usize)?;
            (&field.name, &field.attributes)
        }
        ItemBody::Enum(declaration) => {
            let variant = declaration.variants.get(variant as usize)?;
            match field {
                Some(field) => {
                    let field = variant.fields.get(field as usize)?;
                    (&field.name, &field.attributes)
                }
                None => (&variant.name, &variant.attributes),
            }
        }
        ItemBody::Import(_)
        | ItemBody::Function(_)
        | ItemBody::Alias { .. }
        | ItemBody::Const(_)
        | ItemBody::Agent { .. }
        | ItemBody::Prompt { .. }
        | ItemBody::Workflow { .. }
        | ItemBody::Tool { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => return None,
    };
    Some((name.name.clone(), reason(attributes)?))
}

/// The argument of `@deprecated`.
fn reason(attributes: &[Attribute]) -> Option<Name> {
    let attribute = attributes.iter().find(|it| it.name.name == "deprecated")?;
    let [argument] = attribute.arguments.as_slice() else {
        return None;
    };
    let ExpressionKind::Literal(Literal::String(why)) = &argument.kind else {
        return None;
    };
    Some(why.clone())
}
