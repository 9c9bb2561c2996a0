//! Operands in brackets: parentheses, tuples, lists, maps, records, lambdas and arguments.

use chumsky::prelude::{IterParser, Parser, choice};

use crate::ast::{
    Argument, Expression, ExpressionKind, FieldInit, Identifier, LambdaParameter, MapEntry,
};
use crate::parser::error::{Expected, ParseError, Reason};
use crate::parser::input::{
    Context, Rule, State, any_word, between, commas, identifier, looking_at, start_of, token,
    token_as,
};
use crate::parser::literal::string_literal;
use crate::parser::node::node;
use crate::parser::operand::control::body;
use crate::parser::operand::when;
use crate::parser::pattern::lambda_pattern;
use crate::parser::recovery::separator;
use crate::parser::rules::{Mode, Rules};
use crate::token::{Token, TokenKind, Word};

/// `Arguments = "(" [ Argument { "," Argument } [ "," ] ] ")" ;`
pub(crate) fn arguments(rules: &Rules) -> Rule<Vec<Argument>> {
    between(
        TokenKind::ParenOpen,
        commas(argument(rules)),
        TokenKind::ParenClose,
    )
    .boxed()
}

/// `Argument = [ ArgumentName ] Expression ;`
fn argument(rules: &Rules) -> Rule<Argument> {
    argument_name()
        .or_not()
        .then(rules.any_expression())
        .map(|(name, value)| Argument { name, value })
        .boxed()
}

/// `ArgumentName = Word ":" ;`
fn argument_name() -> Rule<Identifier> {
    looking_at(
        |state, index| {
            state.kind(index + 1) == Some(TokenKind::Colon)
                && state.token(index).is_some_and(Token::is_word)
        },
        Expected::NOTHING,
    )
    .ignore_then(any_word())
    .then_ignore(token(TokenKind::Colon))
    .boxed()
}

/// `Parenthesis = "(" [ Expression { "," Expression } [ "," ] ] ")" ;`
pub(crate) fn parenthesis(rules: &Rules) -> Rule<Expression> {
    token_as(TokenKind::ParenOpen, Expected::EXPRESSION)
        .ignore_then(commas(rules.any_expression()))
        .then_ignore(token(TokenKind::ParenClose))
        .map_with(|mut elements, context: &mut Context<'_>| {
            let kind = match elements.len() {
                0 => ExpressionKind::Unit,
                1 => ExpressionKind::Parenthesized(Box::new(elements.remove(0))),
                _ => ExpressionKind::Tuple(elements),
            };
            node(kind, context)
        })
        .boxed()
}

/// `List = "[" [ Expression { "," Expression } [ "," ] ] "]" ;`
pub(crate) fn list(rules: &Rules) -> Rule<Expression> {
    token_as(TokenKind::BracketOpen, Expected::EXPRESSION)
        .ignore_then(commas(rules.any_expression()))
        .then_ignore(token(TokenKind::BracketClose))
        .map_with(|elements, context: &mut Context<'_>| {
            node(ExpressionKind::List(elements), context)
        })
        .boxed()
}

/// `Map = "{" [ MapKey ":" Expression { ( "," | Newline ) MapKey ":" Expression } ] "}" ;`
pub(crate) fn map(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let entry = map_key(rules)
        .then_ignore(token(TokenKind::Colon))
        .then(rules.any_expression())
        .map(|(key, value)| MapEntry { key, value });
    let map = token_as(TokenKind::BraceOpen, Expected::EXPRESSION)
        .ignore_then(
            entry
                .separated_by(separator())
                .allow_trailing()
                .collect::<Vec<_>>(),
        )
        .then_ignore(token(TokenKind::BraceClose))
        .map_with(|entries, context: &mut Context<'_>| node(ExpressionKind::Map(entries), context));
    when(move |_, _| mode != Mode::Head, map)
}

/// `MapKey = String | [ "-" ] Int | Name { "." Name } | "(" Expression ")" ;`
fn map_key(rules: &Rules) -> Rule<Expression> {
    let starts = looking_at(
        |state, index| match state.kind(index) {
            Some(TokenKind::Identifier) => {
                state.is_capitalised(index) || state.kind(index + 1) == Some(TokenKind::Dot)
            }
            kind => matches!(
                kind,
                Some(
                    TokenKind::String
                        | TokenKind::StringOpen
                        | TokenKind::Int
                        | TokenKind::Minus
                        | TokenKind::ParenOpen
                )
            ),
        },
        Expected::MAP_KEY,
    );
    let negative = token_as(TokenKind::Minus, Expected::MAP_KEY)
        .ignore_then(rules.simple_operand.clone())
        .map_with(|operand, context: &mut Context<'_>| {
            let kind = ExpressionKind::Unary {
                operator: crate::ast::UnaryOperator::Negate,
                operand: Box::new(operand),
            };
            node(kind, context)
        });
    starts
        .ignore_then(choice((
            string_literal(rules, Expected::MAP_KEY),
            negative,
            rules.simple_operand.clone(),
        )))
        .boxed()
}

/// What is between the separators of a record literal.
enum RecordElement {
    Field(FieldInit),
    Base(Expression, usize),
}

/// `Record = Name [ "." Name ] "{" [ ( RecordField | RecordBase ) { ( "," | Newline ) ( RecordField | RecordBase ) } ] "}"
/// ;`
pub(crate) fn record(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let path = identifier()
        .then(
            token_as(TokenKind::Dot, Expected::OPERATOR)
                .ignore_then(identifier())
                .or_not(),
        )
        .map(|(first, second)| std::iter::once(first).chain(second).collect::<Vec<_>>());
    let element = choice((base(rules), field_init(rules)));
    let record = path
        .then_ignore(token(TokenKind::BraceOpen))
        .then(
            element
                .separated_by(separator())
                .allow_trailing()
                .collect::<Vec<_>>(),
        )
        .then_ignore(token(TokenKind::BraceClose))
        .validate(|(path, elements), _, emitter| {
            let (kind, second) = record_kind(path, elements);
            if let Some(index) = second {
                emitter.emit(ParseError::because(index, Reason::SecondBase));
            }
            kind
        })
        .map_with(move |kind, context: &mut Context<'_>| {
            let record = node(kind, context);
            if mode == Mode::Head {
                let reason = Reason::RecordInHead(record.span);
                let index = start_of(context);
                context.emit(ParseError::because(index, reason));
            }
            record
        });
    when(
        move |state, index| {
            let opens = |name: usize| {
                state.is_capitalised(name)
                    && state.kind(name + 1) == Some(TokenKind::BraceOpen)
                    && (mode != Mode::Head || cannot_be_body(state, name + 1))
            };
            opens(index) || (state.kind(index + 1) == Some(TokenKind::Dot) && opens(index + 2))
        },
        record,
    )
}

/// Whether what is in the braces that open at `index` can only be the fields of a record: it is reported, and the head
/// continues.
fn cannot_be_body(state: &State, index: usize) -> bool {
    let is_word = state.token(index + 1).is_some_and(Token::is_word);
    let is_state = state.word(index + 1) == Word::State;
    is_word && !is_state && state.kind(index + 2) == Some(TokenKind::Colon)
}

/// The literal, and where a second base is.
fn record_kind(
    path: Vec<Identifier>,
    elements: Vec<RecordElement>,
) -> (ExpressionKind, Option<usize>) {
    let mut fields = Vec::new();
    let mut base = None;
    let mut second = None;
    for element in elements {
        match element {
            RecordElement::Field(field) => fields.push(field),
            RecordElement::Base(_, index) if base.is_some() => second = second.or(Some(index)),
            RecordElement::Base(expression, _) => base = Some(Box::new(expression)),
        }
    }
    (ExpressionKind::Record { path, fields, base }, second)
}

/// `RecordBase = ".." Expression ;`
fn base(rules: &Rules) -> Rule<RecordElement> {
    token(TokenKind::DotDot)
        .ignore_then(rules.any_expression())
        .map_with(|base, context: &mut Context<'_>| RecordElement::Base(base, context.span().start))
        .boxed()
}

/// `RecordField = Word ":" Expression | Name ;`
fn field_init(rules: &Rules) -> Rule<RecordElement> {
    let written = argument_name()
        .then(rules.any_expression())
        .map(|(name, value)| FieldInit {
            name,
            value: Some(value),
        });
    let short = identifier().map(|name| FieldInit { name, value: None });
    choice((written, short)).map(RecordElement::Field).boxed()
}

/// `ShortLambda = ( Name | "_" ) "=>" Body ;`
pub(crate) fn short_lambda(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let parameter = lambda_pattern(rules).map(|pattern| LambdaParameter { pattern, ty: None });
    let lambda = parameter
        .map(|parameter| vec![parameter])
        .then_ignore(token(TokenKind::FatArrow))
        .then(body(rules, mode))
        .map_with(lambda_node);
    when(
        move |state, index| {
            mode != Mode::Guard && state.kind(index + 1) == Some(TokenKind::FatArrow)
        },
        lambda,
    )
}

/// `Lambda = "(" [ LambdaPattern [ TypeAnnotation ] { "," LambdaPattern [ TypeAnnotation ] } [ "," ] ] ")" "=>" Body ;`
pub(crate) fn lambda(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let ty = token(TokenKind::Colon)
        .ignore_then(rules.type_expression.clone())
        .or_not();
    let parameter = lambda_pattern(rules)
        .then(ty)
        .map(|(pattern, ty)| LambdaParameter { pattern, ty });
    let lambda = between(
        TokenKind::ParenOpen,
        commas(parameter),
        TokenKind::ParenClose,
    )
    .then_ignore(token(TokenKind::FatArrow))
    .then(body(rules, mode))
    .map_with(lambda_node);
    when(
        move |state, index| {
            mode != Mode::Guard
                && state.kind(index) == Some(TokenKind::ParenOpen)
                && state.kind_after_bracket(index) == Some(TokenKind::FatArrow)
        },
        lambda,
    )
}

fn lambda_node(
    (parameters, body): (Vec<LambdaParameter>, Expression),
    context: &mut Context<'_>,
) -> Expression {
    let body = Box::new(body);
    node(ExpressionKind::Lambda { parameters, body }, context)
}
