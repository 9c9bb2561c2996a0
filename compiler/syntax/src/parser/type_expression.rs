//! Types as written.

use chumsky::prelude::{IterParser, Parser, choice};

use crate::ast::{FunctionType, Identifier, TypeExpression, TypeExpressionKind};
use crate::parser::error::Expected;
use crate::parser::input::{
    Context, Rule, any_word, commas, identifier, span_of, token, token_as, without_comments, word,
};
use crate::parser::literal::plain_string;
use crate::parser::recovery::closing;
use crate::parser::rules::Rules;
use crate::token::{TokenKind, Word};

fn node(kind: TypeExpressionKind, context: &mut Context<'_>) -> TypeExpression {
    TypeExpression {
        kind,
        span: span_of(context),
    }
}

/// `Type = OptionalType { "|" OptionalType } ;`
pub(crate) fn type_expression(rules: &Rules) -> Rule<TypeExpression> {
    union(rules.optional_type.clone().boxed())
}

fn union(member: Rule<TypeExpression>) -> Rule<TypeExpression> {
    member
        .separated_by(token_as(TokenKind::Pipe, Expected::OPERATOR))
        .at_least(1)
        .collect::<Vec<_>>()
        .map_with(
            |mut members, context: &mut Context<'_>| match members.len() {
                1 => members.remove(0),
                _ => node(TypeExpressionKind::Union(members), context),
            },
        )
        .boxed()
}

/// `OptionalType = PrimaryType { "?" | "??" } ;`
pub(crate) fn optional_type(rules: &Rules) -> Rule<TypeExpression> {
    let mark = choice((
        token_as(TokenKind::Question, Expected::OPERATOR),
        token_as(TokenKind::QuestionQuestion, Expected::OPERATOR),
    ));
    marked(rules, mark.repeated().count().boxed())
}

/// `ConversionType = PrimaryType [ "?" ] { "|" PrimaryType [ "?" ] } ;`
///
/// After `as` a `??` is the operator: `j as int ?? 0`.
pub(crate) fn conversion_type(rules: &Rules) -> Rule<TypeExpression> {
    let mark = token_as(TokenKind::Question, Expected::OPERATOR);
    union(marked(rules, mark.repeated().count().boxed()))
}

/// A type with question marks. `T??` is `T?`, so that however many there are, the tree gets one node.
fn marked(rules: &Rules, marks: Rule<usize>) -> Rule<TypeExpression> {
    primary_type(rules)
        .then(marks)
        .map_with(|(ty, marks), context: &mut Context<'_>| match marks {
            0 => ty,
            _ => node(TypeExpressionKind::Optional(Box::new(ty)), context),
        })
        .boxed()
}

/// `PrimaryType = NamedType | String | "[" Type "]" | "{" Type ":" Type "}" | TupleType | FunctionType ;`
fn primary_type(rules: &Rules) -> Rule<TypeExpression> {
    let literal = plain_string(Expected::TYPE).map_with(|text, context: &mut Context<'_>| {
        node(TypeExpressionKind::Literal(text), context)
    });
    let list = token_as(TokenKind::BracketOpen, Expected::TYPE)
        .ignore_then(rules.type_expression.clone())
        .then_ignore(closing(TokenKind::BracketClose))
        .map_with(|element, context: &mut Context<'_>| {
            node(TypeExpressionKind::List(Box::new(element)), context)
        });
    let map = token_as(TokenKind::BraceOpen, Expected::TYPE)
        .ignore_then(rules.type_expression.clone())
        .then_ignore(token(TokenKind::Colon))
        .then(rules.type_expression.clone())
        .then_ignore(closing(TokenKind::BraceClose))
        .map_with(|(key, value), context: &mut Context<'_>| {
            let (key, value) = (Box::new(key), Box::new(value));
            node(TypeExpressionKind::Map { key, value }, context)
        });
    choice((
        named_type(rules),
        literal,
        list,
        map,
        tuple_type(rules),
        function_type(rules),
    ))
    .boxed()
}

/// `NamedType = Name [ "." Name ] [ "<" Type { "," Type } ">" ] ;`
fn named_type(rules: &Rules) -> Rule<TypeExpression> {
    let arguments = token_as(TokenKind::Less, Expected::OPERATOR)
        .ignore_then(commas(rules.type_expression.clone()))
        .then_ignore(token(TokenKind::Greater))
        .or_not()
        .map(Option::unwrap_or_default);
    token_as(TokenKind::Identifier, Expected::TYPE)
        .map_with(|token, context: &mut Context<'_>| context.state().identifier(token))
        .then(
            token_as(TokenKind::Dot, Expected::OPERATOR)
                .ignore_then(identifier())
                .repeated()
                .collect::<Vec<_>>(),
        )
        .then(arguments)
        .map_with(
            |((first, mut path), arguments), context: &mut Context<'_>| {
                path.insert(0, first);
                node(TypeExpressionKind::Named { path, arguments }, context)
            },
        )
        .boxed()
}

/// `TupleType = "(" [ Type { "," Type } [ "," ] ] ")" ;`
fn tuple_type(rules: &Rules) -> Rule<TypeExpression> {
    token_as(TokenKind::ParenOpen, Expected::TYPE)
        .ignore_then(commas(rules.type_expression.clone()))
        .then_ignore(closing(TokenKind::ParenClose))
        .map_with(
            |mut members, context: &mut Context<'_>| match members.len() {
                0 => node(TypeExpressionKind::Unit, context),
                1 => members.remove(0),
                _ => node(TypeExpressionKind::Tuple(members), context),
            },
        )
        .boxed()
}

/// `FunctionType = "fn" "(" [ Type { "," Type } ] ")" [ "->" Type ] [ Throws ] [ "uses" Effect { "+" Effect } ] ;`
fn function_type(rules: &Rules) -> Rule<TypeExpression> {
    let parameters = token(TokenKind::ParenOpen)
        .ignore_then(commas(rules.type_expression.clone()))
        .then_ignore(closing(TokenKind::ParenClose));
    let result = token_as(TokenKind::Arrow, Expected::OPERATOR)
        .ignore_then(rules.type_expression.clone())
        .or_not();
    let uses = word(Word::Uses, Expected::WORD)
        .ignore_then(
            effect()
                .separated_by(token_as(TokenKind::Plus, Expected::OPERATOR))
                .at_least(1)
                .collect::<Vec<_>>(),
        )
        .or_not();
    token_as(TokenKind::Fn, Expected::TYPE)
        .ignore_then(parameters)
        .then(result)
        .then(throws(rules).or_not())
        .then(uses)
        .map_with(
            |(((parameters, result), throws), uses), context: &mut Context<'_>| {
                let function = FunctionType {
                    parameters,
                    result,
                    throws,
                    uses,
                };
                node(TypeExpressionKind::Function(Box::new(function)), context)
            },
        )
        .boxed()
}

/// `Effect = Name { "." Name } ;`
fn effect() -> Rule<Identifier> {
    any_word()
        .separated_by(token_as(TokenKind::Dot, Expected::OPERATOR))
        .at_least(1)
        .collect::<Vec<_>>()
        .map_with(|_, context: &mut Context<'_>| dotted(context))
        .boxed()
}

/// The whole text of a dotted name as one identifier.
pub(crate) fn dotted(context: &mut Context<'_>) -> Identifier {
    let span = span_of(context);
    let name = without_comments(context.state().text(span)).into();
    Identifier { name, span }
}

/// `Throws = "!" OptionalType { "|" OptionalType } ;`
pub(crate) fn throws(rules: &Rules) -> Rule<Vec<TypeExpression>> {
    token_as(TokenKind::Bang, Expected::OPERATOR)
        .ignore_then(
            rules
                .optional_type
                .clone()
                .separated_by(token_as(TokenKind::Pipe, Expected::OPERATOR))
                .at_least(1)
                .collect::<Vec<_>>(),
        )
        .boxed()
}
