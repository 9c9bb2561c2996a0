//! `textDocument/linkedEditingRange`: the places that change together while a variable is typed over: a local in its own item, unless a
//! call elsewhere names it as well.

use gsw_names::{Parameter, item_signature};
use gsw_source::{Db, File, ItemId, Span};
use gsw_syntax::file_item_ids;

use crate::cursor::{cursor, in_file};
use crate::meaning::{files_with_words, has_word};
use crate::symbol::{Symbol, declared_text, occurrences};

/// All places of the local at `offset`, in the file; none where its name also stands for a field, is no local's, or is in calls.
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
    let is_word = gsw_names::source_text(db, item, cursor.span) == "self";
    if item != cursor.item || is_shared || is_word || is_named_elsewhere(db, item, cursor.symbol) {
        return Vec::new();
    }
    own.into_iter().map(|it| in_file(db, item, it)).collect()
}

/// Whether another item names the local, which is a parameter then: its calls can name their arguments.
fn is_named_elsewhere(db: &dyn Db, item: ItemId, symbol: Symbol) -> bool {
    let (Some(name), Some(owner)) = (declared_text(db, symbol), item.name(db).rsplit('.').next())
    else {
        return false;
    };
    let is_parameter = |it: &Parameter| it.name == name;
    let signature = &item_signature(db, item).signature;
    if !signature.parameters.iter().any(is_parameter) {
        return false;
    }
    let files = files_with_words(db, &[owner]).into_iter();
    let mut files = files.filter(|it| has_word(it.text(db), &name));
    files.any(|file| {
        let mut items = file_item_ids(db, file).iter().filter(|it| **it != item);
        items.any(|it| occurrences(db, *it).iter().any(|it| it.symbol == symbol))
    })
}
