//! Modifiers of steps, blocks, workflows and parallel loops.

use chumsky::prelude::{IterParser, Parser, choice};

use crate::ast::{Expression, Modifier, ModifierKind};
use crate::parser::error::Expected;
use crate::parser::input::{Context, Rule, identifier, looking_at, span_of, word};
use crate::parser::line::{body_break, line_break};
use crate::parser::rules::{Mode, Rules};
use crate::token::{ModifierName, TokenKind, Word};

/// `Modifiers = { [ Newline ] Modifier } [ Newline ] ;`
pub(crate) fn modifiers(rules: &Rules) -> Rule<Vec<Modifier>> {
    let is_next = looking_at(
        |state, index| {
            let index = index + usize::from(state.kind(index) == Some(TokenKind::Newline));
            state.word(index).modifier().is_some()
        },
        Expected::MODIFIER,
    );
    is_next
        .ignore_then(line_break())
        .ignore_then(modifier(rules))
        .repeated()
        .collect()
        .then_ignore(body_break())
        .boxed()
}

/// `Modifier = "timeout" Head | RetryModifier | ReflectModifier | "budget" Arguments | "limit" Head | "errors" Name ;`
pub(crate) fn modifier(rules: &Rules) -> Rule<Modifier> {
    let modifiers: Vec<_> = ModifierName::ALL
        .iter()
        .map(|name| modifier_named(*name, rules))
        .collect();
    choice(modifiers)
        .map_with(|kind, context: &mut Context<'_>| Modifier {
            kind,
            span: span_of(context),
        })
        .boxed()
}

fn modifier_named(name: ModifierName, rules: &Rules) -> Rule<ModifierKind> {
    match name {
        ModifierName::Timeout => value(Word::Timeout, rules)
            .map(ModifierKind::Timeout)
            .boxed(),
        ModifierName::Retry => retry(rules),
        ModifierName::Reflect => reflect(rules),
        ModifierName::Budget => word(Word::Budget, Expected::MODIFIER)
            .ignore_then(rules.arguments.clone())
            .map(ModifierKind::Budget)
            .boxed(),
        ModifierName::Limit => value(Word::Limit, rules).map(ModifierKind::Limit).boxed(),
        ModifierName::Errors => word(Word::Errors, Expected::MODIFIER)
            .ignore_then(identifier())
            .map(ModifierKind::Errors)
            .boxed(),
    }
}

/// A word and the expression after it.
fn value(name: Word, rules: &Rules) -> Rule<Expression> {
    word(name, Expected::MODIFIER)
        .ignore_then(rules.expression(Mode::Head))
        .boxed()
}

/// A delay of a `retry`, by the word before it.
#[derive(Clone)]
enum Delay {
    Backoff(Expression),
    Max(Expression),
}

/// `RetryModifier = "retry" Head { "backoff" Head | "max" Head } ;`
fn retry(rules: &Rules) -> Rule<ModifierKind> {
    let backoff = line_break().ignore_then(value(Word::Backoff, rules));
    let max = line_break().ignore_then(value(Word::Max, rules));
    let delays = choice((backoff.map(Delay::Backoff), max.map(Delay::Max)));
    value(Word::Retry, rules)
        .then(delays.repeated().collect::<Vec<_>>())
        .map(|(count, delays)| {
            let (mut backoff, mut max) = (None, None);
            for delay in delays {
                match delay {
                    Delay::Backoff(value) => backoff = Some(value),
                    Delay::Max(value) => max = Some(value),
                }
            }
            ModifierKind::Retry {
                count,
                backoff,
                max,
            }
        })
        .boxed()
}

/// `ReflectModifier = "reflect" Head [ "with" Head ] ;`
fn reflect(rules: &Rules) -> Rule<ModifierKind> {
    value(Word::Reflect, rules)
        .then(line_break().ignore_then(value(Word::With, rules)).or_not())
        .map(|(count, with)| ModifierKind::Reflect { count, with })
        .boxed()
}
