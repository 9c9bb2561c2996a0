//! Imports.

use chumsky::prelude::{IterParser, Parser, choice};
use gsw_source::{Name, Span};

use crate::ast::{Identifier, Import, ImportedName, ItemBody};
use crate::parser::error::Expected;
use crate::parser::input::{
    Context, Rule, any_word, identifier, looking_at, span_of, token, token_among, token_as,
    without_comments,
};
use crate::parser::recovery::separator;
use crate::token::TokenKind;

/// `Import = "import" Path [ "as" Name | "." "{" ImportedName { "," ImportedName } [ "," ] "}" ] ;`
pub(super) fn import() -> Rule<ItemBody> {
    let alias = token_as(TokenKind::As, Expected::token(TokenKind::As))
        .ignore_then(identifier())
        .map(|alias| (Some(alias), None));
    let names = token_as(TokenKind::Dot, Expected::token(TokenKind::Dot))
        .ignore_then(token(TokenKind::BraceOpen))
        .ignore_then(
            imported_name()
                .separated_by(separator())
                .allow_trailing()
                .collect::<Vec<_>>(),
        )
        .then_ignore(token(TokenKind::BraceClose))
        .map(|names| (None, Some(names)));
    // A path that continues with a dot or `::` is no shorter path: what is missing would be looked for where it is used.
    let alone = looking_at(
        |state, index| !matches!(state.kind(index), Some(TokenKind::Dot | TokenKind::Colon)),
        Expected::NOTHING,
    )
    .map(|()| (None, None));
    token_as(TokenKind::Import, Expected::DECLARATION)
        .ignore_then(path())
        .then(choice((alias, names, alone)))
        .map(|((path, path_span), (alias, names))| {
            ItemBody::Import(Import {
                path,
                path_span,
                alias,
                names,
            })
        })
        .boxed()
}

/// `Path = [ ( "." | ".." ) "/" { ".." "/" } ] Word { "/" Word } ;`
fn path() -> Rule<(Name, Span)> {
    let dots = token_among(
        |kind| matches!(kind, TokenKind::Dot | TokenKind::DotDot),
        Expected::PATH,
    );
    let up = dots.then(token(TokenKind::Slash)).repeated();
    let segment = any_word()
        .separated_by(token_as(TokenKind::Minus, Expected::OPERATOR))
        .at_least(1);
    let segments = segment
        .separated_by(token_as(TokenKind::Slash, Expected::OPERATOR))
        .at_least(1);
    up.ignore_then(segments)
        .map_with(|(), context: &mut Context<'_>| {
            let span = span_of(context);
            let path = without_comments(context.state().text(span));
            (Name::from(path), span)
        })
        .boxed()
}

/// `ImportedName = Name [ "as" Name ] ;`
fn imported_name() -> Rule<ImportedName> {
    let alias = token_as(TokenKind::As, Expected::OPERATOR)
        .ignore_then(identifier())
        .or_not();
    identifier()
        .then(alias)
        .map(|(name, alias): (Identifier, _)| ImportedName { name, alias })
        .boxed()
}
