//! Settings of agents, prompts, calls and permissions.

use chumsky::prelude::{IterParser, Parser, choice, via_parser};

use crate::ast::{Argument, Expression, PromptEntry, Setting, SettingValue};
use crate::parser::error::Expected;
use crate::parser::input::{
    Context, Rule, State, any_word, looking_at, span_of, token, token_as, word,
};
use crate::parser::recovery::{Boundary, closing_brace, separator, skip_to};
use crate::parser::rules::Rules;
use crate::parser::type_expression::dotted;
use crate::token::{TokenKind, Word};

/// `Settings = "{" { Setting [ "," | Newline ] } "}" ;`
pub(crate) fn settings(rules: &Rules) -> Rule<Vec<Setting>> {
    loose_entries(setting(rules))
}

/// Entries in braces, separated by commas, line breaks or nothing.
fn loose_entries<T: 'static>(entry: Rule<T>) -> Rule<Vec<T>> {
    let entry = entry
        .map(Some)
        .recover_with(via_parser(skip_to(Boundary::Entry).map(|()| None)));
    token(TokenKind::BraceOpen)
        .ignore_then(
            entry
                .then_ignore(separator().or_not())
                .repeated()
                .collect::<Vec<_>>(),
        )
        .then_ignore(closing_brace())
        .map(|entries| entries.into_iter().flatten().collect())
        .boxed()
}

/// `Setting = Word { "." Word } ":" ( Settings | Expression ) ;`
pub(crate) fn setting(rules: &Rules) -> Rule<Setting> {
    let name = any_word()
        .separated_by(token_as(TokenKind::Dot, Expected::OPERATOR))
        .at_least(1)
        .collect::<Vec<_>>()
        .map_with(|_, context: &mut Context<'_>| dotted(context));
    let inner = looking_at(starts_settings, Expected::NOTHING)
        .ignore_then(rules.settings.clone())
        .map_with(
            |settings, context: &mut Context<'_>| SettingValue::Settings {
                settings,
                span: span_of(context),
            },
        );
    let value = choice((inner, rules.any_expression().map(SettingValue::Expression)));
    name.then_ignore(token(TokenKind::Colon))
        .then(value)
        .map(|(name, value)| Setting { name, value })
        .boxed()
}

/// Whether `{ name:` stands here, which no map starts with.
fn starts_settings(state: &State, index: usize) -> bool {
    state.kind(index) == Some(TokenKind::BraceOpen)
        && state.token(index + 1).is_some_and(|token| token.is_word())
        && !state.is_capitalised(index + 1)
        && state.kind(index + 2) == Some(TokenKind::Colon)
}

/// `PromptBody = "{" { ( ( "system" | "user" ) StringLiteral | Example | Setting ) [ "," | Newline ] } "}" ;`
pub(crate) fn prompt_body(rules: &Rules) -> Rule<Vec<PromptEntry>> {
    let text = |name: Word| {
        looking_at(
            move |state, index| starts_text(state, index, name),
            Expected::PROMPT_ENTRY,
        )
        .ignore_then(word(name, Expected::PROMPT_ENTRY))
        .ignore_then(rules.any_expression())
    };
    let entry = choice((
        text(Word::User).map(PromptEntry::User),
        text(Word::System).map(PromptEntry::System),
        example(rules),
        looking_at(
            |state, index| state.token(index).is_some_and(|token| token.is_word()),
            Expected::PROMPT_ENTRY,
        )
        .ignore_then(setting(rules))
        .map(PromptEntry::Setting),
    ));
    loose_entries(entry.boxed())
}

fn starts_text(state: &State, index: usize, word: Word) -> bool {
    state.word(index) == word
        && matches!(
            state.kind(index + 1),
            Some(TokenKind::String | TokenKind::StringOpen | TokenKind::ParenOpen)
        )
}

/// `Example = "example" Arguments "->" Expression ;`
fn example(rules: &Rules) -> Rule<PromptEntry> {
    looking_at(
        |state, index| starts_text(state, index, Word::Example),
        Expected::PROMPT_ENTRY,
    )
    .ignore_then(word(Word::Example, Expected::PROMPT_ENTRY))
    .ignore_then(rules.arguments.clone())
    .then_ignore(token(TokenKind::Arrow))
    .then(rules.any_expression())
    .map_with(
        |(arguments, answer): (Vec<Argument>, Expression), context: &mut Context<'_>| {
            PromptEntry::Example {
                arguments,
                answer,
                span: span_of(context),
            }
        },
    )
    .boxed()
}
