//! `typeHierarchy/…`: which types are a narrower form of another one. The variants of an enum are, and a `type` that narrows a declared
//! one, by a `where` say.

use gsw_names::types::Type;
use gsw_names::{alias_target, type_declaration};
use gsw_source::{Db, File, ItemId, ItemKind, Location};
use gsw_syntax::file_item_ids;

use crate::cursor::{cursor, located};
use crate::document_symbol::SymbolKind;
use crate::references::files_that_may_name;
use crate::symbol::{Symbol, declaration};
use crate::type_definition::{declared_in, symbol_type};

/// A type, or a variant of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeItem {
    pub symbol: Symbol,
    pub name: String,
    pub kind: SymbolKind,
    /// Of its name.
    pub location: Location,
}

/// The type or variant that the name at `offset` means, else the declared type of what it stands for.
#[must_use]
pub fn prepare_type_hierarchy(db: &dyn Db, file: File, offset: u32) -> Option<TypeItem> {
    let symbol = cursor(db, file, offset)?.symbol;
    type_item(db, symbol).or_else(|| {
        let ty = symbol_type(db, symbol)?;
        type_item(db, Symbol::Item(*declared_in(&ty).first()?))
    })
}

/// What `symbol` is a narrower form of.
#[must_use]
pub fn supertypes(db: &dyn Db, symbol: Symbol) -> Vec<TypeItem> {
    let above = match symbol {
        Symbol::Variant { item, .. } => Some(item),
        Symbol::Item(item) => narrowed(db, item),
        Symbol::Local { .. } | Symbol::Field { .. } | Symbol::Module(_) => None,
    };
    let found = above.and_then(|it| type_item(db, Symbol::Item(it)));
    found.into_iter().collect()
}

/// What is a narrower form of `symbol`.
#[must_use]
pub fn subtypes(db: &dyn Db, symbol: Symbol) -> Vec<TypeItem> {
    let Symbol::Item(target) = symbol else {
        return Vec::new();
    };
    let variants = variants(db, target);
    let files = files_that_may_name(db, symbol).into_iter();
    let items = files.flat_map(|it| file_item_ids(db, it));
    let narrower = items
        .copied()
        .filter(|it| narrowed(db, *it) == Some(target));
    let all = variants.into_iter().chain(narrower.map(Symbol::Item));
    all.filter_map(|it| type_item(db, it)).collect()
}

fn variants(db: &dyn Db, item: ItemId) -> Vec<Symbol> {
    if item.kind(db) != ItemKind::Enum {
        return Vec::new();
    }
    let variants = type_declaration(db, item).declaration.variants();
    let numbers = (0..).zip(variants);
    numbers
        .map(|(variant, _)| Symbol::Variant { item, variant })
        .collect()
}

/// The declared type that an alias is a form of.
fn narrowed(db: &dyn Db, item: ItemId) -> Option<ItemId> {
    if item.kind(db) != ItemKind::Alias {
        return None;
    }
    let target = alias_target(db, item);
    if let Type::Record(target, _) | Type::Enum(target, _) | Type::Checked(target, _) = target {
        return Some(target);
    }
    None
}

fn type_item(db: &dyn Db, symbol: Symbol) -> Option<TypeItem> {
    let (name, kind) = match symbol {
        Symbol::Item(item) => {
            let kind = item.kind(db);
            let named = (item.name(db).to_string(), SymbolKind::Item(kind));
            kind.is_data().then_some(named)?
        }
        Symbol::Variant { item, variant } => {
            let variants = type_declaration(db, item).declaration.variants();
            let name = &variants.get(variant as usize)?.name;
            let name = format!("{}.{name}", item.name(db));
            (name, SymbolKind::Variant)
        }
        Symbol::Local { .. } | Symbol::Field { .. } | Symbol::Module(_) => return None,
    };
    let location = located(db, declaration(db, symbol)?);
    Some(TypeItem {
        symbol,
        name,
        kind,
        location,
    })
}
