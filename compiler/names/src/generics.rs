//! The type parameters of declarations.

use gsw_source::{Db, File, ItemId, ItemKind, Name};
use gsw_syntax::ast;

use crate::scope::module_scope;
use crate::tree::item_head;

/// The names of the type parameters of `item`. A method of a generic type has its type's, named again or not, and its own.
pub fn generics_of(db: &dyn Db, item: ItemId) -> Vec<Name> {
    let names =
        |them: &[ast::Identifier]| them.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    let Some(head) = item_head(db, item) else {
        return Vec::new();
    };
    match &head.body {
        ast::ItemBody::Record(it) => names(&it.generics),
        ast::ItemBody::Enum(it) => names(&it.generics),
        ast::ItemBody::Alias { generics, .. } => names(generics),
        ast::ItemBody::Function(it) => {
            let own = names(&it.signature.generics);
            let receiver = it
                .receiver
                .as_ref()
                .and_then(|it| own_type(db, item.file(db), &it.name));
            let mut outer = receiver.map(|it| generics_of(db, it)).unwrap_or_default();
            let more: Vec<Name> = own.into_iter().filter(|it| !outer.contains(it)).collect();
            outer.extend(more);
            outer
        }
        ast::ItemBody::Prompt { signature, .. }
        | ast::ItemBody::Workflow { signature, .. }
        | ast::ItemBody::Tool { signature, .. }
        | ast::ItemBody::Human { signature, .. } => names(&signature.generics),
        ast::ItemBody::Import(_)
        | ast::ItemBody::Error(_)
        | ast::ItemBody::Const(_)
        | ast::ItemBody::Agent { .. }
        | ast::ItemBody::Mcp { .. }
        | ast::ItemBody::Hook { .. }
        | ast::ItemBody::Skill { .. }
        | ast::ItemBody::Test { .. }
        | ast::ItemBody::Permissions { .. }
        | ast::ItemBody::Invalid => Vec::new(),
    }
}

/// The record, enum, alias or error called `name` that `file` itself declares.
pub(crate) fn own_type(db: &dyn Db, file: File, name: &str) -> Option<ItemId> {
    let item = *module_scope(db, file).items.get(name)?;
    let is_type = matches!(
        item.kind(db),
        ItemKind::Record | ItemKind::Enum | ItemKind::Alias | ItemKind::Error
    );
    is_type.then_some(item)
}
