//! `textDocument/linkedEditingRange`: the places that change together while a variable is typed over: a local in its own item.

use gsw_source::{Db, File, Span};

use crate::cursor::{cursor, in_file};
use crate::symbol::{Symbol, occurrences};

/// All places of the local at `offset`, in the file; none where its name also stands for a field, or is no local's.
#[must_use]
pub fn linked_editing_range(db: &dyn Db, file: File, offset: u32) -> Vec<Span> {
    let Some(cursor) = cursor(db, file, offset) else {
        return Vec::new();
    };
    let Symbol::Local { item, .. } = cursor.symbol else {
        return Vec::new();
    };
    let all = occurrences(db, item);
    let own: Vec<Span> = all
        .iter()
        .filter(|it| it.symbol == cursor.symbol)
        .map(|it| it.span)
        .collect();
    let is_shared = all
        .iter()
        .any(|it| it.symbol != cursor.symbol && own.contains(&it.span));
    let is_word = matches!(
        &*gsw_names::source_text(db, item, cursor.span),
        "self" | "it"
    );
    if item != cursor.item || is_shared || is_word {
        return Vec::new();
    }
    own.into_iter().map(|it| in_file(db, item, it)).collect()
}
