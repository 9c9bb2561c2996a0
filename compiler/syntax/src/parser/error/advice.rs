//! What to write instead, for mistakes that come from other languages: a sentence, and an edit where it is certain.

use std::borrow::Cow;

use gsw_source::Span;

use crate::parser::error::foreign::{self, Foreign};
use crate::parser::error::sight::Sight;
use crate::parser::error::{Expected, ParseError, Scene, sign};
use crate::token::{ModifierName, TokenKind};

/// What helps with a mistake.
pub(super) struct Advice {
    pub(super) note: Cow<'static, str>,
    /// The title of an edit, what it replaces and by what.
    pub(super) fix: Option<(String, Span, &'static str)>,
}

fn note(note: impl Into<Cow<'static, str>>) -> Advice {
    Advice {
        note: note.into(),
        fix: None,
    }
}

fn replace(note: impl Into<Cow<'static, str>>, span: Span, ours: &'static str) -> Advice {
    let title = match ours.trim() {
        "" => "remove it".to_owned(),
        ours => format!("write `{ours}`"),
    };
    Advice {
        note: note.into(),
        fix: Some((title, span, ours)),
    }
}

impl Scene<'_> {
    /// What helps with an error.
    pub(super) fn advice(&self, error: &ParseError) -> Option<Advice> {
        let sight = Sight {
            tokens: self.tokens,
            token: *self.tokens.get(error.index)?,
            index: error.index,
            expected: error.expected,
        };
        self.foreign_word(&sight)
            .or_else(|| self.misspelt_modifier(&sight))
            .or_else(|| foreign_sign(&sight))
    }

    fn foreign_word(&self, sight: &Sight<'_>) -> Option<Advice> {
        let advise = |found: &'static Foreign, span| {
            Some(match found.ours {
                Some(ours) => replace(found.sentence, span, ours),
                None => note(found.sentence),
            })
        };
        let (token, expected) = (sight.token, sight.expected);
        let text = self.source(token.span);
        if expected.has(Expected::DECLARATION) {
            return advise(foreign::declaration(text)?, token.span);
        }
        if token.is_word()
            && let Some(found) = foreign::found(text, expected)
        {
            return advise(found, token.span);
        }
        let before = sight.before(1)?;
        if let Some(found) = foreign::before(self.source(before.span), expected) {
            return advise(found, before.span);
        }
        // `switch (x) { … }` reads as a call up to the brace.
        if token.kind != TokenKind::BraceOpen || before.kind != TokenKind::ParenClose {
            return None;
        }
        let opener = sight.opener(sight.index - 1)?;
        let word = sight.tokens.get(opener.checked_sub(1)?)?;
        let found = foreign::before(self.source(word.span), expected)?;
        advise(found, word.span)
    }

    fn misspelt_modifier(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_name = sight.token.kind == TokenKind::Identifier;
        if !sight.expects(Expected::MODIFIER) || !is_name {
            return None;
        }
        let text = self.source(sight.token.span);
        let common = |it: &str| {
            it.bytes()
                .zip(text.bytes())
                .take_while(|(a, b)| a == b)
                .count()
        };
        let mut names = ModifierName::ALL.iter().map(|it| it.text());
        let meant = names.find(|it| common(it) >= (it.len() - 1).max(4))?;
        Some(replace(the_modifiers(), sight.token.span, meant))
    }
}

fn the_modifiers() -> String {
    let names: Vec<_> = ModifierName::ALL
        .iter()
        .map(|it| format!("`{}`", it.text()))
        .collect();
    let list = match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    };
    format!("the modifiers are {list}")
}

fn foreign_sign(sight: &Sight<'_>) -> Option<Advice> {
    let found = sign::find(sight)?;
    Some(match found.fix(sight) {
        Some((span, ours)) => replace(found.sentence, span, ours),
        None => note(found.sentence),
    })
}
