//! What stands at a place: the item, and the name in it that inference resolved.

use gsw_infer::Reference;
use gsw_source::{Db, File, ItemId, Span};
use gsw_syntax::{item_ast, item_offset};

/// A resolved name at a place.
pub struct Cursor {
    /// The item that it stands in.
    pub item: ItemId,
    /// The name, relative to the item.
    pub span: Span,
    pub reference: Reference,
}

/// The item whose text holds the byte at `offset`, and the offset in it.
pub fn item_at(db: &dyn Db, file: File, offset: u32) -> Option<(ItemId, u32)> {
    gsw_syntax::file_item_ids(db, file)
        .iter()
        .find_map(|&item| {
            let inside = offset.checked_sub(item_offset(db, item))?;
            let ast = item_ast(db, item)?;
            ast.span.touches(inside).then_some((item, inside))
        })
}

/// The narrowest resolved name at `offset`.
pub fn cursor(db: &dyn Db, file: File, offset: u32) -> Option<Cursor> {
    let (item, inside) = item_at(db, file, offset)?;
    gsw_infer::infer_item(db, item)
        .references
        .iter()
        .filter(|(span, _)| span.touches(inside))
        .min_by_key(|(span, _)| span.end - span.start)
        .map(|(span, reference)| Cursor {
            item,
            span: *span,
            reference: *reference,
        })
}

/// A span of an item as one of its file.
pub fn in_file(db: &dyn Db, item: ItemId, span: Span) -> Span {
    span.shifted(item_offset(db, item))
}
