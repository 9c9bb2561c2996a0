//! Brackets of maps, records and function types that what follows shows to be never closed, so that they do not take the closing
//! bracket of what is around them.

use rustc_hash::FxHashSet;

use super::{Brackets, DEEPEST_NESTING};
use crate::layout::{continues_after, continues_before};
use crate::token::{LineStart, Token, TokenKind};

/// The brackets of maps, records and function types that are never closed, in those items where some bracket has no partner.
pub(super) fn left_open(tokens: &[Token], brackets: &Brackets) -> FxHashSet<usize> {
    let is_unclosed =
        |index: &usize| tokens[*index].kind.is_opener() && brackets.partners[*index] == *index;
    let ends = brackets.cuts.iter().skip(1).copied();
    let items = brackets
        .cuts
        .iter()
        .copied()
        .zip(ends.chain([tokens.len()]));
    items
        .map(|(start, end)| start..end)
        .filter(|item| item.clone().any(|index| is_unclosed(&index)))
        .flatten()
        .filter(|index| is_left_open(tokens, *index))
        .collect()
}

/// Whether a map, as a type or as a value, a record or what a function type takes begins at `index` and is never closed.
fn is_left_open(tokens: &[Token], index: usize) -> bool {
    let kind = |index: usize| tokens.get(index).map(|it| it.kind);
    let before = index.checked_sub(1).and_then(kind);
    if kind(index) == Some(TokenKind::ParenOpen) && before == Some(TokenKind::Fn) {
        return ends_open(&tokens[index..], is_result);
    }
    if kind(index) != Some(TokenKind::BraceOpen) || kind(index + 2) != Some(TokenKind::Colon) {
        return false;
    }
    let name = index.checked_sub(2).and_then(kind);
    match kind(index + 1) {
        // `P { x: 1`
        Some(TokenKind::Identifier) if before == Some(TokenKind::Identifier) => {
            is_before_value(name) && ends_open(&tokens[index..], is_no_field)
        }
        Some(TokenKind::Identifier) => {
            matches!(before, Some(TokenKind::Colon | TokenKind::Arrow))
                && is_type(kind(index + 3))
                && ends_open(&tokens[index..], is_no_type)
        }
        Some(TokenKind::String | TokenKind::Int) => {
            is_before_value(before) && ends_open(&tokens[index..], is_no_entry)
        }
        _ => false,
    }
}

/// Whether a type may begin with the token, which the value of a setting does not.
fn is_type(kind: Option<TokenKind>) -> bool {
    matches!(
        kind,
        Some(
            TokenKind::Identifier
                | TokenKind::BracketOpen
                | TokenKind::BraceOpen
                | TokenKind::ParenOpen
                | TokenKind::Fn
        )
    )
}

/// Whether a value follows the token.
fn is_before_value(kind: Option<TokenKind>) -> bool {
    matches!(
        kind,
        Some(
            TokenKind::Equal
                | TokenKind::ParenOpen
                | TokenKind::Comma
                | TokenKind::Colon
                | TokenKind::Return
                | TokenKind::FatArrow
                | TokenKind::BracketOpen
        )
    )
}

/// Whether a token outside of inner brackets shows that the bracket which begins `tokens` has ended, before its partner does.
fn ends_open(tokens: &[Token], is_outside: fn(&[Token], usize) -> bool) -> bool {
    let closer = tokens.first().and_then(|it| it.kind.closer());
    let closes_other = |kind: TokenKind| kind.is_closer() && Some(kind) != closer;
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        let kind = token.kind;
        if index > 0 && depth == 1 && (is_outside(tokens, index) || closes_other(kind)) {
            return true;
        }
        if kind.is_opener() {
            depth += 1;
        } else if kind.is_closer() {
            depth -= 1;
        }
        // How far to look is bounded, so that texts that are nothing but brackets are read in linear time.
        if depth == 0 || depth > DEEPEST_NESTING {
            return false;
        }
    }
    false
}

/// Whether a line begins at `index` that does not continue the one before.
fn begins_line(tokens: &[Token], index: usize) -> bool {
    let token = tokens[index];
    let before = tokens[index - 1].kind;
    token.line_start != LineStart::Inside
        && token.kind != TokenKind::BraceClose
        && !before.is_opener()
        && !continues_after(before)
        && !continues_before(token.kind)
}

/// Whether the result of a function type begins at the token, and no other function type is before it.
fn is_result(tokens: &[Token], index: usize) -> bool {
    tokens[index].kind == TokenKind::Arrow && tokens[index - 1].kind != TokenKind::ParenClose
}

/// Whether the token cannot be in the type of a map.
fn is_no_type(tokens: &[Token], index: usize) -> bool {
    let kind = tokens[index].kind;
    let follows_type = !continues_after(tokens[index - 1].kind);
    matches!(kind, TokenKind::Equal | TokenKind::Comma)
        || kind == TokenKind::BraceOpen && follows_type
        || begins_line(tokens, index)
}

/// Whether a statement begins at the token, where a map would have a key and `:`.
fn is_no_entry(tokens: &[Token], index: usize) -> bool {
    begins_statement(tokens, index)
        && (is_statement(tokens[index].kind) || is_call(&tokens[index..]))
}

/// Whether a statement begins at the token, where a record would have the name of a field, alone or with its value.
fn is_no_field(tokens: &[Token], index: usize) -> bool {
    let (kind, next) = (tokens[index].kind, tokens.get(index + 1).map(|it| it.kind));
    let is_used = matches!(
        next,
        Some(TokenKind::Dot | TokenKind::ParenOpen | TokenKind::BracketOpen)
    );
    // A field may have any word for a name.
    let is_statement = is_statement(kind) && next != Some(TokenKind::Colon);
    (is_statement || kind == TokenKind::Identifier && is_used) && begins_statement(tokens, index)
}

fn begins_statement(tokens: &[Token], index: usize) -> bool {
    begins_line(tokens, index) || tokens[index - 1].kind == TokenKind::Semicolon
}

/// Whether only a statement begins with the token.
fn is_statement(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Let
            | TokenKind::Var
            | TokenKind::Return
            | TokenKind::For
            | TokenKind::While
            | TokenKind::If
            | TokenKind::Match
            | TokenKind::Assert
    )
}

/// Whether a name, or several with dots between them, and `(` begin the tokens: `log.info(…)`.
fn is_call(tokens: &[Token]) -> bool {
    let mut rest = tokens.iter();
    let first = rest.next().map(|it| it.kind);
    let end = rest.find(|it| !matches!(it.kind, TokenKind::Identifier | TokenKind::Dot));
    first == Some(TokenKind::Identifier) && end.is_some_and(|it| it.kind == TokenKind::ParenOpen)
}
