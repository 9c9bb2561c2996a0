//! Secrets in what is shown: prompts go to models, questions to people, a workflow's result to whoever started it.

use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};

use crate::alias::alias_target;
use crate::declaration::item_signature;
use crate::declared_type::type_declaration;
use crate::errors;
use crate::model::{Parameter, TypeDeclarationKind};
use crate::tree::{declared_name, item_head};
use crate::types::Type;

pub(super) fn check_head(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    let word = match item.kind(db) {
        ItemKind::Workflow => "workflow",
        ItemKind::Prompt => "prompt",
        ItemKind::Human => "human",
        ItemKind::Tool => "tool",
        _ => return Vec::new(),
    };
    let signature = &item_signature(db, item).signature;
    let mut found = Vec::new();
    // A workflow is given its secrets by name.
    let shown = signature.parameters.iter().filter(|_| word != "workflow");
    for parameter in shown.filter(|it| holds_secret(db, &it.ty)) {
        let place = Place::Item {
            item,
            span: parameter.span,
        };
        found.push(errors::secret_exposed(
            place,
            &format!("a parameter of a {word}"),
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
            &format!("the result of a {word}"),
        ));
    }
    found
}

/// Whether a value of this type holds a secret.
pub(crate) fn holds_secret(db: &dyn Db, ty: &Type) -> bool {
    find(db, ty, &mut Vec::new())
}

fn find(db: &dyn Db, ty: &Type, seen: &mut Vec<ItemId>) -> bool {
    match ty {
        Type::Secret => true,
        Type::Optional(it) | Type::List(it) | Type::Map(_, it) => find(db, it, seen),
        Type::Tuple(them) => them.iter().any(|it| find(db, it, seen)),
        Type::Checked(item, _) => find(db, &alias_target(db, *item), seen),
        Type::Record(item, arguments) | Type::Enum(item, arguments) => {
            if arguments.iter().any(|it| find(db, it, seen)) {
                return true;
            }
            if seen.contains(item) {
                return false;
            }
            seen.push(*item);
            let mut in_fields =
                |fields: &[Parameter]| fields.iter().any(|it| find(db, &it.ty, seen));
            match &type_declaration(db, *item).declaration.kind {
                TypeDeclarationKind::Record(fields) => in_fields(fields),
                TypeDeclarationKind::Enum(variants) => {
                    variants.iter().any(|it| in_fields(&it.fields))
                }
                TypeDeclarationKind::Alias { .. } => false,
            }
        }
        _ => false,
    }
}
