//! Where the parser resumes after a mistake: the ends of statements, entries, parameters and items.

use chumsky::prelude::{IterParser, Parser, choice, custom, via_parser};

use crate::parser::error::{Expected, ParseError};
use crate::parser::input::{Extra, Rule, State, Tokens, looking_at, token};
use crate::token::TokenKind;

/// What ends the part that a mistake spoils, besides the closing bracket around it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// A line break or `;`.
    Statement,
    /// A line break or comma.
    Entry,
    Element,
    /// The opening brace of a body.
    Body,
    /// The end of the item.
    Item,
}

impl Boundary {
    fn is_at(self, kind: TokenKind) -> bool {
        match self {
            Self::Statement => matches!(kind, TokenKind::Newline | TokenKind::Semicolon),
            Self::Entry => matches!(kind, TokenKind::Newline | TokenKind::Comma),
            Self::Element => kind == TokenKind::Comma,
            Self::Body => kind == TokenKind::BraceOpen,
            Self::Item => false,
        }
    }

    fn stops_at_closer(self) -> bool {
        self != Self::Item
    }
}

/// Skips to the boundary, at least one token, jumping over brackets.
pub(crate) fn skip_to(boundary: Boundary) -> Rule<()> {
    custom::<_, Tokens, _, Extra>(move |input| {
        let start = *input.cursor().inner();
        let mut is_open = false;
        loop {
            let index = *input.cursor().inner();
            let Some(token) = input.peek() else { break };
            // A comma belongs to what a bracket that is never closed holds.
            let is_inside = is_open && token.kind == TokenKind::Comma
                || is_in_head(input.state(), start, index);
            let ends = boundary.is_at(token.kind) && !is_inside
                || (boundary.stops_at_closer() && token.kind.is_closer() && token.is_matched());
            if ends {
                break;
            }
            is_open |= token.kind.is_opener() && !token.is_matched();
            let length = if token.kind.is_opener() && token.is_matched() {
                token.value as usize + 1
            } else {
                1
            };
            let available = input.state().tokens().len() - index;
            for _ in 0..length.min(available) {
                input.skip();
            }
        }
        if *input.cursor().inner() == start {
            return Err(ParseError::unexpected(start, Expected::NOTHING));
        }
        Ok(())
    })
    .boxed()
}

/// How many tokens the head of a loop or condition has at most. It bounds how far to look, so that a line of nothing but `;` is
/// read in linear time.
const LONGEST_HEAD: usize = 64;

/// Whether the `;` at `index` is in the head of a statement that began at `start`, as other languages have it before a body:
/// `for i = 0; i < 3; i++ { … }`.
fn is_in_head(state: &State, start: usize, index: usize) -> bool {
    let begins_head = matches!(
        state.kind(start),
        Some(TokenKind::If | TokenKind::For | TokenKind::While | TokenKind::Match)
    );
    if !begins_head
        || state.kind(index) != Some(TokenKind::Semicolon)
        || index - start > LONGEST_HEAD
    {
        return false;
    }
    let is_brace = |index: &usize| state.kind(*index) == Some(TokenKind::BraceOpen);
    let ends_line = |index: &usize| {
        matches!(
            state.kind(*index),
            None | Some(TokenKind::Newline | TokenKind::BraceClose)
        )
    };
    let mut rest = (index..start + LONGEST_HEAD).take_while(|it| !ends_line(it));
    !(start..index).any(|it| is_brace(&it)) && rest.any(|it| is_brace(&it))
}

/// `inner` up to the boundary; where it fails, `hole` stands for what is skipped.
pub(crate) fn or_hole<T: 'static>(
    inner: impl Parser<'static, Tokens, T, Extra> + Clone + 'static,
    boundary: Boundary,
    hole: impl Fn(&State, usize) -> T + Clone + 'static,
) -> Rule<T> {
    let skipped = skip_to(boundary).map_with(move |(), context| {
        let start: chumsky::span::SimpleSpan<usize> = context.span();
        let state: &mut State = context.state();
        hole(state, start.start)
    });
    inner.recover_with(via_parser(skipped)).boxed()
}

/// Nothing, at the end of a statement.
pub(crate) fn statement_end() -> impl Parser<'static, Tokens, (), Extra> + Clone {
    end_at(Boundary::Statement, Expected::END_OF_STATEMENT)
}

/// Nothing, at the end of a field, variant, arm or entry.
pub(crate) fn entry_end() -> impl Parser<'static, Tokens, (), Extra> + Clone {
    end_at(Boundary::Entry, Expected::token(TokenKind::Comma))
}

/// Nothing, at the end of a statement among the entries of a prompt.
pub(crate) fn entry_or_statement_end() -> impl Parser<'static, Tokens, (), Extra> + Clone {
    choice((statement_end(), entry_end()))
}

/// Nothing, before a comma or a closing bracket.
pub(crate) fn element_end() -> impl Parser<'static, Tokens, (), Extra> + Clone {
    end_at(Boundary::Element, Expected::token(TokenKind::Comma))
}

fn end_at(
    boundary: Boundary,
    expected: Expected,
) -> impl Parser<'static, Tokens, (), Extra> + Clone {
    looking_at(
        move |state, index| {
            state.token(index).is_none_or(|token| {
                boundary.is_at(token.kind) || (token.kind.is_closer() && token.is_matched())
            })
        },
        expected,
    )
}

/// A closing brace; where it is missing at the end of what is around it, the report is all that happens.
pub(crate) fn closing_brace() -> Rule<()> {
    let missing = looking_at(
        |state, index| {
            state
                .token(index)
                .is_none_or(|token| token.kind.is_closer() && token.is_matched())
        },
        Expected::NOTHING,
    );
    token(TokenKind::BraceClose)
        .ignored()
        .recover_with(via_parser(missing))
        .boxed()
}

/// A closing bracket of a type or of parameters; where its opening one has no partner, the report is all that happens.
pub(crate) fn closing(kind: TokenKind) -> Rule<()> {
    let missing = looking_at(
        move |state, index| lacks_closer(state, index, kind),
        Expected::NOTHING,
    );
    token(kind)
        .ignored()
        .recover_with(via_parser(missing))
        .boxed()
}

/// Whether a bracket that `closer` would close is open at `index` and has no partner.
pub(crate) fn lacks_closer(state: &State, index: usize, closer: TokenKind) -> bool {
    let mut index = index;
    while let Some(before) = index.checked_sub(1) {
        let Some(token) = state.token(before) else {
            return false;
        };
        index = before;
        if token.kind.is_closer() && token.is_matched() {
            index = before.saturating_sub(token.value as usize);
        } else if token.kind.is_opener() && token.is_matched() {
            return false;
        } else if token.kind.closer() == Some(closer) {
            return true;
        }
    }
    false
}

/// The separators of fields, variants, arms and entries: a comma or a line break.
pub(crate) fn separator() -> impl Parser<'static, Tokens, (), Extra> + Clone {
    choice((token(TokenKind::Comma), newline())).ignored()
}

/// A separator that is missing before the next of what is listed, which is reported: what is listed is known all the same.
pub(crate) fn missing_separator(
    is_next: fn(&State, usize) -> bool,
) -> impl Parser<'static, Tokens, (), Extra> + Clone {
    // Not by `map_with`, which is left out where the value is not used, as of a separator.
    custom::<_, Tokens, _, Extra>(move |input| {
        let index = *input.cursor().inner();
        let error = ParseError::unexpected(index, Expected::token(TokenKind::Comma));
        if !is_next(input.state(), index) {
            return Err(error);
        }
        input.emit(error);
        Ok(())
    })
}

/// Whether a name with its type begins here.
pub(crate) fn is_typed_name(state: &State, index: usize) -> bool {
    let token = state.token(index);
    token.is_some_and(|it| it.is_word()) && state.kind(index + 1) == Some(TokenKind::Colon)
}

/// The separators of statements: line breaks and `;`.
pub(crate) fn statement_separator() -> impl Parser<'static, Tokens, (), Extra> + Clone {
    choice((
        newline(),
        crate::parser::input::token_as(TokenKind::Semicolon, Expected::END_OF_STATEMENT),
    ))
    .repeated()
    .at_least(1)
}

fn newline() -> impl Parser<'static, Tokens, crate::token::Token, Extra> + Clone {
    crate::parser::input::token_as(TokenKind::Newline, Expected::END_OF_STATEMENT)
}

/// The end of the item; anything before it is reported and skipped.
pub(crate) fn end_of_item() -> Rule<()> {
    looking_at(
        |state, index| state.token(index).is_none(),
        Expected::END_OF_ITEM,
    )
    .recover_with(via_parser(skip_to(Boundary::Item)))
    .boxed()
}

/// `{`, entries separated by commas or line breaks, `}`.
pub(crate) fn braced_entries<T: 'static>(
    entry: impl Parser<'static, Tokens, T, Extra> + Clone + 'static,
) -> Rule<Vec<T>> {
    entries_between(entry, separator())
}

/// Entries with separators of their own.
pub(crate) fn entries_between<T: 'static>(
    entry: impl Parser<'static, Tokens, T, Extra> + Clone + 'static,
    separator: impl Parser<'static, Tokens, (), Extra> + Clone + 'static,
) -> Rule<Vec<T>> {
    token(TokenKind::BraceOpen)
        .ignore_then(entry.separated_by(separator).allow_trailing().collect())
        .then_ignore(closing_brace())
        .boxed()
}
