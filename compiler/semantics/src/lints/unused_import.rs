//! Imports that bring names which nothing mentions.

use gsw_source::{Db, Diagnostic, File, ItemId, Name, Place, Span};
use gsw_syntax::ast::{Import, ItemBody};
use gsw_syntax::file_item_ids;

use crate::errors;
use crate::import::imports;
use crate::mention::mentioned_names;
use crate::module::module_file;
use crate::scope::{is_private, module_scope};
use crate::tree::item_tree;

/// Warnings about imports of `file`.
pub fn unused_imports(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let imports = imports(db, file);
    if imports.is_empty() {
        return Vec::new();
    }
    let items = file_item_ids(db, file);
    let is_mentioned = |name: &Name| {
        items
            .iter()
            .any(|it| mentioned_names(db, *it).contains(name))
    };
    let mut found = Vec::new();
    for (item, import) in imports {
        let Some(target) = module_file(db, file, &import.path) else {
            continue;
        };
        found.extend(unused_in(db, item, &import, target, &is_mentioned));
    }
    found
}

fn unused_in(
    db: &dyn Db,
    item: ItemId,
    import: &Import,
    target: File,
    is_mentioned: &dyn Fn(&Name) -> bool,
) -> Vec<Diagnostic> {
    let place = |span: Span| Place::Item { item, span };
    let whole = item_tree(db, item).map_or(import.path_span, |it| it.span);
    let Some(names) = &import.names else {
        let last = Name::new(import.path.rsplit('/').next().unwrap_or_default());
        let name = import.alias.as_ref().map_or(&last, |it| &it.name);
        let is_used = is_mentioned(name);
        let report = errors::unused_import(place(import.path_span), name).fix(
            "remove the import",
            place(whole),
            "",
        );
        return if is_used { Vec::new() } else { vec![report] };
    };
    let unused = names.iter().filter(|it| {
        let local = it.alias.as_ref().unwrap_or(&it.name);
        let declared = module_scope(db, target).items.get(&it.name.name);
        declared.is_some_and(|declared| {
            !is_private(db, *declared)
                && !is_mentioned(&local.name)
                && !has_mentioned_variant(db, *declared, is_mentioned)
        })
    });
    unused
        .map(|it| errors::unused_import(place(it.name.span), &it.name.name))
        .collect()
}

/// Importing an enum brings its variants, and one of these may be what is used.
fn has_mentioned_variant(db: &dyn Db, item: ItemId, is_mentioned: &dyn Fn(&Name) -> bool) -> bool {
    let tree = item_tree(db, item);
    match tree.as_deref().map(|it| &it.body) {
        Some(ItemBody::Enum(it)) => it
            .variants
            .iter()
            .any(|variant| is_mentioned(&variant.name.name)),
        _ => false,
    }
}
