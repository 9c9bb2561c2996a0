//! The one door to the syntax trees of items.

use std::sync::Arc;

use gsw_source::{Db, ItemId};
use gsw_syntax::ast::{Identifier, Item, ItemBody};

/// The tree of `item`; `None` for an id that its file holds no more.
pub(crate) fn item_tree(db: &dyn Db, item: ItemId) -> Option<Arc<Item>> {
    gsw_syntax::item_ast(db, item)
}

/// The declared name of an item, where it has one.
pub(crate) fn declared_name(item: &Item) -> Option<&Identifier> {
    Some(match &item.body {
        ItemBody::Function(it) => &it.signature.name,
        ItemBody::Record(it) => &it.name,
        ItemBody::Enum(it) => &it.name,
        ItemBody::Error(it) => &it.name,
        ItemBody::Const(it) => &it.name,
        ItemBody::Alias { name, .. }
        | ItemBody::Agent { name, .. }
        | ItemBody::Mcp { name, .. }
        | ItemBody::Hook { name, .. }
        | ItemBody::Skill { name } => name,
        ItemBody::Prompt { signature, .. }
        | ItemBody::Workflow { signature, .. }
        | ItemBody::Tool { signature, .. }
        | ItemBody::Human { signature, .. } => &signature.name,
        ItemBody::Import(_)
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => return None,
    })
}
