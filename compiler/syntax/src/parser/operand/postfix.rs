//! What follows an operand: fields, indices, calls and their modifiers.

use chumsky::prelude::{IterParser, Parser, choice, empty, via_parser};
use gsw_source::Span;

use crate::ast::{Argument, Chain, Expression, ExpressionKind, Identifier, Setting};
use crate::parser::error::Expected;
use crate::parser::input::{
    Context, Rule, any_word, looking_at, span_of, start_of, token, token_as, token_that, word,
};
use crate::parser::literal::{literal, string_literal};
use crate::parser::node::node;
use crate::parser::operand::{bracketed, name, operand, when};
use crate::parser::rules::{Mode, Rules};
use crate::token::{TokenKind, Value, Word};

/// One link of a chain.
#[derive(Clone)]
enum Link {
    Field(Identifier, Chain),
    TupleField(u32, Span),
    AllOf,
    Index(Expression),
    Call(Vec<Argument>, Span, Vec<CallModifier>),
}

/// What may follow a call.
#[derive(Clone)]
enum CallModifier {
    By(Expression, Span),
    With(Vec<Setting>, Span),
}

/// `Chain = Operand { Field | Index | Call { By | With } } ;`
pub(crate) fn chain(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let modifier = looking_at(
        |state, index| matches!(state.word(index), Word::By | Word::With),
        Expected::MODIFIER,
    );
    let modifiers = modifier
        .ignore_then(choice((by(rules), with(rules))))
        .repeated()
        .collect::<Vec<_>>();
    links(rules, operand(rules, mode), modifiers.boxed())
}

/// `SimpleOperand = ( Name | Literal | StringLiteral | Parenthesis ) { Field | Index | Call } ;`
pub(crate) fn simple_operand(rules: &Rules) -> Rule<Expression> {
    let literals = when(
        |state, index| state.kind(index).is_some_and(TokenKind::is_literal),
        literal(Expected::EXPRESSION).map_with(|literal, context: &mut Context<'_>| {
            node(ExpressionKind::Literal(literal), context)
        }),
    );
    let first = choice((
        name(),
        literals,
        string_literal(rules, Expected::EXPRESSION),
        bracketed::parenthesis(rules),
    ));
    let no_modifiers = empty().to(Vec::new()).boxed();
    links(rules, first.boxed(), no_modifiers)
}

fn links(
    rules: &Rules,
    first: Rule<Expression>,
    modifiers: Rule<Vec<CallModifier>>,
) -> Rule<Expression> {
    let call = call_arguments(rules)
        .then(modifiers)
        .map(|((arguments, span), modifiers)| Link::Call(arguments, span, modifiers));
    let link = looking_at(
        |state, index| {
            matches!(
                state.kind(index),
                Some(
                    TokenKind::Dot
                        | TokenKind::QuestionDot
                        | TokenKind::ParenOpen
                        | TokenKind::BracketOpen
                )
            )
        },
        Expected::OPERATOR,
    )
    .ignore_then(choice((field(), call, index(rules))));
    first
        .foldl_with(link.repeated(), |base, link, context: &mut Context<'_>| {
            context.state().count_link();
            linked(base, link, context)
        })
        .boxed()
}

fn linked(base: Expression, link: Link, context: &mut Context<'_>) -> Expression {
    let start = base.span;
    let base = Box::new(base);
    let kind = match link {
        Link::Field(name, chain) => ExpressionKind::Field { base, name, chain },
        Link::TupleField(index, index_span) => ExpressionKind::TupleField {
            base,
            index,
            index_span,
        },
        Link::AllOf => ExpressionKind::AllOf(base),
        Link::Index(index) => ExpressionKind::Index {
            base,
            index: Box::new(index),
        },
        Link::Call(arguments, arguments_span, modifiers) => {
            let call = ExpressionKind::Call {
                callee: base,
                arguments,
                arguments_span,
            };
            let call = Expression {
                kind: call,
                span: start.to(arguments_span),
            };
            return modifiers.into_iter().fold(call, modified);
        }
    };
    node(kind, context)
}

fn modified(call: Expression, modifier: CallModifier) -> Expression {
    let start = call.span;
    let call = Box::new(call);
    match modifier {
        CallModifier::By(agent, span) => Expression {
            kind: ExpressionKind::By {
                call,
                agent: Box::new(agent),
            },
            span: start.to(span),
        },
        CallModifier::With(settings, span) => Expression {
            kind: ExpressionKind::With { call, settings },
            span: start.to(span),
        },
    }
}

/// `Field = ( "." | "?." ) ( Word | Int ) | "." "*" ;`
fn field() -> Rule<Link> {
    let dot = token_that(Chain::of_token, Expected::OPERATOR);
    let number =
        token_as(TokenKind::Int, Expected::NOTHING).map_with(|token, context: &mut Context<'_>| {
            let index = match context.state().value(token) {
                Some(Value::Int(Some(index))) => u32::try_from(*index).unwrap_or(u32::MAX),
                Some(Value::Int(None) | Value::Float(_) | Value::Duration(_) | Value::Text(_))
                | None => u32::MAX,
            };
            Link::TupleField(index, token.span)
        });
    let all = token_as(TokenKind::Star, Expected::NOTHING).to(Link::AllOf);
    // After a lone dot an empty name keeps the operand in the tree, for completion.
    let missing = empty().map_with(|(), context: &mut Context<'_>| {
        let index = start_of(context);
        let end = context.state().span(index.saturating_sub(1), index).end;
        Identifier {
            name: gsw_source::Name::default(),
            span: Span::new(end, end),
        }
    });
    let word = any_word();
    dot.then(choice((
        word.clone().map(Rest::Name),
        number.map(Rest::Link),
        all.map(Rest::Link),
        word.recover_with(via_parser(missing)).map(Rest::Name),
    )))
    .map(|(chain, rest)| match rest {
        // After `?.` a number is a name like any other: its type decides what it refers to.
        Rest::Link(Link::TupleField(index, span)) if chain == Chain::Optional => {
            let name = gsw_source::Name::from(index.to_string());
            Link::Field(Identifier { name, span }, chain)
        }
        Rest::Link(link) => link,
        Rest::Name(name) => Link::Field(name, chain),
    })
    .boxed()
}

enum Rest {
    Link(Link),
    Name(Identifier),
}

/// `Index = "[" Expression "]" ;`
fn index(rules: &Rules) -> Rule<Link> {
    token_as(TokenKind::BracketOpen, Expected::OPERATOR)
        .ignore_then(rules.any_expression())
        .then_ignore(token(TokenKind::BracketClose))
        .map(Link::Index)
        .boxed()
}

/// `Call = Arguments ;`
fn call_arguments(rules: &Rules) -> Rule<(Vec<Argument>, Span)> {
    looking_at(
        |state, index| state.kind(index) == Some(TokenKind::ParenOpen),
        Expected::OPERATOR,
    )
    .ignore_then(rules.arguments.clone())
    .map_with(|arguments, context: &mut Context<'_>| (arguments, span_of(context)))
    .boxed()
}

/// `By = "by" SimpleOperand ;`
fn by(rules: &Rules) -> Rule<CallModifier> {
    word(Word::By, Expected::MODIFIER)
        .ignore_then(rules.simple_operand.clone())
        .map_with(|agent, context: &mut Context<'_>| CallModifier::By(agent, span_of(context)))
        .boxed()
}

/// `With = "with" Settings ;`
fn with(rules: &Rules) -> Rule<CallModifier> {
    looking_at(
        |state, index| {
            state.word(index) == Word::With && state.kind(index + 1) == Some(TokenKind::BraceOpen)
        },
        Expected::MODIFIER,
    )
    .ignore_then(word(Word::With, Expected::MODIFIER))
    .ignore_then(rules.settings.clone())
    .map_with(|settings, context: &mut Context<'_>| CallModifier::With(settings, span_of(context)))
    .boxed()
}
