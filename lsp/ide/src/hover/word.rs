//! Words that no declaration gives a meaning: of the language, of settings, of hooks.

use gsw_abi::hook::Moment;
use gsw_abi::setting::Setting;
use gsw_names::handler_form;
use gsw_source::{Db, File, ItemKind, Span};
use gsw_syntax::{Token, TokenKind, Word, lex};

use super::{Hover, describe, shown};
use crate::cursor::item_at;
use crate::symbol::Symbol;

/// What is known about the word at byte `offset` of `file`, where no name is.
pub fn hover(db: &dyn Db, file: File, offset: u32) -> Option<Hover> {
    let text = file.text(db);
    let tokens = lex(text).tokens;
    let is_word = |it: &Token| it.kind == TokenKind::Identifier || it.kind.is_keyword();
    let at = tokens
        .iter()
        .position(|it| it.span.touches(offset) && is_word(it))?;
    let token = tokens[at];
    let word = text.get(token.span.start as usize..token.span.end as usize)?;
    let before = at.checked_sub(1).map(|it| tokens[it].kind);
    let after = tokens.get(at + 1).map(|it| it.kind);
    // A key of JSON, or a part of a permission's name.
    if matches!(before, Some(TokenKind::Dot | TokenKind::QuestionDot)) {
        return None;
    }
    let hover = |markdown: String, word: Option<&str>| Hover {
        markdown,
        span: token.span,
        prompt: None,
        word: word.map(str::to_owned),
    };
    let kind = item_at(db, file, offset).map(|it| it.0.kind(db));
    if kind == Some(ItemKind::Hook)
        && let Some(moment) = Moment::named(word)
    {
        let (_, docs) = describe(db, Symbol::Item(handler_form(db, moment)?))?;
        return Some(hover(shown(word, docs.as_deref()), None));
    }
    if after == Some(TokenKind::Colon) {
        let docs = Setting::named(word)?.docs();
        return Some(hover(shown(&format!("{word}: …"), Some(docs)), None));
    }
    let is_of_language = token.kind.is_keyword() || token.word != Word::Other;
    is_of_language.then(|| hover(shown(word, None), Some(word)))
}

/// The text of the string without interpolations at byte `offset` of `file`, and where it stands.
#[must_use]
pub fn string_at(db: &dyn Db, file: File, offset: u32) -> Option<(&str, Span)> {
    let text = file.text(db);
    let tokens = lex(text).tokens;
    let token = tokens
        .iter()
        .find(|it| it.kind == TokenKind::String && it.span.touches(offset))?;
    let written = text.get(token.span.start as usize..token.span.end as usize)?;
    Some((written.trim_matches('"'), token.span))
}
