//! The names that the syntax tree has lost: those of an item in what does not parse.
//!
//! The parser keeps no tree of a statement that is only half there, so inference resolves none of its names. A name that stands alone
//! is resolved here by its scope; of any other, what it means is unknown until the statement is complete.

use std::collections::HashSet;

use gsw_names::types::Type;
use gsw_names::{resolve_member, resolve_name, type_declaration};
use gsw_source::{Db, Diagnostic, File, ItemId, Name, Span};
use gsw_syntax::{
    Token, TokenKind, Word, file_item_ids, file_syntax_diagnostics, item_ast, item_offset, lex,
    locate,
};

use crate::expression_type::local_type;
use crate::scope::visible_at;
use crate::symbol::{Occurrence, Symbol, symbol_of_definition};

/// A name in what does not parse.
pub struct LostName {
    /// Relative to the item.
    pub span: Span,
    pub name: Name,
    pub position: Position,
    /// What it means, where its scope says that.
    pub symbol: Option<Symbol>,
}

/// How a lost name stands among its neighbours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// In the place of a value.
    Alone,
    /// Between braces and commas: a value, or the short form of a field.
    Short,
    /// After a dot.
    Member,
    /// Before a colon: a field, a named argument, or a name with its type.
    Label,
    /// After a word that declares.
    Declared,
    /// It may be a word of the language here.
    Word,
}

/// The names of `item` that are in no tree, in order; `known` are those that are.
pub fn lost_names(db: &dyn Db, item: ItemId, known: &[Occurrence]) -> Vec<LostName> {
    let file = item.file(db);
    let Some(extent) = broken_extent(db, file, item) else {
        return Vec::new();
    };
    let range = extent.start as usize..extent.end as usize;
    let text = file.text(db).get(range).unwrap_or_default();
    let tokens = lex(text).tokens;
    let known: HashSet<Span> = known.iter().map(|it| it.span).collect();
    let mut open = Vec::new();
    let mut lost = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.kind.is_opener() {
            open.push(token.kind);
        } else if token.kind.is_closer() {
            open.pop();
        }
        if token.kind != TokenKind::Identifier || known.contains(&token.span) {
            continue;
        }
        let span = token.span.start as usize..token.span.end as usize;
        let name = Name::new(text.get(span).unwrap_or_default());
        let position = position(&tokens, at, open.last().copied());
        let symbol = match position {
            Position::Alone => alone(db, item, &name, token.span.start),
            Position::Member => member(db, item, text, &tokens[..at], &name),
            Position::Short | Position::Label | Position::Declared | Position::Word => None,
        };
        lost.push(LostName {
            span: token.span,
            name,
            position,
            symbol,
        });
    }
    lost
}

/// The bytes of the file that are an item's, when there is a mistake of syntax in them.
fn broken_extent(db: &dyn Db, file: File, item: ItemId) -> Option<Span> {
    let mistakes = file_syntax_diagnostics(db, file);
    if mistakes.is_empty() {
        return None;
    }
    let items = file_item_ids(db, file);
    let start = item_offset(db, item);
    let next = items.partition_point(|it| item_offset(db, *it) <= start);
    let end = u32::try_from(file.text(db).len()).unwrap_or(u32::MAX);
    let end = items.get(next).map_or(end, |it| item_offset(db, *it));
    let extent = Span::new(start, end);
    // They are in the order of places.
    let at = |it: &Diagnostic| locate(db, it.place).1.start;
    let first = mistakes.partition_point(|it| at(it) < start);
    let is_touched = mistakes.get(first).is_some_and(|it| at(it) <= end);
    is_touched.then_some(extent)
}

/// `around` is the innermost bracket that is open at the name.
fn position(tokens: &[Token], at: usize, around: Option<TokenKind>) -> Position {
    let before = at.checked_sub(1).map(|it| tokens[it]);
    let before_kind = before.map(|it| it.kind);
    let after = tokens.get(at + 1).map(|it| it.kind);
    match before_kind {
        Some(TokenKind::Dot | TokenKind::QuestionDot) if has_value(&tokens[..at - 1]) => {
            return Position::Member;
        }
        Some(
            TokenKind::Let
            | TokenKind::Var
            | TokenKind::For
            | TokenKind::Fn
            | TokenKind::Type
            | TokenKind::Enum
            | TokenKind::Error
            | TokenKind::Const
            | TokenKind::Workflow,
        ) => return Position::Declared,
        Some(_) | None => {}
    }
    if tokens[at].word != Word::Other {
        return Position::Word;
    }
    if after == Some(TokenKind::Colon) {
        return Position::Label;
    }
    let is_edge = |it: Option<TokenKind>| {
        matches!(
            it,
            None | Some(TokenKind::BraceOpen | TokenKind::BraceClose | TokenKind::Comma)
        )
    };
    match around == Some(TokenKind::BraceOpen) && is_edge(before_kind) && is_edge(after) {
        true => Position::Short,
        false => Position::Alone,
    }
}

/// Whether these end with what a dot can follow.
fn has_value(tokens: &[Token]) -> bool {
    tokens.last().is_some_and(|it| {
        it.kind.is_literal()
            || it.kind.is_closer()
            || matches!(
                it.kind,
                TokenKind::Identifier
                    | TokenKind::SelfValue
                    | TokenKind::Question
                    | TokenKind::String
            )
    })
}

fn alone(db: &dyn Db, item: ItemId, name: &Name, inside: u32) -> Option<Symbol> {
    let tree = item_ast(db, item)?;
    let locals = visible_at(&tree, inside);
    if let Some(local) = locals.iter().find(|it| it.name == *name) {
        let declared = local.declared;
        return Some(Symbol::Local { item, declared });
    }
    let definition = resolve_name(db, item.file(db), name)?;
    Some(symbol_of_definition(definition))
}

/// Of what the name before the dot means: a module, an enum, or a variable that holds a record; `before` ends with the dot.
fn member(db: &dyn Db, item: ItemId, text: &str, before: &[Token], name: &Name) -> Option<Symbol> {
    let [earlier @ .., base, _dot] = before else {
        return None;
    };
    // What that is a part of is not followed.
    let is_alone = earlier
        .last()
        .is_none_or(|it| !matches!(it.kind, TokenKind::Dot | TokenKind::QuestionDot));
    if base.kind != TokenKind::Identifier || !is_alone {
        return None;
    }
    let span = base.span.start as usize..base.span.end as usize;
    let base_name = Name::new(text.get(span)?);
    match alone(db, item, &base_name, base.span.start)? {
        Symbol::Module(module) => {
            let found = resolve_member(db, module, name, item.file(db))?;
            Some(symbol_of_definition(found))
        }
        Symbol::Item(owner) => {
            let declared = type_declaration(db, owner).declaration.variants();
            let variant = declared.iter().position(|it| it.name == *name)?;
            Some(Symbol::Variant {
                item: owner,
                variant: u32::try_from(variant).ok()?,
            })
        }
        Symbol::Local { item, declared } => field(&local_type(db, item, declared)?, db, name),
        Symbol::Variant { .. } | Symbol::Field { .. } => None,
    }
}

fn field(ty: &Type, db: &dyn Db, name: &Name) -> Option<Symbol> {
    if let Type::Optional(inside) = ty {
        return field(inside, db, name);
    }
    let Type::Record(item, _) = ty else {
        return None;
    };
    let declared = type_declaration(db, *item).declaration.fields_of(0);
    let field = declared.iter().position(|it| it.name == *name)?;
    Some(Symbol::Field {
        item: *item,
        variant: 0,
        field: u32::try_from(field).ok()?,
    })
}
