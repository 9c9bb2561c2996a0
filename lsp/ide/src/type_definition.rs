//! `textDocument/typeDefinition`: where the types of the expression or name at a place are declared.

use gsw_names::types::{self, Type};
use gsw_names::{item_signature, type_declaration};
use gsw_source::{Db, File, ItemId, ItemKind, Location, Place};

use crate::cursor::{cursor, item_at, located};
use crate::declared_name::name_span;
use crate::expression_type::{local_type, narrowest};
use crate::symbol::Symbol;

/// The declarations of the types that the expression at `offset` has or is made of.
#[must_use]
pub fn type_definition(db: &dyn Db, file: File, offset: u32) -> Vec<Location> {
    let ty = match cursor(db, file, offset) {
        Some(cursor) => symbol_type(db, cursor.symbol),
        None => None,
    };
    let ty = ty.or_else(|| {
        let (item, inside) = item_at(db, file, offset)?;
        narrowest(db, item, inside)
    });
    let declared = ty.map(|it| declared_in(&it)).unwrap_or_default();
    declared
        .into_iter()
        .filter_map(|item| {
            let span = name_span(db, item)?;
            Some(located(db, Place::Item { item, span }))
        })
        .collect()
}

/// The type of what a symbol stands for: of a function that of its result.
pub fn symbol_type(db: &dyn Db, symbol: Symbol) -> Option<Type> {
    match symbol {
        Symbol::Local { item, declared } => local_type(db, item, declared),
        Symbol::Item(item) => Some(match item.kind(db) {
            ItemKind::Record | ItemKind::Error => Type::Record(item, [].into()),
            ItemKind::Enum => Type::Enum(item, [].into()),
            ItemKind::Alias => Type::Checked(item, [].into()),
            ItemKind::Import
            | ItemKind::Function
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
            | ItemKind::Invalid => item_signature(db, item).signature.result.clone(),
        }),
        Symbol::Variant { item, .. } => Some(Type::Enum(item, [].into())),
        Symbol::Field {
            item,
            variant,
            field,
        } => {
            let fields = type_declaration(db, item).declaration.fields_of(variant);
            fields.get(field as usize).map(|it| it.ty.clone())
        }
        Symbol::Module(_) => None,
    }
}

/// The declared types in `ty`, the outermost first.
pub fn declared_in(ty: &Type) -> Vec<ItemId> {
    let mut declared = Vec::new();
    collect(ty, &mut declared);
    declared
}

fn collect(ty: &Type, declared: &mut Vec<ItemId>) {
    if let Type::Record(item, _) | Type::Enum(item, _) | Type::Checked(item, _) = ty
        && !declared.contains(item)
    {
        declared.push(*item);
    }
    for part in types::parts(ty) {
        collect(&part, declared);
    }
}
