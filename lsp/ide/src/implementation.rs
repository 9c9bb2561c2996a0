//! `textDocument/implementation`: of a type its methods, of an error where it is raised, of anything else the declaration
//! itself.

use gsw_source::{Db, File, ItemId, ItemKind, Location};
use gsw_syntax::ast::{Child, ExpressionKind, ItemBody};
use gsw_syntax::{file_item_ids, item_ast};

use crate::cursor::{cursor, in_file, located, visit_nodes};
use crate::references::files_that_may_name;
use crate::symbol::{Symbol, declaration, occurrences};

#[must_use]
pub fn implementation(db: &dyn Db, file: File, offset: u32) -> Vec<Location> {
    let Some(cursor) = cursor(db, file, offset) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if let Symbol::Item(target) = cursor.symbol {
        for file in files_that_may_name(db, cursor.symbol) {
            for item in file_item_ids(db, file).iter().copied() {
                if item.kind(db) == ItemKind::Function {
                    found.extend(method(db, item, target));
                }
                if target.kind(db) == ItemKind::Error {
                    raised(db, item, target, &mut found);
                }
            }
        }
    }
    if found.is_empty() {
        found.extend(declaration(db, cursor.symbol).map(|it| located(db, it)));
    }
    found
}

/// The name of `item` if it is a method of `target`.
fn method(db: &dyn Db, item: ItemId, target: ItemId) -> Option<Location> {
    let tree = item_ast(db, item)?;
    let ItemBody::Function(function) = &tree.body else {
        return None;
    };
    let receiver = function.receiver.as_ref()?;
    let all = occurrences(db, item);
    let is_of_target = |it: &&crate::symbol::Occurrence| {
        it.span == receiver.span && it.symbol == Symbol::Item(target)
    };
    all.iter().find(is_of_target)?;
    let file = item.file(db);
    let span = in_file(db, item, function.signature.name.span);
    Some(Location { file, span })
}

/// The places of `item` at which `target` is raised.
fn raised(db: &dyn Db, item: ItemId, target: ItemId, found: &mut Vec<Location>) {
    let Some(tree) = item_ast(db, item) else {
        return;
    };
    let all = occurrences(db, item);
    let names_target = |at: u32| {
        let mut touching = all.iter().filter(|it| it.span.touches(at));
        touching.any(|it| it.symbol == Symbol::Item(target))
    };
    let file = item.file(db);
    visit_nodes(&tree, |node| {
        if let Child::Expression(it) = node
            && let ExpressionKind::Fail(error) = &it.kind
            && names_target(error.span.start)
        {
            let span = in_file(db, item, it.span);
            found.push(Location { file, span });
        }
    });
}
