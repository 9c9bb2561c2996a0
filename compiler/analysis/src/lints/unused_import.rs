//! Imports that bring names which nothing mentions.

use gsw_names::{import_name, imports, is_private, module_file, module_scope, with_line_end};
use gsw_source::{Db, Diagnostic, File, ItemId, Name, Place, Span};
use gsw_syntax::ast::{Import, ImportedName, ItemBody};
use gsw_syntax::{file_item_ids, item_ast};

use crate::errors;
use crate::mention::mentions;

/// Warnings about imports of `file`.
pub fn unused_imports(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let imports = imports(db, file);
    if imports.is_empty() {
        return Vec::new();
    }
    let items = file_item_ids(db, file);
    let is_mentioned = |name: &Name| items.iter().any(|it| mentions(db, *it, name));
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
    let whole = item_ast(db, item).map_or(import.path_span, |it| it.span);
    let whole = with_line_end(db, item, whole);
    // A name that is declared here as well is reported as such.
    let own = &module_scope(db, item.file(db)).items;
    let is_declared = |name: &Name| own.contains_key(name);
    let Some(names) = &import.names else {
        let name = import_name(import);
        let report = errors::unused_import(place(import.path_span), place(whole), &name);
        let is_used = is_mentioned(&name) || is_declared(&name);
        return if is_used { Vec::new() } else { vec![report] };
    };
    let unused = names.iter().filter(|it| {
        let local = it.alias.as_ref().unwrap_or(&it.name);
        let declared = module_scope(db, target).items.get(&it.name.name);
        declared.is_some_and(|declared| {
            !is_declared(&local.name)
                && !is_private(db, *declared)
                && !is_mentioned(&local.name)
                && !has_mentioned_variant(db, *declared, is_mentioned)
        })
    });
    unused
        .map(|it| {
            let removed = removal(names, it).unwrap_or(whole);
            errors::unused_import(place(it.name.span), place(removed), &it.name.name)
        })
        .collect()
}

/// What is taken away with one of several names in braces: it and the comma beside it; `None` when it is the only one.
fn removal(names: &[ImportedName], name: &ImportedName) -> Option<Span> {
    let end = |it: &ImportedName| it.alias.as_ref().map_or(it.name.span.end, |it| it.span.end);
    let index = names.iter().position(|it| it == name)?;
    match (index.checked_sub(1), names.get(index + 1)) {
        (Some(before), _) => Some(Span::new(end(&names[before]), end(name))),
        (None, Some(after)) => Some(Span::new(name.name.span.start, after.name.span.start)),
        (None, None) => None,
    }
}

/// Importing an enum brings its variants, and one of these may be what is used.
pub(super) fn has_mentioned_variant(
    db: &dyn Db,
    item: ItemId,
    is_mentioned: &dyn Fn(&Name) -> bool,
) -> bool {
    let tree = item_ast(db, item);
    let Some(ItemBody::Enum(declared)) = tree.as_deref().map(|it| &it.body) else {
        return false;
    };
    let mut variants = declared.variants.iter();
    variants.any(|it| is_mentioned(&it.name.name))
}
