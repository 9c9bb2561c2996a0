//! Which errors declarations raise that a piece of code names.

use gsw_analysis::item_summary;
use gsw_source::{Db, ItemId, Name, Span};

use crate::symbol::{Occurrence, Role, Symbol, occurrences};

/// The errors of the items that these name, each once, sorted by name.
pub fn raised_by(db: &dyn Db, named: impl IntoIterator<Item = Occurrence>) -> Vec<(Name, ItemId)> {
    let mut errors: Vec<(Name, ItemId)> = Vec::new();
    for it in named {
        let Symbol::Item(item) = it.symbol else {
            continue;
        };
        for kind in &item_summary(db, item).item.errors.kinds {
            // Two modules may have an error of one name.
            if errors.iter().all(|(_, known)| *known != kind.item) {
                errors.push((kind.name.clone(), kind.item));
            }
        }
    }
    errors.sort_by(|a, b| a.0.cmp(&b.0));
    errors
}

/// The errors of what is named in `span` of an item.
pub fn raised_in(db: &dyn Db, item: ItemId, span: Span) -> Vec<(Name, ItemId)> {
    let all = occurrences(db, item).into_iter();
    raised_by(
        db,
        all.filter(|it| it.role == Role::Use && span.holds(it.span)),
    )
}
