//! Operands: what is between operators, with fields, calls and indices.

mod bracketed;
mod control;
mod postfix;
mod task;

pub(crate) use bracketed::arguments;
pub(crate) use control::{arm, arms, if_expression};
pub(crate) use postfix::{chain, simple_operand};
pub(crate) use task::{is_before_value, text_role};

use chumsky::prelude::{Parser, choice};

use crate::ast::{Expression, ExpressionKind};
use crate::parser::error::Expected;
use crate::parser::input::{Context, Extra, Rule, State, Tokens, looking_at, token_as};
use crate::parser::literal::{literal, string_literal};
use crate::parser::node::node;
use crate::parser::rules::{Mode, Rules};
use crate::token::{TokenKind, Word};

/// `Operand = ShortLambda | Lambda | Record | Name | Literal | StringLiteral | List | Map | Parenthesis |
/// KeywordExpression ;`
fn operand(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let named = when(
        |state, index| {
            matches!(
                state.kind(index),
                Some(TokenKind::Identifier | TokenKind::Underscore)
            )
        },
        choice((
            when(is_mere_name, name()),
            bracketed::short_lambda(rules, mode),
            bracketed::record(rules, mode),
            begun_by_word(rules, mode),
            name(),
        )),
    );
    let literals = when(
        |state, index| state.kind(index).is_some_and(TokenKind::is_literal),
        literal(Expected::EXPRESSION).map_with(|literal, context: &mut Context<'_>| {
            node(ExpressionKind::Literal(literal), context)
        }),
    );
    let brackets = when(
        |state, index| {
            matches!(
                state.kind(index),
                Some(TokenKind::ParenOpen | TokenKind::BracketOpen | TokenKind::BraceOpen)
            )
        },
        choice((
            bracketed::lambda(rules, mode),
            bracketed::parenthesis(rules),
            bracketed::list(rules),
            bracketed::map(rules, mode),
        )),
    );
    let keywords = when(
        |state, index| state.kind(index).is_some_and(TokenKind::is_keyword),
        choice((
            name(),
            rules.keyword_expression.clone(),
            control::exit(rules, mode),
            task::spawn(rules, mode),
        )),
    );
    choice((
        named,
        literals,
        string_literal(rules, Expected::EXPRESSION),
        brackets,
        keywords,
        renamed_step(rules),
    ))
    .boxed()
}

/// What begins with a word that is a name elsewhere.
fn begun_by_word(rules: &Rules, mode: Mode) -> Rule<Expression> {
    when(
        |state, index| state.word(index) != Word::Other,
        choice((
            rules.keyword_expression.clone(),
            task::emit(rules, mode),
            task::text(rules, mode),
        )),
    )
}

/// Whether a name begins neither a lambda nor a record, and is no word that begins an expression.
fn is_mere_name(state: &State, index: usize) -> bool {
    let Some(token) = state.token(index) else {
        return false;
    };
    let follows = |count: usize, kind| state.kind(index + count) == Some(kind);
    let is_record = follows(1, TokenKind::BraceOpen)
        || follows(1, TokenKind::Dot) && follows(3, TokenKind::BraceOpen);
    token.kind == TokenKind::Identifier
        && token.word == Word::Other
        && !is_record
        && !follows(1, TokenKind::FatArrow)
}

/// A step after `@was(…)`; other attributes precede declarations alone.
fn renamed_step(rules: &Rules) -> Rule<Expression> {
    when(
        |state, index| {
            state.kind(index) == Some(TokenKind::At) && state.word(index + 1) == Word::Was
        },
        rules.keyword_expression.clone(),
    )
}

/// `production` where `accept` holds of the tokens from here on.
fn when<T: 'static>(
    accept: impl Fn(&State, usize) -> bool + Copy + 'static,
    production: impl Parser<'static, Tokens, T, Extra> + Clone + 'static,
) -> Rule<T> {
    looking_at(accept, Expected::EXPRESSION)
        .ignore_then(production)
        .boxed()
}

/// `Name = Identifier | "self" ;`
fn name() -> Rule<Expression> {
    choice((
        token_as(TokenKind::Identifier, Expected::EXPRESSION),
        token_as(TokenKind::SelfValue, Expected::EXPRESSION),
    ))
    .map_with(|token, context: &mut Context<'_>| {
        let name = context.state().text(token.span).into();
        node(ExpressionKind::Name(name), context)
    })
    .boxed()
}

/// `KeywordExpression = Do | If | Match | For | While | Step | Undo | ParallelFor | Parallel | Modified | Reflect | Revise | Exit
/// | Emit | Spawn | Text ;`
pub(crate) fn keyword_expression(rules: &Rules) -> Rule<Expression> {
    choice((
        rules.if_expression.clone(),
        control::match_expression(rules),
        control::do_block(rules),
        control::for_loop(rules),
        control::while_loop(rules),
        task::step(rules),
        task::undo(rules),
        task::parallel(rules),
        task::parallel_for(rules),
        task::modified(rules),
        task::reflect(rules),
        task::revise(rules),
    ))
    .boxed()
}
