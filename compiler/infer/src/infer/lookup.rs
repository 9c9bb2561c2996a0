//! Facts of declarations in the form that inference needs.

use gsw_names::types::Type;
use gsw_names::{
    KnownItem, Parameter, Signature, Variant, item_signature, substitute, type_declaration,
};
use gsw_source::{Db, ItemId, ItemKind, Name};
use gsw_syntax::ast::{FieldDeclaration, ItemBody};

/// The head of an item.
pub(super) fn signature(db: &dyn Db, item: ItemId) -> &Signature {
    &item_signature(db, item).signature
}

/// The fields of a record or the payload of an error.
pub(super) fn fields(db: &dyn Db, item: ItemId) -> &[Parameter] {
    type_declaration(db, item).declaration.fields()
}

/// The variants of an enum.
pub(super) fn variants(db: &dyn Db, item: ItemId) -> &[Variant] {
    type_declaration(db, item).declaration.variants()
}

/// Whether no variant of an enum has a payload.
pub(super) fn is_plain_enum(db: &dyn Db, item: ItemId) -> bool {
    variants(db, item).iter().all(|it| it.fields.is_empty())
}

/// The variant of that name.
pub(super) fn variant_named(db: &dyn Db, item: ItemId, name: &str) -> Option<u32> {
    let position = variants(db, item).iter().position(|it| it.name == name)?;
    u32::try_from(position).ok()
}

/// How many type parameters a type declaration has.
pub(super) fn arity(db: &dyn Db, item: ItemId) -> usize {
    type_declaration(db, item).declaration.generics.len()
}

/// What a checked alias stands for.
pub(super) fn alias_target(db: &dyn Db, item: ItemId, arguments: &[Type]) -> Option<Type> {
    (item.kind(db) == ItemKind::Alias)
        .then(|| substitute(&gsw_names::alias_target(db, item), arguments))
}

/// The enum that an item is, or stands for without a check.
pub(super) fn enum_of(db: &dyn Db, item: ItemId) -> Option<ItemId> {
    match item.kind(db) {
        ItemKind::Enum => Some(item),
        ItemKind::Alias => {
            let Type::Enum(target, _) = gsw_names::alias_target(db, item) else {
                return None;
            };
            Some(target)
        }
        ItemKind::Import
        | ItemKind::Function
        | ItemKind::Record
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
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => None,
    }
}

/// Whether an item is an error.
pub(super) fn is_error(db: &dyn Db, item: ItemId) -> bool {
    item.kind(db) == ItemKind::Error
}

/// The names of a record's fields that are worth naming: not what the library keeps for itself, nor what is deprecated.
pub(super) fn offered_fields(db: &dyn Db, item: ItemId) -> Vec<Name> {
    let Some(head) = gsw_names::item_head(db, item) else {
        return Vec::new();
    };
    let ItemBody::Record(record) = &head.body else {
        return Vec::new();
    };
    let is_deprecated = |it: &FieldDeclaration| {
        let mut attributes = it.attributes.iter();
        attributes.any(|it| it.name.name == "deprecated")
    };
    let fields = record.fields.iter();
    fields
        .filter(|it| !it.name.name.starts_with("private_") && !is_deprecated(it))
        .map(|it| it.name.name.clone())
        .collect()
}

/// Whether values of a type are the library's sets.
pub(super) fn is_set(db: &dyn Db, ty: &Type) -> bool {
    matches!(ty, Type::Record(item, _) if KnownItem::Set.is(db, *item))
}

/// The functions that make values of a type of the library that has no literal, as they are called; empty for other types.
pub(super) fn makers(db: &dyn Db, item: ItemId) -> Vec<String> {
    let file = item.file(db);
    if !gsw_names::is_std(db, file) || !offered_fields(db, item).is_empty() {
        return Vec::new();
    }
    let is_one = |ty: &Type| matches!(ty, Type::Record(of, _) if *of == item);
    let items = &gsw_names::module_scope(db, file).items;
    let makes = |it: &&Name| {
        let made = items.get(it.as_str());
        made.filter(|it| it.kind(db) == ItemKind::Function)
            .is_some_and(|made| {
                let signature = signature(db, *made);
                let first = signature.parameters.first();
                is_one(&signature.result) && !first.is_some_and(|it| is_one(&it.ty))
            })
    };
    let module = file.path(db).file_stem().unwrap_or_default();
    let shown = |it: &Name| match module.to_string_lossy().as_ref() {
        "prelude" => it.to_string(),
        module => format!("{module}.{it}"),
    };
    let names = gsw_names::member_names(db, file);
    names.iter().filter(makes).map(shown).collect()
}
