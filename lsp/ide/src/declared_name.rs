//! The name in a declaration.

use gsw_names::declared_name;
use gsw_source::{Db, ItemId, Span};
use gsw_syntax::ast::ItemBody;
use gsw_syntax::item_ast;

/// The span of the declared name of an item, relative to the item: of an import its path, of a test its text; `None` for one
/// without a name.
pub fn name_span(db: &dyn Db, item: ItemId) -> Option<Span> {
    let tree = item_ast(db, item)?;
    if let ItemBody::Import(import) = &tree.body {
        return Some(import.path_span);
    }
    if let ItemBody::Test { name_span, .. } = &tree.body {
        return Some(*name_span);
    }
    declared_name(&tree).map(|it| it.span)
}
