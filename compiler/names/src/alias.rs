//! Aliases: what they stand for, with cycles among them found before anything is expanded.

use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind};
use gsw_syntax::{ast, file_item_ids};
use rustc_hash::FxHashMap;

use crate::cycle::{cycles, on_cycles};
use crate::generics::generics_of;
use crate::lower_type::lower_type;
use crate::scope::{Definition, resolve_member, resolve_name};
use crate::tree::item_head;
use crate::types::Type;

/// What the alias `item` stands for, over its own type parameters; invalid when it stands for itself.
pub fn alias_target(db: &dyn Db, item: ItemId) -> Type {
    lowered_alias(db, item).0.clone()
}

/// What is wrong in the target of the alias `item`.
pub(crate) fn alias_diagnostics(db: &dyn Db, item: ItemId) -> &[Diagnostic] {
    &lowered_alias(db, item).1
}

/// Whether the alias `item` has a `where`.
pub fn has_check(db: &dyn Db, item: ItemId) -> bool {
    let ast = item_head(db, item);
    ast.is_some_and(|ast| matches!(&ast.body, ast::ItemBody::Alias { check: Some(_), .. }))
}

#[salsa::tracked(returns(ref))]
fn lowered_alias(db: &dyn Db, item: ItemId) -> (Type, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let Some(ast) = item_head(db, item) else {
        return (Type::Invalid, diagnostics);
    };
    let ast::ItemBody::Alias { target, name, .. } = &ast.body else {
        return (Type::Invalid, diagnostics);
    };
    let endless = endless_aliases(db, item.file(db));
    if let Some(cycle) = endless.get(&item) {
        let mut items = file_item_ids(db, item.file(db)).iter();
        // A cycle is one mistake, reported where it is read first.
        if items.find(|it| endless.get(it) == Some(cycle)) != Some(&item) {
            return (Type::Invalid, diagnostics);
        }
        let place = gsw_source::Place::Item {
            item,
            span: name.span,
        };
        diagnostics.push(crate::errors::infinite_type(place, &name.name));
        return (Type::Invalid, diagnostics);
    }
    let generics = generics_of(db, item);
    let ty = lower_type(db, item.file(db), &generics, target, &mut diagnostics, item);
    (ty, diagnostics)
}

/// The aliases that stand for themselves, each with the number of its cycle, among those of a file and what they lead to. One walk for all of a file, over the
/// written types only, so that a cycle of aliases is no cycle of queries.
#[salsa::tracked(returns(ref))]
fn endless_aliases(db: &dyn Db, file: File) -> FxHashMap<ItemId, u32> {
    let items = file_item_ids(db, file).iter().copied();
    let aliases: Vec<ItemId> = items.filter(|it| it.kind(db) == ItemKind::Alias).collect();
    let targets = |alias| {
        let mut named = Vec::new();
        if let Some(ast) = item_head(db, alias)
            && let ast::ItemBody::Alias { target, .. } = &ast.body
        {
            collect_aliases(db, alias, target, &mut named);
        }
        named
    };
    let endless = on_cycles(aliases.iter().copied(), targets);
    if endless.is_empty() {
        return FxHashMap::default();
    }
    let mut numbered = cycles(aliases, targets);
    numbered.retain(|it, _| endless.contains(it));
    numbered
}

fn collect_aliases(db: &dyn Db, item: ItemId, ty: &ast::TypeExpression, to: &mut Vec<ItemId>) {
    use ast::TypeExpressionKind as Kind;
    match &ty.kind {
        Kind::Named { path, arguments } => {
            to.extend(named_alias(db, item, path));
            for argument in arguments {
                collect_aliases(db, item, argument, to);
            }
        }
        Kind::Optional(inside) | Kind::List(inside) => collect_aliases(db, item, inside, to),
        Kind::Map { key, value } => {
            collect_aliases(db, item, key, to);
            collect_aliases(db, item, value, to);
        }
        Kind::Tuple(them) | Kind::Union(them) => {
            for it in them {
                collect_aliases(db, item, it, to);
            }
        }
        Kind::Function(function) => {
            for it in function.parameters.iter().chain(&function.result) {
                collect_aliases(db, item, it, to);
            }
        }
        Kind::Unit | Kind::Literal(_) | Kind::Invalid => {}
    }
}

fn named_alias(db: &dyn Db, item: ItemId, path: &[ast::Identifier]) -> Option<ItemId> {
    let file = item.file(db);
    let found = match path {
        [name] => resolve_name(db, file, &name.name),
        [module, name] => match resolve_name(db, file, &module.name)? {
            Definition::Module(target) => resolve_member(db, target, &name.name, file),
            Definition::Item(_) | Definition::Variant { .. } => None,
        },
        _ => None,
    };
    match found? {
        Definition::Item(found) if found.kind(db) == ItemKind::Alias => Some(found),
        Definition::Item(_) | Definition::Variant { .. } | Definition::Module(_) => None,
    }
}
