//! Which errors declarations raise that a piece of code names.

use gsw_analysis::item_summary;
use gsw_source::{Db, ItemId, Name, Span};

use crate::symbol::{Role, Symbol, occurrences};

/// The errors that these raise, each once, sorted by name.
pub fn raised_by(db: &dyn Db, items: impl IntoIterator<Item = ItemId>) -> Vec<(Name, ItemId)> {
    let mut errors: Vec<(Name, ItemId)> = Vec::new();
    for item in items {
        let kinds = &item_summary(db, item).item.errors.kinds;
        errors.extend(kinds.iter().map(|it| (it.name.clone(), it.item)));
    }
    errors.sort_by(|a, b| a.0.cmp(&b.0));
    errors.dedup_by(|a, b| a.1 == b.1);
    errors
}

/// The errors of what is named in `span` of an item.
pub fn raised_in(db: &dyn Db, item: ItemId, span: Span) -> Vec<(Name, ItemId)> {
    let all = occurrences(db, item).into_iter();
    let used = all.filter(|it| it.role == Role::Use && span.holds(it.span));
    let named = used.filter_map(|it| {
        if let Symbol::Item(named) = it.symbol {
            return Some(named);
        }
        None
    });
    raised_by(db, named)
}
