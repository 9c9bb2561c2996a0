//! Query `item_text`: the source text of an item.

use std::sync::Arc;

use gsw_source::{Db, ItemId, Name, Span};
use gsw_syntax::ast::{self, ItemBody};

/// The text of `item`, so that moving it changes nothing for queries that quote it.
#[salsa::tracked(returns(ref))]
pub fn item_text(db: &dyn Db, item: ItemId) -> Arc<str> {
    let end = gsw_syntax::item_ast(db, item).map_or(0, |it| it.span.end as usize);
    let start = gsw_syntax::item_offset(db, item) as usize;
    let text = item.file(db).text(db);
    Arc::from(text.get(start..start + end).unwrap_or_default())
}

/// The text at `span` of `item`.
#[must_use]
pub fn source_text(db: &dyn Db, item: ItemId, span: Span) -> Name {
    let text = item_text(db, item);
    Name::new(
        text.get(span.start as usize..span.end as usize)
            .unwrap_or_default(),
    )
}

/// The default values of an item's parameters, or of the fields of a record or error or of a variant, as they are written, in
/// order. `variant` counts only for enums.
#[must_use]
pub fn written_defaults(db: &dyn Db, item: ItemId, variant: usize) -> Vec<Option<Name>> {
    let Some(tree) = gsw_syntax::item_ast(db, item) else {
        return Vec::new();
    };
    let text = |it: &Option<ast::Expression>| it.as_ref().map(|it| source_text(db, item, it.span));
    let of_parameters = |them: &[ast::Parameter]| them.iter().map(|it| text(&it.default)).collect();
    if let Some(signature) = tree.body.signature() {
        return of_parameters(&signature.parameters);
    }
    match &tree.body {
        ItemBody::Error(it) => of_parameters(&it.fields),
        ItemBody::Enum(it) => {
            let variant = it.variants.get(variant);
            of_parameters(variant.map_or(&[], |it| it.fields.as_slice()))
        }
        ItemBody::Record(it) => it.fields.iter().map(|it| text(&it.default)).collect(),
        ItemBody::Import(_)
        | ItemBody::Function(_)
        | ItemBody::Alias { .. }
        | ItemBody::Const(_)
        | ItemBody::Agent { .. }
        | ItemBody::Prompt { .. }
        | ItemBody::Workflow { .. }
        | ItemBody::Tool { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => Vec::new(),
    }
}
