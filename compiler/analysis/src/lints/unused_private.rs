//! Private declarations that nothing in their module mentions. What can be started or asked by its name at run time is left out.

use gsw_infer::kind_text;
use gsw_names::{declared_name, is_private, is_std, module_scope};
use gsw_source::{Db, Diagnostic, File, ItemKind, Place};
use gsw_syntax::{file_item_ids, item_ast};

use super::unused_import::has_mentioned_variant;
use crate::errors;
use crate::mention::mentions;

/// Warnings about private declarations of `file`. What is declared for a type (`Order.total`) is left out: which type a name after a
/// dot belongs to is not known here.
pub fn unused_private(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    // The compiler itself calls some of the library.
    if is_std(db, file) {
        return found;
    }
    let items = file_item_ids(db, file);
    for (name, item) in &module_scope(db, file).items {
        if name.contains('.') || !is_private(db, *item) || is_started_by_name(item.kind(db)) {
            continue;
        }
        let others = || items.iter().filter(|it| *it != item);
        let is_mentioned = |name: &str| others().any(|it| mentions(db, *it, name));
        if is_mentioned(name) || has_mentioned_variant(db, *item, &|it| is_mentioned(it)) {
            continue;
        }
        let tree = item_ast(db, *item);
        let Some(declared) = tree.as_deref().and_then(declared_name) else {
            continue;
        };
        let place = Place::Item {
            item: *item,
            span: declared.span,
        };
        found.push(errors::unused_private(
            place,
            kind_text(item.kind(db)),
            name,
        ));
    }
    found
}

/// What `workflows.find`, a model or a command reaches without a mention in the source, and what has no name to mention.
fn is_started_by_name(kind: ItemKind) -> bool {
    match kind {
        ItemKind::Function
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const => false,
        ItemKind::Agent
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Human
        | ItemKind::External
        | ItemKind::Skill
        | ItemKind::Import
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => true,
    }
}
