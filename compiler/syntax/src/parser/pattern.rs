//! Patterns.

use chumsky::prelude::{IterParser, Parser, choice};

use crate::ast::{
    Identifier, ListRest, Literal, Pattern, PatternField, PatternKind, RangeEnd, Rest,
};
use crate::parser::error::{Expected, ParseError, Reason};
use crate::parser::input::{
    Context, Rule, any_word, between, commas, identifier, is_capitalised, looking_at, span_of,
    token, token_as, token_that,
};
use crate::parser::literal::{literal, plain_string};
use crate::parser::recovery::separator;
use crate::parser::rules::Rules;
use crate::token::TokenKind;

/// `Pattern = PrimaryPattern { "|" PrimaryPattern } ;`
pub(crate) fn pattern(rules: &Rules) -> Rule<Pattern> {
    primary_pattern(rules)
        .separated_by(token_as(TokenKind::Pipe, Expected::OPERATOR))
        .at_least(1)
        .collect::<Vec<_>>()
        .map_with(
            |mut alternatives, context: &mut Context<'_>| match alternatives.len() {
                1 => alternatives.remove(0),
                _ => node(PatternKind::Or(alternatives), context),
            },
        )
        .boxed()
}

fn node(kind: PatternKind, context: &mut Context<'_>) -> Pattern {
    Pattern {
        kind,
        span: span_of(context),
    }
}

/// `PrimaryPattern = "_" | LiteralPattern | TuplePattern | ListPattern | PathPattern ;`
fn primary_pattern(rules: &Rules) -> Rule<Pattern> {
    let wildcard = token_as(TokenKind::Underscore, Expected::PATTERN)
        .map_with(|_, context: &mut Context<'_>| node(PatternKind::Wildcard, context));
    choice((
        path_pattern(rules),
        wildcard,
        literal_pattern(),
        tuple_pattern(rules),
        list_pattern(rules),
    ))
    .boxed()
}

/// `LambdaPattern = Name | "_" | TuplePattern ;`
pub(crate) fn lambda_pattern(rules: &Rules) -> Rule<Pattern> {
    let name = identifier()
        .map_with(|name, context: &mut Context<'_>| node(PatternKind::Binding(name), context));
    let wildcard = token_as(TokenKind::Underscore, Expected::NAME)
        .map_with(|_, context: &mut Context<'_>| node(PatternKind::Wildcard, context));
    choice((name, wildcard, tuple_pattern(rules))).boxed()
}

/// `LiteralPattern = SignedLiteral [ ( ".." | "..=" ) [ "-" ] Int ] | PlainString ;`
fn literal_pattern() -> Rule<Pattern> {
    let range_end = token_that(RangeEnd::of_token, Expected::OPERATOR);
    let number = signed_literal()
        .then(range_end.then(signed_literal()).or_not())
        .map_with(|(start, end), context: &mut Context<'_>| {
            let kind = match end {
                None => PatternKind::Literal(start),
                Some((range_end, end)) => range(&start, &end, range_end),
            };
            node(kind, context)
        });
    let string = plain_string(Expected::PATTERN).map_with(|text, context: &mut Context<'_>| {
        node(PatternKind::Literal(Literal::String(text)), context)
    });
    choice((number, string)).boxed()
}

fn range(start: &Literal, end: &Literal, range_end: RangeEnd) -> PatternKind {
    let bound = |literal: &Literal| {
        let Literal::Int(Some(value)) = literal else {
            return None;
        };
        i64::try_from(*value).ok()
    };
    let (Some(start), Some(end)) = (bound(start), bound(end)) else {
        return PatternKind::Invalid;
    };
    PatternKind::Range {
        start,
        end,
        range_end,
    }
}

/// `SignedLiteral = [ "-" ] Literal ;`
fn signed_literal() -> Rule<Literal> {
    token_as(TokenKind::Minus, Expected::PATTERN)
        .or_not()
        .then(literal(Expected::PATTERN))
        .map(|(minus, literal)| {
            if minus.is_some() {
                negated(literal)
            } else {
                literal
            }
        })
        .boxed()
}

fn negated(literal: Literal) -> Literal {
    match literal {
        Literal::Int(value) => Literal::Int(value.map(|value| -value)),
        Literal::Float(bits) => Literal::Float((-f64::from_bits(bits)).to_bits()),
        Literal::Duration(nanoseconds) => Literal::Duration(-nanoseconds),
        Literal::Bool(_) | Literal::None | Literal::String(_) => literal,
    }
}

/// `TuplePattern = "(" [ Pattern { "," Pattern } [ "," ] ] ")" ;`
fn tuple_pattern(rules: &Rules) -> Rule<Pattern> {
    token_as(TokenKind::ParenOpen, Expected::PATTERN)
        .ignore_then(commas(rules.pattern.clone()))
        .then_ignore(token(TokenKind::ParenClose))
        .map_with(
            |mut elements, context: &mut Context<'_>| match elements.len() {
                1 => elements.remove(0),
                _ => node(PatternKind::Tuple(elements), context),
            },
        )
        .boxed()
}

/// What is between the commas of a list pattern.
enum ListElement {
    Pattern(Pattern),
    Rest(Option<Identifier>, usize),
}

/// `ListPattern = "[" [ ( Pattern | ".." [ Name ] ) { "," … } [ "," ] ] "]" ;`
fn list_pattern(rules: &Rules) -> Rule<Pattern> {
    let rest = token(TokenKind::DotDot)
        .ignore_then(identifier().or_not())
        .map_with(|name, context: &mut Context<'_>| ListElement::Rest(name, context.span().start));
    let element = choice((rest, rules.pattern.clone().map(ListElement::Pattern)));
    token_as(TokenKind::BracketOpen, Expected::PATTERN)
        .ignore_then(commas(element))
        .then_ignore(token(TokenKind::BracketClose))
        .try_map(|elements, _| list(elements))
        .map_with(node)
        .boxed()
}

fn list(elements: Vec<ListElement>) -> Result<PatternKind, ParseError> {
    let mut before = Vec::new();
    let mut after = Vec::new();
    let mut rest = ListRest::Complete;
    for element in elements {
        match element {
            ListElement::Pattern(pattern) if rest == ListRest::Complete => before.push(pattern),
            ListElement::Pattern(pattern) => after.push(pattern),
            ListElement::Rest(_, index) if rest != ListRest::Complete => {
                return Err(ParseError::because(index, Reason::SecondRest));
            }
            ListElement::Rest(name, _) => rest = name.map_or(ListRest::Ignored, ListRest::Bound),
        }
    }
    Ok(PatternKind::List {
        before,
        rest,
        after,
    })
}

/// `PathPattern = Name { "." Name } [ "(" PatternFields ")" | "{" RecordPatternFields "}" ] ;`
fn path_pattern(rules: &Rules) -> Rule<Pattern> {
    let path = token_as(TokenKind::Identifier, Expected::PATTERN)
        .map_with(|token, context: &mut Context<'_>| context.state().identifier(token))
        .then(
            token_as(TokenKind::Dot, Expected::OPERATOR)
                .ignore_then(identifier())
                .repeated()
                .collect::<Vec<_>>(),
        )
        .map(|(first, mut rest)| {
            rest.insert(0, first);
            rest
        });
    let payload = token_as(TokenKind::ParenOpen, Expected::OPERATOR)
        .ignore_then(payload_fields(rules))
        .then_ignore(token(TokenKind::ParenClose));
    let is_record = looking_at(
        |state, index| {
            state.kind(index) == Some(TokenKind::BraceOpen)
                && index
                    .checked_sub(1)
                    .is_some_and(|name| state.is_capitalised(name))
        },
        Expected::OPERATOR,
    );
    let record = is_record.ignore_then(between(
        TokenKind::BraceOpen,
        record_fields(rules),
        TokenKind::BraceClose,
    ));
    let tail = choice((payload.map(Tail::Payload), record.map(Tail::Record))).or_not();
    path.then(tail)
        .map_with(|(path, tail), context: &mut Context<'_>| node(path_kind(path, tail), context))
        .boxed()
}

enum Tail {
    Payload((Vec<PatternField>, Rest)),
    Record((Vec<PatternField>, Rest)),
}

fn path_kind(mut path: Vec<Identifier>, tail: Option<Tail>) -> PatternKind {
    match tail {
        None if path.len() == 1 && !is_capitalised(&path[0].name) => {
            PatternKind::Binding(path.remove(0))
        }
        None => PatternKind::Variant {
            path,
            fields: None,
            rest: Rest::Complete,
        },
        Some(Tail::Payload((fields, rest))) => PatternKind::Variant {
            path,
            fields: Some(fields),
            rest,
        },
        Some(Tail::Record((fields, rest))) => PatternKind::Record { path, fields, rest },
    }
}

/// What is between the separators of a variant's or a record's pattern.
enum FieldElement {
    Field(PatternField),
    Rest,
}

/// `PatternFields = ( NamedPatternField | Pattern ) { "," … } [ ".." ] ;`
pub(super) fn payload_fields(rules: &Rules) -> Rule<(Vec<PatternField>, Rest)> {
    let field = named_field(rules)
        .or(rules.pattern.clone().map(|pattern| PatternField {
            name: None,
            pattern,
        }))
        .map(FieldElement::Field);
    commas(choice((rest(), field))).map(fields).boxed()
}

/// `RecordPatternFields = Name [ ":" Pattern ] { ( "," | Newline ) … } [ ".." ] ;`
fn record_fields(rules: &Rules) -> Rule<(Vec<PatternField>, Rest)> {
    let short = identifier().map(|name| PatternField {
        pattern: Pattern {
            span: name.span,
            kind: PatternKind::Binding(name.clone()),
        },
        name: Some(name),
    });
    let field = named_field(rules).or(short).map(FieldElement::Field);
    choice((rest(), field))
        .separated_by(separator())
        .allow_trailing()
        .collect()
        .map(fields)
        .boxed()
}

fn rest() -> Rule<FieldElement> {
    token(TokenKind::DotDot).map(|_| FieldElement::Rest).boxed()
}

/// `NamedPatternField = Name ":" Pattern ;`
fn named_field(rules: &Rules) -> Rule<PatternField> {
    looking_at(
        |state, index| state.kind(index + 1) == Some(TokenKind::Colon),
        Expected::NOTHING,
    )
    .ignore_then(any_word())
    .then_ignore(token(TokenKind::Colon))
    .then(rules.pattern.clone())
    .map(|(name, pattern)| PatternField {
        name: Some(name),
        pattern,
    })
    .boxed()
}

fn fields(elements: Vec<FieldElement>) -> (Vec<PatternField>, Rest) {
    let mut rest = Rest::Complete;
    let mut fields = Vec::new();
    for element in elements {
        match element {
            FieldElement::Field(field) => fields.push(field),
            FieldElement::Rest => rest = Rest::Ignored,
        }
    }
    (fields, rest)
}
