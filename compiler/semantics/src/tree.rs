//! The one door to the syntax trees of items.

use std::sync::Arc;

use gsw_source::{Db, ItemId};
use gsw_syntax::ast::Item;

/// The tree of `item`; `None` for an id that its file holds no more.
pub(crate) fn item_tree(db: &dyn Db, item: ItemId) -> Option<Arc<Item>> {
    gsw_syntax::item_ast(db, item)
}
