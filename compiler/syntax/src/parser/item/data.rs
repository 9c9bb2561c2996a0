//! Declarations of data: records, aliases, enums and errors.

use chumsky::prelude::{Parser, choice, via_parser};

use crate::ast::{
    EnumDeclaration, ErrorDeclaration, Expression, FieldDeclaration, Identifier, ItemBody,
    Parameter, RecordDeclaration, TypeExpression, TypeExpressionKind, Variant,
};
use crate::parser::error::{Expected, ParseError, Reason};
use crate::parser::input::{
    Context, Extra, Rule, State, Tokens, any_word, identifier, looking_at, span_of, start_of,
    token, token_as, word,
};
use crate::parser::line::line_break;
use crate::parser::recovery::{
    Boundary, entries_between, entry_end, is_typed_name, missing_separator, separator, skip_to,
};
use crate::parser::rules::Rules;
use crate::parser::signature::{Typing, generics, parameters, prefix};
use crate::token::{LineStart, TokenKind, Word};

/// What follows the name of a type.
enum TypeBody {
    Record(Vec<FieldDeclaration>),
    Alias(TypeExpression, Option<Expression>),
}

/// `TypeDeclaration = "type" Name [ Generics ] ( "=" Type [ Check ] | "{" [ FieldDeclaration { ( "," | Newline )
/// FieldDeclaration } ] "}" ) ;`
pub(super) fn type_declaration(rules: &Rules) -> Rule<ItemBody> {
    let check = line_break().ignore_then(check(rules)).or_not();
    let alias = token(TokenKind::Equal)
        .ignore_then(rules.type_expression.clone())
        .then(check)
        .map(|(target, check)| TypeBody::Alias(target, check));
    let record = line_break()
        .ignore_then(fields(rules))
        .map(TypeBody::Record);
    token_as(TokenKind::Type, Expected::DECLARATION)
        .ignore_then(identifier())
        .then(generics())
        .then(choice((alias, record)))
        .map(|((name, generics), body)| type_item(name, generics, body))
        .boxed()
}

fn type_item(name: Identifier, generics: Vec<Identifier>, body: TypeBody) -> ItemBody {
    match body {
        TypeBody::Record(fields) => ItemBody::Record(RecordDeclaration {
            name,
            generics,
            fields,
        }),
        TypeBody::Alias(target, check) => ItemBody::Alias {
            name,
            generics,
            target,
            check,
        },
    }
}

/// Entries in braces, of which `is_next` says where one begins; what cannot be read is reported, and left out where `hole` finds
/// no name for it.
fn braced<T: 'static>(
    entry: impl Parser<'static, Tokens, T, Extra> + Clone + 'static,
    is_next: fn(&State, usize) -> bool,
    hole: fn(Identifier) -> T,
) -> Rule<Vec<T>> {
    let next = looking_at(is_next, Expected::token(TokenKind::Comma));
    let skipped = skip_to(Boundary::Entry).map_with(move |(), context: &mut Context<'_>| {
        let start = start_of(context);
        let state: &mut State = context.state();
        let token = state.token(start).filter(|it| it.is_word())?;
        Some(hole(state.identifier(token)))
    });
    let entry = entry
        .then_ignore(choice((entry_end(), next)))
        .map(Some)
        .recover_with(via_parser(skipped));
    let separator = choice((separator(), missing_separator(is_next)));
    entries_between(entry, separator)
        .map(|entries| entries.into_iter().flatten().collect())
        .boxed()
}

/// The entries of a record.
fn fields(rules: &Rules) -> Rule<Vec<FieldDeclaration>> {
    braced(field(rules), is_typed_name, |name| FieldDeclaration {
        docs: None,
        attributes: Vec::new(),
        ty: TypeExpression {
            kind: TypeExpressionKind::Invalid,
            span: name.span,
        },
        name,
        default: None,
        check: None,
    })
}

/// Whether a variant begins here.
fn is_variant(state: &State, index: usize) -> bool {
    state.kind(index) == Some(TokenKind::Identifier)
}

/// `Check = "where" Expression ;`
fn check(rules: &Rules) -> Rule<Expression> {
    word(Word::Where, Expected::MODIFIER)
        .ignore_then(rules.any_expression())
        .boxed()
}

/// `FieldDeclaration = Prefix Word ":" Type [ "=" Expression ] [ Check ] ;`
fn field(rules: &Rules) -> Rule<FieldDeclaration> {
    prefix(rules)
        .then(any_word())
        .then_ignore(token(TokenKind::Colon))
        .then(rules.type_expression.clone())
        .then(default_value(rules).or_not())
        .then(field_check(rules).or_not())
        .map(|((((prefix, name), ty), default), checked)| {
            let (check, late) = checked.unzip();
            FieldDeclaration {
                docs: prefix.docs,
                attributes: prefix.attributes,
                name,
                ty,
                default: default.or(late.flatten()),
                check,
            }
        })
        .boxed()
}

fn default_value(rules: &Rules) -> Rule<Expression> {
    token_as(TokenKind::Equal, Expected::OPERATOR)
        .ignore_then(rules.any_expression())
        .boxed()
}

/// The check of a field. A default value after it is read and reported.
fn field_check(rules: &Rules) -> Rule<(Expression, Option<Expression>)> {
    let spanned = |it, context: &mut Context<'_>| (it, start_of(context), span_of(context));
    let late = default_value(rules).map_with(spanned).or_not();
    check(rules)
        .map_with(spanned)
        .then(late)
        .map_with(|((check, _, checked), late), context: &mut Context<'_>| {
            let default = late.map(|(default, index, span)| {
                let reason = Reason::DefaultAfterCheck(checked, span);
                context.emit(ParseError::because(index, reason));
                default
            });
            (check, default)
        })
        .boxed()
}

/// `Enum = "enum" Name [ Generics ] "{" [ Variant { ( "," | Newline ) Variant } ] "}" ;`
pub(super) fn enum_declaration(rules: &Rules) -> Rule<ItemBody> {
    let variants = braced(variant(rules), is_variant, |name| Variant {
        docs: None,
        attributes: Vec::new(),
        name,
        fields: Vec::new(),
    })
    .map(EnumBody::Variants);
    token_as(TokenKind::Enum, Expected::DECLARATION)
        .ignore_then(identifier())
        .then(generics())
        .then_ignore(line_break())
        .then(choice((texts(rules), variants)))
        .map_with(
            |((name, generics), body), context: &mut Context<'_>| match body {
                EnumBody::Variants(variants) => ItemBody::Enum(EnumDeclaration {
                    name,
                    generics,
                    variants,
                }),
                EnumBody::Texts(target) => {
                    let (index, span) = (start_of(context), span_of(context));
                    context.emit(ParseError::because(index, Reason::EnumOfTexts(span)));
                    ItemBody::Alias {
                        name,
                        generics,
                        target,
                        check: None,
                    }
                }
            },
        )
        .boxed()
}

/// What follows the name of an enum.
enum EnumBody {
    Variants(Vec<Variant>),
    /// The union that was meant.
    Texts(TypeExpression),
}

/// Texts in the place of variants, which are read and reported.
fn texts(rules: &Rules) -> Rule<EnumBody> {
    let is_text = |state: &State, index: usize| {
        state.kind(index) == Some(TokenKind::BraceOpen)
            && state.kind(index + 1) == Some(TokenKind::String)
    };
    looking_at(is_text, Expected::token(TokenKind::BraceOpen))
        .ignore_then(entries_between(rules.type_expression.clone(), separator()))
        .map_with(
            |mut members: Vec<TypeExpression>, context: &mut Context<'_>| {
                let kind = match (members.len(), members.pop()) {
                    (1, Some(only)) => only.kind,
                    (_, last) => {
                        members.extend(last);
                        TypeExpressionKind::Union(members)
                    }
                };
                let span = span_of(context);
                EnumBody::Texts(TypeExpression { kind, span })
            },
        )
        .boxed()
}

/// `case` before a variant, which is read and reported.
fn case() -> Rule<()> {
    let is_case = |state: &State, index: usize| {
        let is_before_name = state.token(index + 1).is_some_and(|it| {
            it.kind == TokenKind::Identifier && it.line_start == LineStart::Inside
        });
        let word = state.token(index);
        is_before_name && word.is_some_and(|it| state.text(it.span) == "case")
    };
    looking_at(is_case, Expected::NOTHING)
        .ignore_then(identifier())
        .map_with(|_, context: &mut Context<'_>| {
            let index = start_of(context);
            context.emit(ParseError::because(index, Reason::CaseOfVariant));
        })
        .boxed()
}

/// `Variant = Prefix Name [ Parameters ] ;`
fn variant(rules: &Rules) -> Rule<Variant> {
    prefix(rules)
        // Not by `then_ignore`, which leaves out the report.
        .then(case().or_not())
        .then(identifier())
        .then(payload(rules).or_not())
        .map(|(((prefix, _), name), fields)| Variant {
            docs: prefix.docs,
            attributes: prefix.attributes,
            name,
            fields: fields.unwrap_or_default(),
        })
        .boxed()
}

/// `Error = "error" Name [ Parameters ] ;`
pub(super) fn error_declaration(rules: &Rules) -> Rule<ItemBody> {
    token_as(TokenKind::Error, Expected::DECLARATION)
        .ignore_then(identifier())
        .then(payload(rules).or_not())
        .map(|(name, fields)| {
            ItemBody::Error(ErrorDeclaration {
                name,
                fields: fields.unwrap_or_default(),
            })
        })
        .boxed()
}

/// The fields of a variant or error. In braces, as those of a record, they are read and reported.
fn payload(rules: &Rules) -> Rule<Vec<Parameter>> {
    let in_braces = looking_at(
        |state, index| state.kind(index) == Some(TokenKind::BraceOpen),
        Expected::token(TokenKind::ParenOpen),
    )
    .ignore_then(fields(rules))
    .map_with(|fields, context: &mut Context<'_>| {
        let (index, span) = (start_of(context), span_of(context));
        let reason = Reason::PayloadInBraces(span);
        context.emit(ParseError::because(index, reason));
        let parameter = |it: FieldDeclaration| Parameter {
            docs: it.docs,
            attributes: it.attributes,
            name: it.name,
            ty: Some(it.ty),
            trusted: None,
            default: it.default,
        };
        fields.into_iter().map(parameter).collect()
    });
    choice((parameters(rules, Typing::Optional), in_braces)).boxed()
}
