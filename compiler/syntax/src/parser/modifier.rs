//! Modifiers of steps, blocks, workflows and parallel loops.

use chumsky::prelude::{IterParser, Parser, choice};

use crate::ast::{Modifier, ModifierKind};
use crate::parser::error::Expected;
use crate::parser::input::{Context, Rule, identifier, line_break, looking_at, span_of, word};
use crate::parser::operand::body_break;
use crate::parser::rules::{Mode, Rules};
use crate::token::Word;

/// `Modifiers = { [ Newline ] Modifier } [ Newline ] ;`
pub(crate) fn modifiers(rules: &Rules) -> Rule<Vec<Modifier>> {
    let is_next = looking_at(
        |state, index| {
            let index =
                index + usize::from(state.kind(index) == Some(crate::token::TokenKind::Newline));
            starts_modifier(state.word(index))
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

fn starts_modifier(word: Word) -> bool {
    matches!(
        word,
        Word::Timeout | Word::Retry | Word::Reflect | Word::Budget | Word::Limit | Word::Errors
    )
}

/// `Modifier = "timeout" Head | "retry" Head { "backoff" Head | "max" Head } | "reflect" Head [ "with" Head ]
/// | "budget" Arguments | "limit" Head | "errors" Name ;`
pub(crate) fn modifier(rules: &Rules) -> Rule<Modifier> {
    let head = rules.expression(Mode::Head);
    let value = |name: Word| word(name, Expected::MODIFIER).ignore_then(head.clone());
    let delay = |name: Word| {
        line_break()
            .ignore_then(value(name))
            .map(move |value| (name, value))
    };
    let retry = value(Word::Retry)
        .then(
            choice((delay(Word::Backoff), delay(Word::Max)))
                .repeated()
                .collect::<Vec<_>>(),
        )
        .map(|(count, delays)| {
            let (mut backoff, mut max) = (None, None);
            for (name, value) in delays {
                if name == Word::Backoff {
                    backoff = Some(value);
                } else {
                    max = Some(value);
                }
            }
            ModifierKind::Retry {
                count,
                backoff,
                max,
            }
        });
    let reflect = value(Word::Reflect)
        .then(line_break().ignore_then(value(Word::With)).or_not())
        .map(|(count, with)| ModifierKind::Reflect { count, with });
    choice((
        value(Word::Timeout).map(ModifierKind::Timeout),
        retry,
        reflect,
        word(Word::Budget, Expected::MODIFIER)
            .ignore_then(rules.arguments.clone())
            .map(ModifierKind::Budget),
        value(Word::Limit).map(ModifierKind::Limit),
        word(Word::Errors, Expected::MODIFIER)
            .ignore_then(identifier())
            .map(ModifierKind::Errors),
    ))
    .map_with(|kind, context: &mut Context<'_>| Modifier {
        kind,
        span: span_of(context),
    })
    .boxed()
}
