//! Patterns: the variants and literals of what is matched, and the errors of a `catch`.

use gsw_names::types::Type;
use gsw_names::{TypeDeclarationKind, type_declaration};
use gsw_source::{ItemId, ItemKind};

use super::Cursor;
use super::expression::values_of;
use super::item::{Calling, Completion, CompletionKind, of_item};
use super::name::{Wanted, names};

pub fn patterns(cursor: &Cursor<'_>, item: ItemId, ty: Option<&Type>) -> Vec<Completion> {
    let mut found = match ty {
        Some(Type::Error) => errors(cursor, item),
        Some(Type::Record(record, _)) => record_pattern(cursor, *record),
        Some(ty) => {
            let mut values = values_of(cursor, ty);
            values.iter_mut().for_each(name_payload);
            values
        }
        None => names(cursor, Wanted::Values, Calling::Name, 4)
            .into_iter()
            .filter(|it| {
                matches!(
                    it.kind,
                    CompletionKind::Variant | CompletionKind::Item(ItemKind::Const)
                )
            })
            .collect(),
    };
    found.push(Completion::new("_", CompletionKind::Keyword, 6).detail("everything else"));
    found
}

/// `High($0)` of an expression becomes `High(why)`: a pattern names what it takes.
fn name_payload(it: &mut Completion) {
    let names = it.detail.as_deref().and_then(payload_names);
    if let Some(names) = names
        && it.insert.ends_with("($0)")
    {
        it.insert = format!("{}({names})", it.label);
    }
}

/// `a, b` of `E.V(a: int, b: string)`.
fn payload_names(head: &str) -> Option<String> {
    let (_, payload) = head.split_once('(')?;
    let fields = payload.strip_suffix(')')?.split(", ");
    let names: Vec<&str> = fields
        .filter_map(|it| it.split_once(": ").map(|(name, _)| name))
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The errors that can be caught: those in scope, and the family of what a model's call raises.
fn errors(cursor: &Cursor<'_>, _: ItemId) -> Vec<Completion> {
    let db = cursor.db;
    let mut found: Vec<Completion> = gsw_names::visible_names(db, cursor.file)
        .iter()
        .filter_map(
            |name| match gsw_names::resolve_name(db, cursor.file, name)? {
                gsw_names::Definition::Item(item) if item.kind(db) == ItemKind::Error => {
                    let completion = of_item(db, name, item, Calling::Name, 1);
                    let TypeDeclarationKind::Record(fields) =
                        &type_declaration(db, item).declaration.kind
                    else {
                        return Some(completion);
                    };
                    let names: Vec<&str> = fields.iter().map(|it| it.name.as_str()).collect();
                    Some(match names.is_empty() {
                        true => completion,
                        false => completion.insert(format!("{name}({})", names.join(", "))),
                    })
                }
                gsw_names::Definition::Item(_)
                | gsw_names::Definition::Variant { .. }
                | gsw_names::Definition::Module(_) => None,
            },
        )
        .collect();
    found.push(
        Completion::new("ModelError", CompletionKind::Item(ItemKind::Error), 2)
            .detail("every error of a model's call"),
    );
    found
}

/// A record taken apart into all of its fields.
fn record_pattern(cursor: &Cursor<'_>, record: ItemId) -> Vec<Completion> {
    let TypeDeclarationKind::Record(fields) = &type_declaration(cursor.db, record).declaration.kind
    else {
        return Vec::new();
    };
    let names: Vec<&str> = fields.iter().map(|it| it.name.as_str()).collect();
    let name = record.name(cursor.db);
    let text = format!("{name} {{ {} }}", names.join(", "));
    let completion = Completion::new(name.as_str(), CompletionKind::Item(ItemKind::Record), 0);
    vec![completion.insert(text)]
}
