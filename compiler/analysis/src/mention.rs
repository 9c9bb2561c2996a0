//! The names that an item mentions and that may be looked up outside of it: which imports are used.

use std::collections::BTreeSet;

use gsw_source::{Db, ItemId, Name};
use gsw_syntax::ast::{Child, children, item_children};

use gsw_syntax::item_ast;

/// Every name in `item` that is looked up: more than are used, since locals are not distinguished.
#[salsa::tracked(returns(ref))]
pub(crate) fn mentioned_names(db: &dyn Db, item: ItemId) -> BTreeSet<Name> {
    let Some(tree) = item_ast(db, item) else {
        return BTreeSet::new();
    };
    let mut names = BTreeSet::new();
    let mut waiting = item_children(&tree);
    while let Some(node) = waiting.pop() {
        if let Child::Name(name) = node {
            names.insert(name.clone());
        }
        waiting.extend(children(node));
    }
    names
}
