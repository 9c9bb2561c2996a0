//! Query `item_text`: the source text of an item.

use std::sync::Arc;

use gsw_source::{Db, ItemId, Name, Span};
use gsw_syntax::TokenKind;
use gsw_syntax::ast::{self, ItemBody};

use crate::tree::item_head;

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

/// Where the parameters of `item` end, right after their parenthesis.
#[must_use]
pub fn parameters_end(db: &dyn Db, item: ItemId) -> Option<u32> {
    let head = item_head(db, item)?;
    let start = head.body.signature()?.name.span.end;
    let rest = item_text(db, item).get(start as usize..)?;
    let mut depth = 0;
    for token in gsw_syntax::lex(rest).tokens {
        depth += i32::from(token.kind == TokenKind::ParenOpen);
        depth -= i32::from(token.kind == TokenKind::ParenClose);
        if token.kind == TokenKind::ParenClose && depth == 0 {
            return Some(start + token.span.end);
        }
    }
    None
}

/// What is written after the type of a parameter or field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WrittenPart {
    pub default: Option<Name>,
    /// After `where`.
    pub check: Option<Name>,
}

impl std::fmt::Display for WrittenPart {
    /// ` = 1 where it > 0`
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(default) = &self.default {
            write!(out, " = {default}")?;
        }
        match &self.check {
            Some(check) => write!(out, " where {check}"),
            None => Ok(()),
        }
    }
}

/// What is written after the types of an item's parameters, or of the fields of a record or error or of a variant, in order.
/// `variant` counts only for enums.
#[must_use]
pub fn written_parts(db: &dyn Db, item: ItemId, variant: usize) -> Vec<WrittenPart> {
    let Some(tree) = gsw_syntax::item_ast(db, item) else {
        return Vec::new();
    };
    let text = |it: &Option<ast::Expression>| it.as_ref().map(|it| source_text(db, item, it.span));
    let of_parameter = |it: &ast::Parameter| WrittenPart {
        default: text(&it.default),
        check: None,
    };
    let of_parameters = |them: &[ast::Parameter]| them.iter().map(of_parameter).collect();
    if let Some(signature) = tree.body.signature() {
        return of_parameters(&signature.parameters);
    }
    match &tree.body {
        ItemBody::Error(it) => of_parameters(&it.fields),
        ItemBody::Enum(it) => {
            let variant = it.variants.get(variant);
            of_parameters(variant.map_or(&[], |it| it.fields.as_slice()))
        }
        ItemBody::Record(it) => {
            let of_field = |it: &ast::FieldDeclaration| WrittenPart {
                default: text(&it.default),
                check: text(&it.check),
            };
            it.fields.iter().map(of_field).collect()
        }
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

/// What is written after the `where` of an alias.
#[must_use]
pub fn written_check(db: &dyn Db, item: ItemId) -> Option<Name> {
    let tree = gsw_syntax::item_ast(db, item)?;
    let ItemBody::Alias { check, .. } = &tree.body else {
        return None;
    };
    let check = check.as_ref()?;
    Some(source_text(db, item, check.span))
}
