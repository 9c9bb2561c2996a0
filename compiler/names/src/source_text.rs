//! Query `item_text`: the source text of an item.

use std::sync::Arc;

use gsw_source::{Db, ItemId, Name, Span};

/// The text of `item`, so that moving it changes nothing for those who quote it.
#[salsa::tracked(returns(ref))]
pub fn item_text(db: &dyn Db, item: ItemId) -> Arc<str> {
    let end = gsw_syntax::item_ast(db, item).map_or(0, |it| it.span.end as usize);
    let start = gsw_syntax::item_offset(db, item) as usize;
    let text = item.file(db).text(db);
    Arc::from(text.get(start..start + end).unwrap_or_default())
}

/// The text at `span` of `item`.
#[must_use]
pub fn source_text(db: &dyn Db, item: ItemId, span: Span) -> Name {
    let text = item_text(db, item);
    Name::new(
        text.get(span.start as usize..span.end as usize)
            .unwrap_or_default(),
    )
}
