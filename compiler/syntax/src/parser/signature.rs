//! Heads of declarations: names, type parameters, parameters, results and what follows them.

use chumsky::prelude::{IterParser, Parser, choice, empty};
use gsw_source::Span;

use crate::ast::{
    Attribute, Expression, Identifier, Modifier, Parameter, RepeatClass, Signature, TypeExpression,
    TypeExpressionKind,
};
use crate::brackets::is_header_word;
use crate::parser::error::Expected;
use crate::parser::input::{
    Context, Rule, State, any_word, commas, identifier, looking_at, span_of, token, token_as, word,
};
use crate::parser::line::{body_break, line_break};
use crate::parser::modifier::modifiers;
use crate::parser::recovery::{
    Boundary, closing, element_end, is_typed_name, lacks_closer, missing_separator, or_hole,
};
use crate::parser::rules::Rules;
use crate::parser::type_expression::throws;
use crate::token::{TokenKind, Word};

/// Whether a parameter may leave its type out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typing {
    /// Only `self` may.
    Required,
    Optional,
}

/// `Attribute = "@" Name [ "(" [ Expression { "," Expression } ] ")" ] ;`
fn attribute(rules: &Rules) -> Rule<Attribute> {
    let arguments = token_as(TokenKind::ParenOpen, Expected::OPERATOR)
        .ignore_then(commas(rules.any_expression()))
        .then_ignore(token(TokenKind::ParenClose))
        .or_not();
    token_as(TokenKind::At, Expected::NOTHING)
        .ignore_then(any_word())
        .then(arguments)
        .map_with(|(name, arguments), context: &mut Context<'_>| Attribute {
            name,
            arguments: arguments.unwrap_or_default(),
            span: span_of(context),
        })
        .boxed()
}

/// `Attributes = { Attribute [ Newline ] } ;`
pub(crate) fn attributes(rules: &Rules) -> Rule<Vec<Attribute>> {
    attribute(rules)
        .then_ignore(line_break())
        .repeated()
        .collect()
        .boxed()
}

/// What is before a name: its doc comment and its attributes.
pub(crate) struct Prefix {
    pub(crate) docs: Option<String>,
    pub(crate) attributes: Vec<Attribute>,
}

/// `Prefix = [ DocComment ] Attributes ;`
pub(crate) fn prefix(rules: &Rules) -> Rule<Prefix> {
    attributes(rules)
        .map_with(|attributes, context: &mut Context<'_>| {
            let range = context.span();
            let state: &mut State = context.state();
            // A doc comment may be before the attributes or between them and the name.
            let docs = state.docs(range.start).or_else(|| state.docs(range.end));
            Prefix { docs, attributes }
        })
        .boxed()
}

/// `Generics = "<" Name { "," Name } [ "," ] ">" ;`
pub(crate) fn generics() -> Rule<Vec<Identifier>> {
    token_as(TokenKind::Less, Expected::OPERATOR)
        .ignore_then(commas(identifier()))
        .then_ignore(token(TokenKind::Greater))
        .or_not()
        .map(Option::unwrap_or_default)
        .boxed()
}

/// `Parameters = "(" [ Parameter { "," Parameter } [ "," ] ] ")" ;`
pub(crate) fn parameters(rules: &Rules, typing: Typing) -> Rule<Vec<Parameter>> {
    let parameter = or_hole(
        parameter(rules, typing).then_ignore(choice((
            element_end(),
            looking_at(is_typed_name, Expected::token(TokenKind::Comma)),
            looking_at(
                move |state, index| ends_unclosed(state, index, typing),
                Expected::NOTHING,
            ),
        ))),
        Boundary::Element,
        |state, index| Parameter {
            docs: None,
            attributes: Vec::new(),
            name: parameter_name(state, index),
            ty: Some(type_hole(state, index)),
            trusted: None,
            default: None,
        },
    );
    let comma = choice((
        token(TokenKind::Comma).ignored(),
        missing_separator(is_typed_name),
    ));
    token(TokenKind::ParenOpen)
        .ignore_then(parameter.separated_by(comma).allow_trailing().collect())
        .then_ignore(closing(TokenKind::ParenClose))
        .boxed()
}

/// Whether parameters without `)` end here: at what follows them, or with the line where they are all there is.
fn ends_unclosed(state: &State, index: usize, typing: Typing) -> bool {
    let is_line_end = state.kind(index) == Some(TokenKind::Newline);
    let next = index + usize::from(is_line_end);
    let is_end = match state.token(next) {
        None => true,
        Some(token) => {
            is_header_word(token.word)
                || matches!(
                    token.kind,
                    TokenKind::Arrow | TokenKind::Bang | TokenKind::BraceOpen
                )
        }
    };
    let is_alone = is_line_end && typing == Typing::Optional;
    (is_end || is_alone) && lacks_closer(state, index, TokenKind::ParenClose)
}

/// The name of a parameter that could not be read to its end.
fn parameter_name(state: &State, index: usize) -> Identifier {
    match state.token(index).filter(|token| token.is_word()) {
        Some(token) => state.identifier(token),
        None => Identifier {
            name: gsw_source::Name::default(),
            span: state.span(index, index),
        },
    }
}

fn type_hole(state: &State, index: usize) -> TypeExpression {
    TypeExpression {
        kind: TypeExpressionKind::Invalid,
        span: state.span(index, index),
    }
}

/// `Parameter = Prefix Word [ ":" Type [ "trusted" ] ] [ "=" Expression ] ;`
fn parameter(rules: &Rules, typing: Typing) -> Rule<Parameter> {
    let annotation = token(TokenKind::Colon)
        .ignore_then(rules.type_expression.clone())
        .then(trusted());
    let may_lack_type = looking_at(
        move |state, index| {
            typing == Typing::Optional
                || index.checked_sub(1).and_then(|name| state.kind(name))
                    == Some(TokenKind::SelfValue)
        },
        Expected::token(TokenKind::Colon),
    );
    let ty = choice((
        annotation.map(|(ty, trusted)| (Some(ty), trusted)),
        may_lack_type.to((None, None)),
    ));
    let default = token_as(TokenKind::Equal, Expected::OPERATOR)
        .ignore_then(rules.any_expression())
        .or_not();
    prefix(rules)
        .then(any_word())
        .then(ty)
        .then(default)
        .map(|(((prefix, name), (ty, trusted)), default)| Parameter {
            docs: prefix.docs,
            attributes: prefix.attributes,
            name,
            ty,
            trusted,
            default,
        })
        .boxed()
}

/// `trusted` after a type, with its place.
fn trusted() -> Rule<Option<Span>> {
    word(Word::Trusted, Expected::NOTHING)
        .map(|token| token.span)
        .or_not()
        .boxed()
}

/// What follows the parameters of a signature.
#[derive(Default)]
struct Tail {
    result: Option<TypeExpression>,
    trusted: Option<Span>,
    throws: Option<Vec<TypeExpression>>,
    by: Option<Expression>,
    repeat: Option<RepeatClass>,
    modifiers: Vec<Modifier>,
}

/// `Signature = Name [ Generics ] Parameters SignatureTail ;`
pub(crate) fn signature(rules: &Rules) -> Rule<Signature> {
    let tail = or_hole(
        tail(rules).then_ignore(looking_at(
            |state, index| matches!(state.kind(index), None | Some(TokenKind::BraceOpen)),
            Expected::token(TokenKind::BraceOpen),
        )),
        Boundary::Body,
        |state, index| Tail {
            result: Some(type_hole(state, index)),
            ..Tail::default()
        },
    );
    let tail = choice((
        looking_at(
            |state, index| state.kind(index) == Some(TokenKind::BraceOpen),
            Expected::NOTHING,
        )
        .map(|()| Tail::default()),
        tail,
        empty().map(|()| Tail::default()),
    ));
    // `log.error` is a function whose name is a reserved word.
    any_word()
        .then(generics())
        .then(parameters(rules, Typing::Required))
        .then(tail)
        .map(|(((name, generics), parameters), tail)| Signature {
            name,
            generics,
            parameters,
            result: tail.result,
            trusted: tail.trusted,
            throws: tail.throws,
            by: tail.by,
            repeat: tail.repeat,
            modifiers: tail.modifiers,
        })
        .boxed()
}

/// `SignatureTail = [ "->" Type [ "trusted" ] ] [ Throws ] [ RepeatClass ] [ "by" SimpleOperand ] Modifiers ;`
fn tail(rules: &Rules) -> Rule<Tail> {
    let result = on_next_line(
        token_as(TokenKind::Arrow, Expected::token(TokenKind::Arrow))
            .ignore_then(rules.type_expression.clone())
            .then(trusted())
            .boxed(),
    );
    let throws = on_next_line(throws(rules));
    let by = on_next_line(
        word(Word::By, Expected::MODIFIER)
            .ignore_then(rules.simple_operand.clone())
            .boxed(),
    );
    let repeat = on_next_line(repeat_class(rules));
    result
        .or_not()
        .then(throws.or_not())
        .then(repeat.or_not())
        .then(by.or_not())
        .then(modifiers(rules))
        .then_ignore(body_break())
        .map(|((((result, throws), repeat), by), modifiers)| {
            let (result, trusted) = match result {
                Some((result, trusted)) => (Some(result), trusted),
                None => (None, None),
            };
            Tail {
                result,
                trusted,
                throws,
                by,
                repeat,
                modifiers,
            }
        })
        .boxed()
}

/// `production`, also at the beginning of the next line.
fn on_next_line<T: 'static>(production: Rule<T>) -> Rule<T> {
    line_break().ignore_then(production).boxed()
}

/// `RepeatClass = "pure" | "reads" | "idempotent" "by" SimpleOperand | "once" ;`
fn repeat_class(rules: &Rules) -> Rule<RepeatClass> {
    let idempotent = word(Word::Idempotent, Expected::MODIFIER)
        .ignore_then(word(Word::By, Expected::WORD))
        .ignore_then(rules.simple_operand.clone())
        .map(|key| RepeatClass::Idempotent(Box::new(key)));
    choice((
        word(Word::Pure, Expected::MODIFIER).map(|token| RepeatClass::Pure(token.span)),
        word(Word::Reads, Expected::MODIFIER).map(|token| RepeatClass::Reads(token.span)),
        idempotent,
        word(Word::Once, Expected::MODIFIER).map(|token| RepeatClass::Once(token.span)),
    ))
    .boxed()
}
