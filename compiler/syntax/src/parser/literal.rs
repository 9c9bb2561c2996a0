//! Literals, and strings with interpolations.

use chumsky::prelude::{IterParser, Parser, choice};
use gsw_source::Name;

use crate::ast::{Expression, ExpressionKind, Literal, StringPart};
use crate::parser::error::{Expected, ParseError, Reason};
use crate::parser::input::{Context, Rule, span_of, start_of, token, token_among, token_as};
use crate::parser::rules::Rules;
use crate::token::{TokenKind, Value};

/// `Literal = Int | Float | Duration | "true" | "false" | "none" ;`
pub(crate) fn literal(expected: Expected) -> Rule<Literal> {
    token_among(TokenKind::is_literal, expected)
        .map_with(|token, context: &mut Context<'_>| {
            if token.kind == TokenKind::True || token.kind == TokenKind::False {
                return Literal::Bool(token.kind == TokenKind::True);
            }
            if token.kind == TokenKind::None {
                return Literal::None;
            }
            match context.state().value(token) {
                Some(Value::Int(value)) => Literal::Int(*value),
                Some(Value::Float(bits)) => Literal::Float(*bits),
                Some(Value::Duration(nanoseconds)) => Literal::Duration(*nanoseconds),
                Some(Value::Text(text)) => Literal::String(text.clone()),
                None => Literal::None,
            }
        })
        .boxed()
}

/// `PlainString = String ;`
pub(crate) fn plain_string(expected: Expected) -> Rule<Name> {
    choice((
        token_as(TokenKind::String, expected)
            .map_with(|token, context: &mut Context<'_>| context.state().string(token)),
        interpolated_refusal(),
    ))
    .boxed()
}

/// A string with `${ }` where it is not allowed: always an error, worded as such.
fn interpolated_refusal() -> Rule<Name> {
    token_as(TokenKind::StringOpen, Expected::NOTHING)
        .map_with(|_, context: &mut Context<'_>| start_of(context))
        .try_map(|index, _| Err(ParseError::because(index, Reason::Interpolated)))
        .boxed()
}

/// `StringLiteral = String | StringOpen { StringText | "${" Expression "}" } StringClose ;`
pub(crate) fn string_literal(rules: &Rules, expected: Expected) -> Rule<Expression> {
    let plain =
        token_as(TokenKind::String, expected).map_with(|token, context: &mut Context<'_>| {
            let text = context.state().string(token);
            Expression {
                kind: ExpressionKind::Literal(Literal::String(text)),
                span: token.span,
            }
        });
    let text = token(TokenKind::StringText).map_with(|token, context: &mut Context<'_>| {
        StringPart::Text(context.state().string(token))
    });
    let hole = token(TokenKind::InterpolationOpen)
        .ignore_then(rules.any_expression())
        .then_ignore(token(TokenKind::InterpolationClose))
        .map(StringPart::Expression);
    let interpolated = token_as(TokenKind::StringOpen, expected)
        .ignore_then(choice((text, hole)).repeated().collect::<Vec<_>>())
        .then_ignore(token(TokenKind::StringClose))
        .map_with(|parts, context: &mut Context<'_>| Expression {
            kind: ExpressionKind::Interpolation(
                parts.into_iter().filter(|part| !is_empty(part)).collect(),
            ),
            span: span_of(context),
        });
    choice((plain, interpolated)).boxed()
}

fn is_empty(part: &StringPart) -> bool {
    matches!(part, StringPart::Text(text) if text.is_empty())
}
