//! Types, and the errors of a signature.

use gsw_names::built_in_types;
use gsw_source::ItemId;
use gsw_syntax::item_ast;

use super::Cursor;
use super::auto_import::importable;
use super::item::{Calling, Completion, CompletionKind, model_errors};
use super::name::{Wanted, names};
use super::site::ErrorsOnly;

/// The modules that have types.
pub fn modules(cursor: &Cursor<'_>, errors: ErrorsOnly) -> Vec<Completion> {
    let wanted = wanted(errors);
    let mut found = names(cursor, wanted, Calling::Name, 0);
    found.extend(importable(cursor, wanted));
    found.retain(|it| it.kind == CompletionKind::Module);
    found
}

const fn wanted(errors: ErrorsOnly) -> Wanted {
    match errors {
        ErrorsOnly::Yes => Wanted::Errors,
        ErrorsOnly::No => Wanted::Types,
    }
}

pub fn types(cursor: &Cursor<'_>, item: ItemId, errors: ErrorsOnly) -> Vec<Completion> {
    let wanted = wanted(errors);
    let mut found = names(cursor, wanted, Calling::Name, 2);
    found.extend(importable(cursor, wanted));
    match errors {
        ErrorsOnly::Yes => found.push(model_errors()),
        ErrorsOnly::No => {
            for (name, arguments) in built_in_types() {
                // Everyday types first, then what the language hands out.
                let is_plain = name.starts_with(|it: char| it.is_ascii_lowercase());
                let rank = if is_plain { 1 } else { 3 };
                let completion = Completion::new(name, CompletionKind::Keyword, rank);
                found.push(match arguments {
                    0 => completion,
                    _ => completion.snippet(format!("{name}<$0>")),
                });
            }
            let function = Completion::new("fn", CompletionKind::Snippet, 2);
            found.push(function.snippet("fn($1) -> $0"));
            let tree = item_ast(cursor.db, item);
            for name in tree.iter().flat_map(|it| it.body.generics()) {
                found.push(Completion::new(
                    name.name.as_str(),
                    CompletionKind::Variable,
                    0,
                ));
            }
        }
    }
    found
}
