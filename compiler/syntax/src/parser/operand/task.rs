//! Steps, tasks and blocks with modifiers.

use chumsky::prelude::{IterParser, Parser, choice};

use crate::ast::{Expression, ExpressionKind, TextRole};
use crate::parser::error::Expected;
use crate::parser::input::{
    Context, Rule, State, between, commas, identifier, looking_at, span_of, token, token_as,
    token_meaning, word,
};
use crate::parser::line::line_break;
use crate::parser::literal::string_literal;
use crate::parser::modifier::{modifier, modifiers};
use crate::parser::node::{block_expression, node};
use crate::parser::operand::when;
use crate::parser::rules::{Mode, Rules};
use crate::token::{LineStart, ModifierName, TokenKind, Word};

/// `Step = [ "@" "was" "(" String ")" [ Newline ] ] "step" String Modifiers Block ;`
pub(super) fn step(rules: &Rules) -> Rule<Expression> {
    let was = token_as(TokenKind::At, Expected::NOTHING)
        .ignore_then(word(Word::Was, Expected::WORD))
        .ignore_then(between(
            TokenKind::ParenOpen,
            string_literal(rules, Expected::STRING),
            TokenKind::ParenClose,
        ))
        .then_ignore(line_break())
        .or_not();
    let step = was
        .then_ignore(word(Word::Step, Expected::EXPRESSION))
        .then(string_literal(rules, Expected::STRING))
        .then(modifiers(rules))
        .then(rules.block.clone())
        .map_with(
            |(((was, name), modifiers), body), context: &mut Context<'_>| {
                let kind = ExpressionKind::Step {
                    was: was.map(Box::new),
                    name: Box::new(name),
                    modifiers,
                    body,
                };
                node(kind, context)
            },
        );
    when(
        |state, index| {
            let is_renamed =
                state.kind(index) == Some(TokenKind::At) && state.word(index + 1) == Word::Was;
            if is_renamed {
                return true;
            }
            state.word(index) == Word::Step
                && matches!(
                    state.kind(index + 1),
                    Some(TokenKind::String | TokenKind::StringOpen)
                )
        },
        step,
    )
}

/// `Undo = "undo" Modifiers Block ;`
pub(super) fn undo(rules: &Rules) -> Rule<Expression> {
    let undo = word(Word::Undo, Expected::EXPRESSION)
        .ignore_then(modifiers(rules))
        .then(rules.block.clone())
        .map_with(|(modifiers, body), context: &mut Context<'_>| {
            node(ExpressionKind::Undo { modifiers, body }, context)
        });
    when(
        |state, index| {
            state.word(index) == Word::Undo
                && (state.kind(index + 1) == Some(TokenKind::BraceOpen)
                    || starts_modified(state, index + 1))
        },
        undo,
    )
}

/// `ParallelFor = "parallel" "for" Pattern "in" Head Modifiers Block ;`
pub(super) fn parallel_for(rules: &Rules) -> Rule<Expression> {
    let parallel = word(Word::Parallel, Expected::EXPRESSION)
        .ignore_then(token(TokenKind::For))
        .ignore_then(rules.pattern.clone())
        .then_ignore(token(TokenKind::In))
        .then(rules.expression(Mode::Head))
        .then(modifiers(rules))
        .then(rules.block.clone())
        .map_with(
            |(((pattern, iterable), modifiers), body), context: &mut Context<'_>| {
                let kind = ExpressionKind::ParallelFor {
                    pattern: Box::new(pattern),
                    iterable: Box::new(iterable),
                    modifiers,
                    body,
                };
                node(kind, context)
            },
        );
    when(
        |state, index| {
            state.word(index) == Word::Parallel && state.kind(index + 1) == Some(TokenKind::For)
        },
        parallel,
    )
}

/// `Parallel = "parallel" "(" [ Expression { "," Expression } [ "," ] ] ")" [ "errors" Name ] ;`
pub(super) fn parallel(rules: &Rules) -> Rule<Expression> {
    let errors = word(Word::Errors, Expected::MODIFIER).ignore_then(identifier());
    let branches = between(
        TokenKind::ParenOpen,
        commas(rules.any_expression()),
        TokenKind::ParenClose,
    )
    .map_with(|branches, context: &mut Context<'_>| (branches, span_of(context)));
    let parallel = word(Word::Parallel, Expected::EXPRESSION)
        .ignore_then(branches)
        .then(errors.or_not())
        .map_with(
            |((branches, branches_span), errors), context: &mut Context<'_>| {
                let kind = ExpressionKind::Parallel {
                    branches,
                    branches_span,
                    errors,
                };
                node(kind, context)
            },
        );
    when(
        |state, index| {
            state.word(index) == Word::Parallel
                && state.kind(index + 1) == Some(TokenKind::ParenOpen)
        },
        parallel,
    )
}

/// `Modified = Modifier { Modifier } Block ;`
pub(super) fn modified(rules: &Rules) -> Rule<Expression> {
    let modified = modifier(rules)
        .then(modifiers(rules))
        .then(rules.block.clone())
        .map_with(
            |((first, mut modifiers), body), context: &mut Context<'_>| {
                modifiers.insert(0, first);
                node(ExpressionKind::Modified { modifiers, body }, context)
            },
        );
    when(starts_modified, modified)
}

/// Whether a modifier starts a block here and is no ordinary name.
fn starts_modified(state: &State, index: usize) -> bool {
    let (Some(name), Some(next)) = (state.word(index).modifier(), state.token(index + 1)) else {
        return false;
    };
    // `timeout(5s) { … }` against a call of a function of that name.
    let is_in_parentheses = next.kind == TokenKind::ParenOpen && is_head_of_block(state, index + 1);
    match name {
        ModifierName::Timeout | ModifierName::Retry => {
            let is_number = matches!(
                next.kind,
                TokenKind::Int | TokenKind::Float | TokenKind::Duration
            );
            let is_name = next.kind == TokenKind::Identifier && next.word == Word::Other;
            is_number || is_name || is_in_parentheses
        }
        ModifierName::Budget => is_in_parentheses,
        // Before a name it is an expression of its own: `reflect p(x)`.
        ModifierName::Reflect => next.kind == TokenKind::Int,
        // They belong to `parallel for`.
        ModifierName::Limit | ModifierName::Errors => false,
    }
}

/// Whether a block or another modifier follows the bracket at `index`.
fn is_head_of_block(state: &State, index: usize) -> bool {
    let Some(open) = state.token(index).filter(|token| token.is_matched()) else {
        return false;
    };
    let after = index + open.value as usize + 1;
    state.kind(after) == Some(TokenKind::BraceOpen) || state.word(after).belongs_to_modifier()
}

/// A part of a `reflect` after its call, by the word before it.
#[derive(Clone)]
enum ReflectPart {
    Max(Expression),
    Until(Expression),
    By(Expression),
}

/// `Reflect = "reflect" SimpleOperand [ "with" Settings ] { "max" SimpleOperand | "until" SimpleOperand | "by" SimpleOperand } ;`
pub(super) fn reflect(rules: &Rules) -> Rule<Expression> {
    let call = rules
        .simple_operand
        .clone()
        .then(
            word(Word::With, Expected::MODIFIER)
                .ignore_then(rules.settings.clone())
                .or_not(),
        )
        .map_with(
            |(call, settings), context: &mut Context<'_>| match settings {
                None => call,
                Some(settings) => {
                    let call = Box::new(call);
                    node(ExpressionKind::With { call, settings }, context)
                }
            },
        );
    let part =
        |name: Word| word(name, Expected::MODIFIER).ignore_then(rules.simple_operand.clone());
    let parts = choice((
        part(Word::Max).map(ReflectPart::Max),
        part(Word::Until).map(ReflectPart::Until),
        part(Word::By).map(ReflectPart::By),
    ))
    .repeated()
    .collect::<Vec<_>>();
    let reflect = word(Word::Reflect, Expected::EXPRESSION)
        .ignore_then(call)
        .then(parts)
        .map_with(|(call, parts), context: &mut Context<'_>| {
            let (mut max, mut until, mut by) = (None, None, None);
            for part in parts {
                match part {
                    ReflectPart::Max(value) => max = Some(Box::new(value)),
                    ReflectPart::Until(value) => until = Some(Box::new(value)),
                    ReflectPart::By(value) => by = Some(Box::new(value)),
                }
            }
            let kind = ExpressionKind::Reflect {
                call: Box::new(call),
                max,
                until,
                by,
            };
            node(kind, context)
        });
    when(
        |state, index| is_before_name(state, index, Word::Reflect),
        reflect,
    )
}

/// `Revise = "revise" Chain ;`
pub(super) fn revise(rules: &Rules) -> Rule<Expression> {
    let revise = word(Word::Revise, Expected::EXPRESSION)
        .ignore_then(rules.call.clone())
        .map_with(|call, context: &mut Context<'_>| {
            node(ExpressionKind::Revise(Box::new(call)), context)
        });
    when(
        |state, index| is_before_name(state, index, Word::Revise),
        revise,
    )
}

fn is_before_name(state: &State, index: usize, word: Word) -> bool {
    state.word(index) == word && state.kind(index + 1) == Some(TokenKind::Identifier)
}

/// `Emit = "emit" Expression ;`
pub(super) fn emit(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let emit = word(Word::Emit, Expected::EXPRESSION)
        .ignore_then(rules.expression(mode))
        .map_with(|value, context: &mut Context<'_>| {
            node(ExpressionKind::Emit(Box::new(value)), context)
        });
    when(
        |state, index| {
            state.word(index) == Word::Emit
                && state
                    .kind(index + 1)
                    .is_some_and(TokenKind::starts_expression)
        },
        emit,
    )
}

/// `Text = ( "system" | "user" | "assistant" ) Expression ;`
pub(super) fn text(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let text = text_role(Expected::EXPRESSION)
        .then(rules.expression(mode))
        .map_with(|(role, text), context: &mut Context<'_>| {
            let text = Box::new(text);
            node(ExpressionKind::Text { role, text }, context)
        });
    when(begins_text, text)
}

/// Whether a text of a prompt is here. Anything but a string after the word makes it an ordinary name, except where a
/// statement of a prompt begins: `user (question)` and `user question` are texts there.
fn begins_text(state: &State, index: usize) -> bool {
    if TextRole::of_word(state.word(index)).is_none() {
        return false;
    }
    let is_string = |it| matches!(it, TokenKind::String | TokenKind::StringOpen);
    if state.kind(index + 1).is_some_and(is_string) {
        return true;
    }
    is_before_value(state, index) && begins_statement(state, index) && is_of_prompt(state)
}

/// Whether an expression that is no string follows on the same line, so that the two could be nothing else, or be a call.
pub(crate) fn is_before_value(state: &State, index: usize) -> bool {
    let Some(next) = state.token(index + 1) else {
        return false;
    };
    // Words that an expression follows.
    let goes_on = matches!(next.word, Word::By | Word::With);
    let begins_value = matches!(
        next.kind,
        TokenKind::ParenOpen
            | TokenKind::Identifier
            | TokenKind::SelfValue
            | TokenKind::If
            | TokenKind::Match
            | TokenKind::Do
    );
    next.line_start == LineStart::Inside && !goes_on && (begins_value || next.kind.is_literal())
}

fn begins_statement(state: &State, index: usize) -> bool {
    let is_first = state
        .token(index)
        .is_some_and(|it| it.line_start != LineStart::Inside);
    let before = index.checked_sub(1).and_then(|it| state.kind(it));
    is_first
        || matches!(
            before,
            Some(TokenKind::BraceOpen | TokenKind::Semicolon | TokenKind::FatArrow)
        )
}

/// Whether the declaration is one that asks a model or person.
fn is_of_prompt(state: &State) -> bool {
    let mut index = 0;
    while let Some(token) = state.token(index) {
        if matches!(token.word, Word::Prompt | Word::Human) {
            return true;
        }
        if token.kind == TokenKind::BraceOpen
            || token.kind.is_keyword() && token.kind != TokenKind::Private
        {
            return false;
        }
        // The arguments of an attribute.
        let inside = if token.kind == TokenKind::ParenOpen {
            token.value as usize
        } else {
            0
        };
        index += inside + 1;
    }
    false
}

/// The word before a text of a prompt.
pub(crate) fn text_role(expected: Expected) -> Rule<TextRole> {
    token_meaning(|token| TextRole::of_word(token.word), expected)
}

/// `Spawn = "spawn" ( Block | "detached" Expression | Expression ) ;`
pub(super) fn spawn(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let block = looking_at(
        |state, index| state.kind(index) == Some(TokenKind::BraceOpen),
        Expected::EXPRESSION,
    )
    .ignore_then(rules.block.clone())
    .map(|block| ExpressionKind::Spawn(Box::new(block_expression(block))));
    let detached = looking_at(
        |state, index| is_before_name(state, index, Word::Detached),
        Expected::NOTHING,
    )
    .ignore_then(word(Word::Detached, Expected::NOTHING))
    .ignore_then(rules.expression(mode))
    .map(|call| ExpressionKind::SpawnDetached(Box::new(call)));
    let task = rules
        .expression(mode)
        .map(|task| ExpressionKind::Spawn(Box::new(task)));
    token_as(TokenKind::Spawn, Expected::EXPRESSION)
        .ignore_then(choice((block, detached, task)))
        .map_with(node)
        .boxed()
}
