//! Line breaks where the grammar has a say in them.

use chumsky::prelude::Parser;

use crate::parser::error::Expected;
use crate::parser::input::{Extra, Rule, Tokens, looking_at, token_as};
use crate::token::TokenKind;

/// A line break, if there is one.
pub(crate) fn line_break() -> impl Parser<'static, Tokens, (), Extra> + Clone {
    token_as(TokenKind::Newline, Expected::NOTHING)
        .or_not()
        .ignored()
}

/// A line break that a header may have before its `{`.
pub(crate) fn body_break() -> Rule<()> {
    looking_at(
        |state, index| {
            state.kind(index) == Some(TokenKind::Newline)
                && state.kind(index + 1) == Some(TokenKind::BraceOpen)
        },
        Expected::NOTHING,
    )
    .ignore_then(line_break())
    .or_not()
    .ignored()
    .boxed()
}

/// A body whose `{` may be on a line of its own.
pub(crate) fn own_line<T: 'static>(
    body: impl Parser<'static, Tokens, T, Extra> + Clone + 'static,
) -> Rule<T> {
    body_break().ignore_then(body).boxed()
}
