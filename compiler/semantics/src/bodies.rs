//! The one door to the inferred bodies of items.

use gsw_source::{Db, ItemId};

use crate::infer::infer_item;
use crate::model::ItemBodies;

/// All bodies of `item`.
pub fn item_bodies(db: &dyn Db, item: ItemId) -> &ItemBodies {
    infer_item(db, item)
}
