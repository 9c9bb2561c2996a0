//! Which errors what stands in a piece of code raises, by what it names.

use gsw_analysis::item_summary;
use gsw_source::{Db, ItemId, Name, Span};

use crate::symbol::{Role, Symbol, occurrences};

/// The errors of what is named in `span` of an item, each once, sorted by name.
pub fn raised_in(db: &dyn Db, item: ItemId, span: Span) -> Vec<(Name, ItemId)> {
    let mut errors: Vec<(Name, ItemId)> = Vec::new();
    for it in occurrences(db, item) {
        let is_inside = span.start <= it.span.start && it.span.end <= span.end;
        if let (Symbol::Item(named), Role::Use, true) = (it.symbol, it.role, is_inside) {
            let kinds = &item_summary(db, named).item.errors.kinds;
            errors.extend(kinds.iter().map(|it| (it.name.clone(), it.item)));
        }
    }
    errors.sort_by(|a, b| a.0.cmp(&b.0));
    errors.dedup_by(|a, b| a.0 == b.0);
    errors
}
