//! The names that the syntax tree has lost: those of an item in what does not parse.
//!
//! The parser keeps no tree of a statement that is only half there, so inference resolves none of its names. A name that stands alone
//! is resolved here by its scope; of any other, what it means is unknown until the statement is complete.

use gsw_names::{Definition, resolve_member, resolve_name};
use gsw_source::{Db, File, ItemId, Name, Span};
use gsw_syntax::{
    Token, TokenKind, Word, file_item_ids, file_syntax_diagnostics, item_ast, item_offset, lex,
    locate,
};

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
    /// As a value does.
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
    let mut open = Vec::new();
    let mut lost = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.kind.is_opener() {
            open.push(token.kind);
        } else if token.kind.is_closer() {
            open.pop();
        }
        let is_known = || known.iter().any(|it| it.span == token.span);
        if token.kind != TokenKind::Identifier || is_known() {
            continue;
        }
        let span = token.span.start as usize..token.span.end as usize;
        let name = Name::new(text.get(span).unwrap_or_default());
        let position = position(&tokens, at, open.last().copied());
        let symbol = match position {
            Position::Alone => alone(db, item, &name, token.span.start),
            Position::Member => member(db, file, text, &tokens[..at], &name),
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
    let at = items.iter().position(|it| *it == item)?;
    let end = u32::try_from(file.text(db).len()).unwrap_or(u32::MAX);
    let next = items.get(at + 1).map_or(end, |it| item_offset(db, *it));
    let extent = Span::new(item_offset(db, item), next);
    let mut places = mistakes.iter().map(|it| locate(db, it.place).1);
    places.any(|it| extent.touches(it.start)).then_some(extent)
}

/// `around` is the innermost bracket that is open at the name.
fn position(tokens: &[Token], at: usize, around: Option<TokenKind>) -> Position {
    let before = at.checked_sub(1).map(|it| tokens[it]);
    let before_kind = before.map(|it| it.kind);
    let after = tokens.get(at + 1).map(|it| it.kind);
    match before_kind {
        Some(TokenKind::Dot | TokenKind::QuestionDot) => return Position::Member,
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

/// Of a module, whose name stands before the dot; `before` ends with it.
fn member(db: &dyn Db, file: File, text: &str, before: &[Token], name: &Name) -> Option<Symbol> {
    let [.., first, _dot] = before else {
        return None;
    };
    let module = text.get(first.span.start as usize..first.span.end as usize)?;
    match resolve_name(db, file, module)? {
        Definition::Module(module) => {
            let found = resolve_member(db, module, name, file)?;
            Some(symbol_of_definition(found))
        }
        Definition::Item(_) | Definition::Variant { .. } => None,
    }
}
