//! The names in scope outside of locals.

use gsw_names::{
    Definition, is_private, is_std, module_scope, resolve_name, variants_named, visible_names,
};
use gsw_source::{File, ItemId, ItemKind};

use super::auto_import::importable;
use super::item::{Calling, Completion, CompletionKind, Insert, of_item, of_variant};
use super::{Cursor, fits};

/// What names may be named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Whatever has a value or leads to one.
    Values,
    Types,
    Errors,
    Only(ItemKind),
}

/// The names that `cursor`'s file sees.
pub fn names(cursor: &Cursor<'_>, wanted: Wanted, calling: Calling, rank: u8) -> Vec<Completion> {
    let db = cursor.db;
    let mut found = Vec::new();
    for name in visible_names(db, cursor.file) {
        // Before its head is put into words, of which there would be some hundred.
        if name.starts_with("__") || !fits(&name, cursor.prefix) {
            continue;
        }
        match resolve_name(db, cursor.file, &name) {
            Some(Definition::Item(item)) if is_hidden(cursor, item) => {}
            Some(Definition::Item(item)) if is_wanted(cursor, item, wanted) => {
                let rank = rank + distance(cursor, item, wanted);
                found.push(of_item(db, &name, item, calling, rank));
            }
            Some(Definition::Module(module)) if leads_to(cursor, module, wanted) => {
                let shown = gsw_names::shown_module(db, module);
                let completion = Completion::new(name.as_str(), CompletionKind::Module, rank);
                found.push(completion.detail(format!("import {shown}")));
            }
            Some(Definition::Item(_) | Definition::Variant { .. } | Definition::Module(_))
            | None => {}
        }
        if wanted == Wanted::Values {
            // A type of the same name does not hide a variant.
            for (item, variant) in variants_named(db, cursor.file, &name) {
                found.extend(of_variant(db, *item, *variant, rank + 1));
            }
        }
    }
    found
}

/// How much less likely a declaration is than its like: where any value may stand, errors are named after `fail` alone, and what the
/// library brings to each file comes after what the file or its imports declare.
fn distance(cursor: &Cursor<'_>, item: ItemId, wanted: Wanted) -> u8 {
    let is_library = u8::from(is_std(cursor.db, item.file(cursor.db)));
    match (wanted, item.kind(cursor.db)) {
        (Wanted::Values, ItemKind::Error) => 2 + is_library,
        (Wanted::Values | Wanted::Types | Wanted::Errors | Wanted::Only(_), _) => is_library,
    }
}

/// What has a kind, in scope or with the import that brings it.
pub fn of_kind(cursor: &Cursor<'_>, kind: ItemKind, rank: u8) -> Vec<Completion> {
    let wanted = Wanted::Only(kind);
    let mut found = names(cursor, wanted, Calling::Name, rank);
    found.extend(importable(cursor, wanted));
    found
}

/// What a test can mock by name: declarations that ask someone, and modules whose functions reach outside.
pub fn mocked(cursor: &Cursor<'_>) -> Vec<Completion> {
    let mut found = names(cursor, Wanted::Values, Calling::Name, 1);
    found.extend(importable(cursor, Wanted::Values));
    found.retain(|it| match it.kind {
        CompletionKind::Module => true,
        CompletionKind::Item(kind) => kind.is_callable() || kind == ItemKind::Mcp,
        CompletionKind::Variable
        | CompletionKind::Field
        | CompletionKind::Method
        | CompletionKind::Variant
        | CompletionKind::Keyword
        | CompletionKind::Snippet
        | CompletionKind::Setting
        | CompletionKind::Text => false,
    });
    for it in &mut found {
        let is_called = !matches!(
            it.kind,
            CompletionKind::Module | CompletionKind::Item(ItemKind::Mcp)
        );
        if is_called {
            it.insert = Insert::Snippet(format!("{}(${{1:..}}) -> $0", it.label));
        }
    }
    let agent = Completion::new("agent", CompletionKind::Snippet, 0);
    found.push(agent.snippet("agent $1 {\n  $0\n}"));
    found
}

/// Whether what is wanted may be in a module.
pub fn leads_to(cursor: &Cursor<'_>, module: File, wanted: Wanted) -> bool {
    let mut items = module_scope(cursor.db, module).items.values();
    items.any(|it| is_wanted(cursor, *it, wanted) && !is_hidden(cursor, *it))
}

/// Whether it is private to another file, as the library's own means are.
fn is_hidden(cursor: &Cursor<'_>, item: ItemId) -> bool {
    item.file(cursor.db) != cursor.file && is_private(cursor.db, item)
}

pub fn is_wanted(cursor: &Cursor<'_>, item: ItemId, wanted: Wanted) -> bool {
    let kind = item.kind(cursor.db);
    match wanted {
        Wanted::Only(only) => kind == only,
        Wanted::Errors => kind == ItemKind::Error,
        Wanted::Types => kind.is_type(),
        Wanted::Values => !matches!(
            kind,
            ItemKind::Import
                | ItemKind::Alias
                | ItemKind::Hook
                | ItemKind::Skill
                | ItemKind::Test
                | ItemKind::Permissions
                | ItemKind::Invalid
        ),
    }
}
