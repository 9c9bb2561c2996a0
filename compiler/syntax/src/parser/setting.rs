//! Settings of agents, prompts, calls and permissions.

use chumsky::prelude::{IterParser, Parser, choice, via_parser};

use crate::ast::{
    Argument, AssignOperator, Expression, PromptEntry, Setting, SettingValue, TextRole,
};
use crate::parser::error::Expected;
use crate::parser::input::{
    Context, Rule, State, any_word, looking_at, span_of, token, token_as, word,
};
use crate::parser::operand::{is_before_value, text_role};
use crate::parser::recovery::{
    Boundary, closing_brace, entry_or_statement_end, separator, skip_to,
};
use crate::parser::rules::Rules;
use crate::parser::statement::statement;
use crate::parser::type_expression::dotted;
use crate::token::{TokenKind, Word};

/// `Settings = "{" { Setting [ "," | Newline ] } "}" ;`
pub(crate) fn settings(rules: &Rules) -> Rule<Vec<Setting>> {
    loose_entries(setting(rules), separator().boxed())
}

/// Entries in braces, with a separator or nothing between them.
fn loose_entries<T: 'static>(entry: Rule<T>, separator: Rule<()>) -> Rule<Vec<T>> {
    let entry = entry
        .map(Some)
        .recover_with(via_parser(skip_to(Boundary::Entry).map(|()| None)));
    token(TokenKind::BraceOpen)
        .ignore_then(
            entry
                .then_ignore(separator.or_not())
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

/// Whether `{ name:` is here, which no map starts with.
fn starts_settings(state: &State, index: usize) -> bool {
    state.kind(index) == Some(TokenKind::BraceOpen)
        && state.token(index + 1).is_some_and(|token| token.is_word())
        && !state.is_capitalised(index + 1)
        && state.kind(index + 2) == Some(TokenKind::Colon)
}

/// `PromptBody = "{" { ( PromptLine | Example | Statement | Setting ) [ "," | ";" | Newline ] } "}" ;`
pub(crate) fn prompt_body(rules: &Rules) -> Rule<Vec<PromptEntry>> {
    let statement = looking_at(starts_statement, Expected::PROMPT_ENTRY)
        .ignore_then(statement(rules))
        .then_ignore(entry_or_statement_end())
        .map(PromptEntry::Statement);
    let entry = choice((
        prompt_line(rules),
        example(rules),
        statement,
        looking_at(
            |state, index| state.token(index).is_some_and(|token| token.is_word()),
            Expected::PROMPT_ENTRY,
        )
        .ignore_then(setting(rules))
        .map(PromptEntry::Setting),
    ));
    let separator = choice((
        separator(),
        token_as(TokenKind::Semicolon, Expected::NOTHING).ignored(),
    ));
    loose_entries(entry.boxed(), separator.boxed())
}

/// `PromptLine = ( "system" | "user" | "assistant" ) Expression ;`
fn prompt_line(rules: &Rules) -> Rule<PromptEntry> {
    looking_at(
        |state, index| {
            TextRole::of_word(state.word(index)).is_some()
                && (is_before_text(state, index) || is_before_value(state, index))
        },
        Expected::PROMPT_ENTRY,
    )
    .ignore_then(text_role(Expected::PROMPT_ENTRY))
    .then(rules.any_expression())
    .map_with(
        |(role, text), context: &mut Context<'_>| PromptEntry::Text {
            role,
            text,
            span: span_of(context),
        },
    )
    .boxed()
}

/// Whether a statement is here: it begins with a reserved word, assigns, or is a call. A setting may have any name.
fn starts_statement(state: &State, index: usize) -> bool {
    let mut next = index + 1;
    while state.kind(next) == Some(TokenKind::Dot) {
        next += 2;
    }
    let (Some(first), Some(after)) = (state.kind(index), state.kind(next)) else {
        return false;
    };
    if first.is_keyword() {
        return after != TokenKind::Colon;
    }
    let is_used = matches!(after, TokenKind::ParenOpen | TokenKind::BracketOpen);
    first == TokenKind::Identifier && (is_used || AssignOperator::of_token(after).is_some())
}

fn is_before_text(state: &State, index: usize) -> bool {
    matches!(
        state.kind(index + 1),
        Some(TokenKind::String | TokenKind::StringOpen | TokenKind::ParenOpen)
    )
}

/// `Example = "example" Arguments "->" Expression ;`
fn example(rules: &Rules) -> Rule<PromptEntry> {
    looking_at(
        |state, index| state.word(index) == Word::Example && is_before_text(state, index),
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
