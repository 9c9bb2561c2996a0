//! What is at a place: the item, the name in it, the nodes of the syntax tree around it.

use gsw_source::{Db, File, ItemId, Place, Span};
use gsw_syntax::ast::{Child, Item, children, item_children};
use gsw_syntax::{item_ast, item_offset};

use crate::symbol::{Occurrence, Symbol, occurrences};

/// A resolved name at a place.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    /// The item that it is in.
    pub item: ItemId,
    /// The name, relative to the item.
    pub span: Span,
    pub symbol: Symbol,
}

/// The item whose text holds the byte at `offset`, and the offset in it.
pub fn item_at(db: &dyn Db, file: File, offset: u32) -> Option<(ItemId, u32)> {
    let items = gsw_syntax::file_item_ids(db, file);
    // Where one ends and the next begins, the next is meant.
    let after = items.partition_point(|it| item_offset(db, *it) <= offset);
    let item = items[..after].last().copied()?;
    let inside = offset - item_offset(db, item);
    let tree = item_ast(db, item)?;
    tree.span.touches(inside).then_some((item, inside))
}

/// The narrowest resolved name at `offset`.
pub fn cursor(db: &dyn Db, file: File, offset: u32) -> Option<Cursor> {
    let (item, inside) = item_at(db, file, offset)?;
    let all = occurrences(db, item);
    let touching = all.iter().filter(|it| it.span.touches(inside));
    touching
        .min_by_key(|it| (it.span.end - it.span.start, it.span.start))
        .map(|Occurrence { span, symbol, .. }| Cursor {
            item,
            span: *span,
            symbol: *symbol,
        })
}

/// A span of an item as one of its file.
pub fn in_file(db: &dyn Db, item: ItemId, span: Span) -> Span {
    span.shifted(item_offset(db, item))
}

/// The file and the span in it of a place.
pub fn located(db: &dyn Db, place: Place) -> gsw_source::Location {
    let (file, span) = gsw_syntax::locate(db, place);
    gsw_source::Location { file, span }
}

/// The span of a node of the tree; `None` for a name, whose span is given by the node around it.
pub fn node_span(node: Child<'_>) -> Option<Span> {
    match node {
        Child::Expression(it) => Some(it.span),
        Child::Statement(it) => Some(it.span),
        Child::Pattern(it) => Some(it.span),
        Child::Type(it) => Some(it.span),
        Child::Name(_) => None,
    }
}

/// The nodes around the byte at `inside`, from the outermost.
pub fn nodes_at(item: &Item, inside: u32) -> Vec<Child<'_>> {
    let mut path = Vec::new();
    let mut level = item_children(item);
    loop {
        let touching = level
            .into_iter()
            .filter(|it| node_span(*it).is_some_and(|span| span.touches(inside)));
        // Of two that meet at the cursor the narrower one is meant.
        let Some(node) = touching.min_by_key(|it| node_span(*it).map(|it| it.end - it.start))
        else {
            return path;
        };
        path.push(node);
        level = children(node);
    }
}

/// Calls `visit` with every node of `item`, parents first.
pub fn visit_nodes<'tree>(item: &'tree Item, mut visit: impl FnMut(Child<'tree>)) {
    let mut waiting = item_children(item);
    waiting.reverse();
    while let Some(node) = waiting.pop() {
        visit(node);
        waiting.extend(children(node).into_iter().rev());
    }
}
