//! The name in a declaration.

use gsw_source::{Db, ItemId, Span};
use gsw_syntax::ast::{Item, ItemBody};
use gsw_syntax::item_ast;

/// Where the declared name of an item stands, relative to the item; `None` for one without a name.
pub fn name_span(db: &dyn Db, item: ItemId) -> Option<Span> {
    span_of(&*item_ast(db, item)?)
}

fn span_of(item: &Item) -> Option<Span> {
    let name = match &item.body {
        ItemBody::Import(it) => return Some(it.path_span),
        ItemBody::Test { name_span, .. } => return Some(*name_span),
        ItemBody::Permissions { .. } | ItemBody::Invalid => return None,
        ItemBody::Function(it) => &it.signature.name,
        ItemBody::Record(it) => &it.name,
        ItemBody::Enum(it) => &it.name,
        ItemBody::Error(it) => &it.name,
        ItemBody::Const(it) => &it.name,
        ItemBody::Prompt { signature, .. }
        | ItemBody::Workflow { signature, .. }
        | ItemBody::Tool { signature, .. }
        | ItemBody::Human { signature, .. }
        | ItemBody::External { signature } => &signature.name,
        ItemBody::Alias { name, .. }
        | ItemBody::Agent { name, .. }
        | ItemBody::Mcp { name, .. }
        | ItemBody::Hook { name, .. }
        | ItemBody::Skill { name } => name,
    };
    Some(name.span)
}
