//! Expressions: operators by precedence over operands.

use chumsky::pratt::{infix, left, none, postfix, prefix, right};
use chumsky::prelude::{Parser, choice, custom};
use gsw_source::Span;

use crate::ast::{
    BinaryOperator, Expression, ExpressionKind, RangeEnd, TypeExpression, UnaryOperator,
};
use crate::parser::depth::DEEPEST_TREE;
use crate::parser::error::{Expected, ParseError};
use crate::parser::input::{Context, Extra, Rule, State, Tokens, span_of, token_among, token_as};
use crate::parser::operand;
use crate::parser::rules::{Mode, Rules};
use crate::token::{Token, TokenKind};

/// An expression of that form, over what was just parsed.
pub(crate) fn node(kind: ExpressionKind, context: &mut Context<'_>) -> Expression {
    Expression {
        kind,
        span: span_of(context),
    }
}

/// `Expression = Operand with prefix, infix and postfix operators, loosest first:
/// "catch" · "or" · "and" · "not" · comparisons and "in" · "??" · ".." "..=" · "+" "-" · "*" "/" "%" · "as" · "-" "await" "race" ;`
pub(crate) fn expression(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let link = |left: Expression, (operator, operator_span), right, context: &mut Context<'_>| {
        context.state().count_link();
        binary(left, operator, operator_span, right, context)
    };
    let deeper_link = |left, (operator, operator_span), right, context: &mut Context<'_>| {
        context.state().leave();
        binary(left, operator, operator_span, right, context)
    };
    operand::chain(rules, mode)
        .pratt((
            prefix(
                10,
                tight_prefix(),
                |form: TightPrefix, operand, context: &mut Context<'_>| {
                    context.state().leave();
                    node(form.expression(Box::new(operand)), context)
                },
            ),
            prefix(
                3,
                deeper(TokenKind::Not, Expected::EXPRESSION),
                |_, operand, context: &mut Context<'_>| {
                    context.state().leave();
                    let (operator, operand) = (UnaryOperator::Not, Box::new(operand));
                    node(ExpressionKind::Unary { operator, operand }, context)
                },
            ),
            postfix(
                9,
                conversion(rules),
                |value, ty, context: &mut Context<'_>| {
                    context.state().count_link();
                    let (value, ty) = (Box::new(value), Box::new(ty));
                    node(ExpressionKind::As { value, ty }, context)
                },
            ),
            infix(left(8), operator(multiplicative), link),
            infix(left(7), operator(additive), link),
            infix(
                none(6),
                range_operator(),
                |start, range_end, end, context: &mut Context<'_>| {
                    let (start, end) = (Box::new(start), Box::new(end));
                    node(
                        ExpressionKind::Range {
                            start,
                            end,
                            range_end,
                        },
                        context,
                    )
                },
            ),
            infix(right(5), otherwise(), deeper_link),
            infix(none(4), comparison(), link),
            infix(left(2), operator(conjunction), link),
            infix(left(1), operator(disjunction), link),
            postfix(0, catch(rules), |value, arms, context: &mut Context<'_>| {
                context.state().count_link();
                let value = Box::new(value);
                node(ExpressionKind::Catch { value, arms }, context)
            }),
        ))
        .boxed()
}

fn binary(
    left: Expression,
    operator: BinaryOperator,
    operator_span: Span,
    right: Expression,
    context: &mut Context<'_>,
) -> Expression {
    let kind = ExpressionKind::Binary {
        operator,
        operator_span,
        left: Box::new(left),
        right: Box::new(right),
    };
    node(kind, context)
}

/// A prefix that binds tighter than every infix operator.
#[derive(Clone, Copy)]
enum TightPrefix {
    Negate,
    Await,
    Race,
}

impl TightPrefix {
    fn expression(self, operand: Box<Expression>) -> ExpressionKind {
        match self {
            Self::Negate => ExpressionKind::Unary {
                operator: UnaryOperator::Negate,
                operand,
            },
            Self::Await => ExpressionKind::Await(operand),
            Self::Race => ExpressionKind::Race(operand),
        }
    }
}

/// `TightPrefix = "-" | "await" | "race" ;`
fn tight_prefix() -> Rule<TightPrefix> {
    choice((
        deeper(TokenKind::Minus, Expected::EXPRESSION).to(TightPrefix::Negate),
        deeper(TokenKind::Await, Expected::EXPRESSION).to(TightPrefix::Await),
        deeper(TokenKind::Race, Expected::EXPRESSION).to(TightPrefix::Race),
    ))
    .boxed()
}

/// An operator whose right operand is parsed one level deeper; folding leaves that level.
fn deeper(kind: TokenKind, expected: Expected) -> Rule<Token> {
    custom::<_, Tokens, _, Extra>(move |input| {
        let index = *input.cursor().inner();
        match input.next() {
            Some(token) if token.kind == kind => {
                if input.state().enter() > DEEPEST_TREE {
                    return Err(ParseError::too_deep(index));
                }
                Ok(token)
            }
            _ => Err(ParseError::unexpected(index, expected)),
        }
    })
    .boxed()
}

/// `Conversion = "as" OptionalType ;`
fn conversion(rules: &Rules) -> Rule<TypeExpression> {
    token_as(TokenKind::As, Expected::OPERATOR)
        .ignore_then(rules.type_expression.clone())
        .boxed()
}

/// `Catch = "catch" "{" Arms "}" ;`
fn catch(rules: &Rules) -> Rule<Vec<crate::ast::MatchArm>> {
    token_as(TokenKind::Catch, Expected::OPERATOR)
        .ignore_then(rules.arms.clone())
        .boxed()
}

type OperatorTable = fn(TokenKind) -> Option<BinaryOperator>;

/// An infix operator of one precedence.
fn operator(table: OperatorTable) -> Rule<(BinaryOperator, Span)> {
    custom::<_, Tokens, _, Extra>(move |input| {
        let index = *input.cursor().inner();
        input
            .next()
            .and_then(|token| Some((table(token.kind)?, token.span)))
            .ok_or(ParseError::unexpected(index, Expected::OPERATOR))
    })
    .boxed()
}

fn multiplicative(kind: TokenKind) -> Option<BinaryOperator> {
    match kind {
        TokenKind::Star => Some(BinaryOperator::Multiply),
        TokenKind::Slash => Some(BinaryOperator::Divide),
        TokenKind::Percent => Some(BinaryOperator::Remainder),
        _ => None,
    }
}

fn additive(kind: TokenKind) -> Option<BinaryOperator> {
    match kind {
        TokenKind::Plus => Some(BinaryOperator::Add),
        TokenKind::Minus => Some(BinaryOperator::Subtract),
        _ => None,
    }
}

fn conjunction(kind: TokenKind) -> Option<BinaryOperator> {
    (kind == TokenKind::And).then_some(BinaryOperator::And)
}

fn disjunction(kind: TokenKind) -> Option<BinaryOperator> {
    (kind == TokenKind::Or).then_some(BinaryOperator::Or)
}

fn compared(kind: TokenKind) -> Option<BinaryOperator> {
    match kind {
        TokenKind::EqualEqual => Some(BinaryOperator::Equal),
        TokenKind::BangEqual => Some(BinaryOperator::NotEqual),
        TokenKind::Less => Some(BinaryOperator::Less),
        TokenKind::LessEqual => Some(BinaryOperator::LessEqual),
        TokenKind::Greater => Some(BinaryOperator::Greater),
        TokenKind::GreaterEqual => Some(BinaryOperator::GreaterEqual),
        TokenKind::In => Some(BinaryOperator::In),
        _ => None,
    }
}

/// `Comparison = "==" | "!=" | "<" | "<=" | ">" [ Newline ] | ">=" | "in" ;`
fn comparison() -> Rule<(BinaryOperator, Span)> {
    operator(compared)
        .then_ignore(crate::parser::input::line_break())
        .boxed()
}

/// `Otherwise = "??" ;`
fn otherwise() -> Rule<(BinaryOperator, Span)> {
    deeper(TokenKind::QuestionQuestion, Expected::OPERATOR)
        .map(|token| (BinaryOperator::Otherwise, token.span))
        .boxed()
}

/// `RangeOperator = ".." | "..=" ;`
fn range_operator() -> Rule<RangeEnd> {
    token_among(
        |kind| matches!(kind, TokenKind::DotDot | TokenKind::DotDotEqual),
        Expected::OPERATOR,
    )
    .map(|token| match token.kind {
        TokenKind::DotDotEqual => RangeEnd::Inclusive,
        _ => RangeEnd::Exclusive,
    })
    .boxed()
}

impl State {
    /// The value of `T` where a hole has to stand for an expression.
    pub(crate) fn expression_hole(&self, index: usize) -> Expression {
        Expression {
            kind: ExpressionKind::Invalid,
            span: self.span(index, index),
        }
    }
}
