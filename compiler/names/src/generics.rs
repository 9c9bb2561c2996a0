//! The type parameters of declarations.

use gsw_source::{Db, File, ItemId, Name};
use gsw_syntax::ast;

use crate::scope::module_scope;
use crate::tree::item_head;

/// The names of the type parameters of `item`. A method of a generic type has its type's, named again or not, and its own.
pub fn generics_of(db: &dyn Db, item: ItemId) -> Vec<Name> {
    let Some(head) = item_head(db, item) else {
        return Vec::new();
    };
    let own = head.body.generics().iter().map(|it| it.name.clone());
    let mut all = match receiver(&head.body).and_then(|it| own_type(db, item.file(db), &it.name)) {
        Some(owner) => generics_of(db, owner),
        None => Vec::new(),
    };
    let more: Vec<Name> = own.filter(|it| !all.contains(it)).collect();
    all.extend(more);
    all
}

/// The type before the dot of a method's name.
fn receiver(body: &ast::ItemBody) -> Option<&ast::Identifier> {
    if let ast::ItemBody::Function(function) = body {
        return function.receiver.as_ref();
    }
    None
}

/// The record, enum, alias or error called `name` that `file` itself declares.
pub(crate) fn own_type(db: &dyn Db, file: File, name: &str) -> Option<ItemId> {
    let item = *module_scope(db, file).items.get(name)?;
    item.kind(db).is_data().then_some(item)
}
