//! The names of its file that an item mentions: which imports and private declarations are used.

use std::collections::BTreeSet;

use gsw_names::{ModuleScope, module_scope};
use gsw_source::{Db, ItemId, Name};
use gsw_syntax::ast::{Child, children, item_children};
use gsw_syntax::item_ast;

/// Whether `item` mentions what its file declares or imports under that name, or has a local of that name.
pub(crate) fn mentions(db: &dyn Db, item: ItemId, name: &str) -> bool {
    let names = mentioned_names(db, item);
    names.binary_search_by(|it| it.as_str().cmp(name)).is_ok()
}

/// The names in `item` that are looked up and that its file declares or imports: more than are used, since locals are not
/// distinguished. Sorted. All names would be most of the words of a program.
#[salsa::tracked(returns(deref))]
fn mentioned_names(db: &dyn Db, item: ItemId) -> Box<[Name]> {
    let Some(tree) = item_ast(db, item) else {
        return Box::default();
    };
    let scope = module_scope(db, item.file(db));
    let mut names: BTreeSet<&Name> = BTreeSet::new();
    let mut waiting = item_children(&tree);
    while let Some(node) = waiting.pop() {
        if let Child::Name(name) = node
            && is_known(scope, name)
        {
            names.insert(name);
        }
        waiting.extend(children(node));
    }
    names.into_iter().cloned().collect()
}

/// Whether a file declares or imports something under that name.
fn is_known(scope: &ModuleScope, name: &Name) -> bool {
    scope.items.contains_key(name)
        || scope.imports.contains_key(name)
        || scope.variants.contains_key(name)
}
