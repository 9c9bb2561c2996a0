//! Expressions: operators by precedence over operands.

use chumsky::pratt::{infix, left, none, postfix, prefix, right};
use chumsky::prelude::{Parser, choice, custom};
use gsw_source::Span;

use crate::ast::{
    BinaryOperator, Expression, ExpressionKind, RangeEnd, TypeExpression, UnaryOperator,
};
use crate::parser::depth::DEEPEST_TREE;
use crate::parser::error::{Expected, ParseError, Reason};
use crate::parser::input::{Context, Extra, Rule, State, Tokens, span_of, token_among, token_as};
use crate::parser::operand::{self, own_line};
use crate::parser::rules::{Mode, Rules};
use crate::token::{Token, TokenKind};

/// An expression of that form, over what was just parsed.
pub(crate) fn node(kind: ExpressionKind, context: &mut Context<'_>) -> Expression {
    Expression {
        kind,
        span: span_of(context),
    }
}

/// `Expression = Chain with prefix, infix and postfix operators, loosest first: Catch · "or" · "and" · "not" · Comparison
/// · Otherwise · RangeOperator · "+" "-" · "*" "/" "%" · Conversion · TightPrefix ;`
pub(crate) fn expression(rules: &Rules, mode: Mode) -> Rule<Expression> {
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
            infix(left(8), operator(multiplicative), linked),
            infix(left(7), operator(additive), linked),
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
            infix(right(5), otherwise(), linked_deeper),
            infix(left(4), comparison(), linked_comparison),
            infix(left(2), operator(conjunction), linked),
            infix(left(1), operator(disjunction), linked),
            postfix(0, catch(rules), |value, arms, context: &mut Context<'_>| {
                context.state().count_link();
                let value = Box::new(value);
                node(ExpressionKind::Catch { value, arms }, context)
            }),
        ))
        .boxed()
}

/// An infix operator with the place where it stands.
type Operator = (BinaryOperator, Span);

/// Folds a link of a chain.
fn linked(
    left: Expression,
    operator: Operator,
    right: Expression,
    context: &mut Context<'_>,
) -> Expression {
    context.state().count_link();
    binary(left, operator, right, context)
}

/// Folds an operator whose right operand was parsed one level deeper.
fn linked_deeper(
    left: Expression,
    operator: Operator,
    right: Expression,
    context: &mut Context<'_>,
) -> Expression {
    context.state().leave();
    binary(left, operator, right, context)
}

/// Folds a comparison and reports it when its left side is one.
fn linked_comparison(
    left: Expression,
    operator: Operator,
    right: Expression,
    context: &mut Context<'_>,
) -> Expression {
    if is_comparison(&left) {
        let index = context.state().index_of(operator.1);
        context.emit(ParseError::because(index, Reason::ComparisonChain));
    }
    linked(left, operator, right, context)
}

fn binary(
    left: Expression,
    (operator, operator_span): Operator,
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

fn is_comparison(expression: &Expression) -> bool {
    match expression.kind {
        ExpressionKind::Binary { operator, .. } => matches!(
            operator,
            BinaryOperator::Equal
                | BinaryOperator::NotEqual
                | BinaryOperator::Less
                | BinaryOperator::LessEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterEqual
                | BinaryOperator::In
        ),
        _ => false,
    }
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

/// `Conversion = "as" ConversionType ;`
fn conversion(rules: &Rules) -> Rule<TypeExpression> {
    token_as(TokenKind::As, Expected::OPERATOR)
        .ignore_then(rules.conversion_type.clone())
        .boxed()
}

/// `Catch = "catch" [ Newline ] Arms ;`
fn catch(rules: &Rules) -> Rule<Vec<crate::ast::MatchArm>> {
    token_as(TokenKind::Catch, Expected::OPERATOR)
        .ignore_then(own_line(rules.arms.clone()))
        .boxed()
}

type OperatorTable = fn(TokenKind) -> Option<BinaryOperator>;

/// An infix operator of one precedence.
fn operator(table: OperatorTable) -> Rule<Operator> {
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
fn comparison() -> Rule<Operator> {
    operator(compared)
        .then_ignore(crate::parser::input::line_break())
        .boxed()
}

/// `Otherwise = "??" ;`
fn otherwise() -> Rule<Operator> {
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
