//! What to write instead, for mistakes that come from other languages: a sentence, and an edit where it is certain.

use std::borrow::Cow;

use gsw_source::Span;

use crate::parser::error::foreign::{self, Foreign};
use crate::parser::error::rewritten::is_built_in;
use crate::parser::error::sight::Sight;
use crate::parser::error::sign::Sign;
use crate::parser::error::{Expected, ParseError, Scene, sign};
use crate::token::{ModifierName, TokenKind, Word};

/// What helps with a mistake.
pub(super) struct Advice {
    pub(super) note: Cow<'static, str>,
    /// The title of an edit, what it replaces and by what.
    pub(super) fix: Option<(String, Span, Cow<'static, str>)>,
}

fn note(note: impl Into<Cow<'static, str>>) -> Advice {
    Advice {
        note: note.into(),
        fix: None,
    }
}

fn replace(note: impl Into<Cow<'static, str>>, span: Span, ours: &'static str) -> Advice {
    let title = match ours.trim() {
        "" if ours.is_empty() => "remove it".to_owned(),
        "" => "write a space".to_owned(),
        ours => format!("write `{ours}`"),
    };
    Advice {
        note: note.into(),
        fix: Some((title, span, Cow::Borrowed(ours))),
    }
}

impl Scene<'_> {
    /// What helps with an error.
    pub(super) fn advice(&self, error: &ParseError) -> Option<Advice> {
        let Some(token) = self.tokens.get(error.index) else {
            return self.lacks_value(error);
        };
        let sight = Sight {
            tokens: self.tokens,
            outline: &self.outline,
            token: *token,
            index: error.index,
            expected: error.expected,
        };
        self.dotted_module(&sight)
            .or_else(|| self.case_of_variant(&sight))
            .or_else(|| self.is_none(&sight))
            .or_else(|| self.is_variant(&sight))
            .or_else(|| self.is_type(&sight))
            .or_else(|| self.before_name(&sight))
            .or_else(|| self.mocked_when(&sight))
            .or_else(|| self.rewritten(&sight))
            .or_else(|| sign::find_particular(&sight).map(|it| advice_of(it, &sight)))
            .or_else(|| self.foreign_word(&sight))
            .or_else(|| self.misspelt_modifier(&sight))
            .or_else(|| sign::find(&sight).map(|it| advice_of(it, &sight)))
    }

    /// `const LIMIT: int` at the end of a declaration.
    fn lacks_value(&self, error: &ParseError) -> Option<Advice> {
        let is_constant = self.tokens.first()?.kind == TokenKind::Const;
        let is_lacking = error.expected.has(Expected::token(TokenKind::Equal));
        (is_constant && is_lacking).then(|| note("a constant has a value: `const LIMIT: int = 10`"))
    }

    /// `case .Open:`
    fn case_of_variant(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_dot = sight.before(2)?.kind == TokenKind::Dot;
        let is_case = self.source(sight.before(3)?.span) == "case";
        (is_dot && is_case && sight.expects_token(TokenKind::FatArrow)).then(|| {
            note("an arm is written `pattern => value`, without `case` and the dot: `Open => …`")
        })
    }

    /// `x is None`, `x is not None`, `x is not y`
    fn is_none(&self, sight: &Sight<'_>) -> Option<Advice> {
        let written = |at: usize| Some(self.source(sight.after(at)?.span));
        if self.source(sight.token.span) != "is" || !sight.expects(Expected::OPERATOR) {
            return None;
        }
        let is_absent = |it: &str| matches!(it, "None" | "none" | "null" | "nil" | "undefined");
        let absent = "a value that may be missing is compared with `none`, `x != none`, or unwrapped: `if let value = x { … }`";
        let (last, sentence, ours) = match written(1)? {
            "not" if written(2).is_some_and(is_absent) => (2, absent, "!= none"),
            "not" => (1, "inequality is written `a != b`", "!="),
            other if is_absent(other) => (1, absent, "== none"),
            _ => return None,
        };
        let span = Span::new(sight.token.span.start, sight.after(last)?.span.end);
        Some(replace(sentence, span, ours))
    }

    /// `x is Shipped`, where only the declaration says whether there is more to look at.
    fn is_variant(&self, sight: &Sight<'_>) -> Option<Advice> {
        let name = sight.after(1)?;
        let is_name = name.kind == TokenKind::Identifier
            && self.source(name.span).starts_with(char::is_uppercase);
        (self.source(sight.token.span) == "is" && is_name && sight.expects(Expected::OPERATOR))
            .then(|| note("a variant is compared with `==`, and one with a payload destructured: `if let Shipped(..) = x { … }`"))
    }

    /// `x is int`
    fn is_type(&self, sight: &Sight<'_>) -> Option<Advice> {
        let name = sight.after(1)?;
        let text = self.source(name.span);
        let is_known = is_built_in(text)
            || matches!(
                text,
                "array" | "boolean" | "dict" | "list" | "map" | "number" | "object" | "str"
            );
        let is_name = name.kind == TokenKind::Identifier && is_known;
        let is_test = matches!(self.source(sight.token.span), "is" | "instanceof");
        (is_test && is_name && sight.expects(Expected::OPERATOR)).then(|| {
            note("types are known at compile time, and `match` tells variants apart; test the contents of a `json` with `j as? int`, which gives `none` for another type")
        })
    }

    /// `private x: int`, `var x: int` among fields or parameters.
    fn before_name(&self, sight: &Sight<'_>) -> Option<Advice> {
        let before = sight.before(1)?;
        let is_named = sight.token.is_word() && sight.precedes(TokenKind::Colon);
        if !is_named || !sight.expects_token(TokenKind::Colon) {
            return None;
        }
        let found = foreign::before_name(self.source(before.span))?;
        let removed = Span::new(before.span.start, sight.token.span.start);
        Some(replace(found.sentence, removed, ""))
    }

    /// `when ask("x") then "a"` in a test.
    fn mocked_when(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_test = sight.tokens.first().is_some_and(|it| it.word == Word::Test);
        let is_when = self.source(sight.before(1)?.span) == "when";
        (is_test && is_when && sight.expects(Expected::END_OF_STATEMENT))
            .then(|| note("to replace a call in a test, write `mock find(\"a\") -> value`"))
    }

    /// `import std.fs`, `import ./schemas.Report`
    fn dotted_module(&self, sight: &Sight<'_>) -> Option<Advice> {
        let first = sight.tokens.first()?;
        let dot = sight.before(1)?;
        let is_name = sight.token.is_word() && sight.expects_token(TokenKind::BraceOpen);
        if first.kind != TokenKind::Import || dot.kind != TokenKind::Dot || !is_name {
            return None;
        }
        let path = Span::new(first.span.end, dot.span.start);
        if self.source(sight.token.span) == "gsw" {
            let ending = Span::new(dot.span.start, sight.token.span.end);
            let sentence = "a module is named without the ending of its file: `import ./schemas`";
            return Some(replace(sentence, ending, ""));
        }
        Some(match self.source(path).trim() {
            "std" => replace(
                "the modules of the library are imported one by one: `import std/fs`",
                dot.span,
                "/",
            ),
            _ => {
                note("imported names are listed after the module path: `import ./schemas.{Report}`")
            }
        })
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
            let found = foreign::declaration(text).or_else(|| foreign::near_declaration(text))?;
            return advise(found, Self::with_blanks(sight, found));
        }
        let is_bound = text == "where"
            && sight.is_in_head(|it| it.kind == TokenKind::Fn)
            && !sight.is_in_head(|it| it.kind == TokenKind::For);
        if is_bound && sight.expects_token(TokenKind::BraceOpen) {
            return Some(note(
                "the bounds of a type parameter are inferred from the body: remove `where`",
            ));
        }
        if token.is_word()
            && let Some(found) = foreign::found(text, expected)
        {
            // Where no error is named behind it, it is not all that differs.
            if found.ours == Some("!") && !sight.precedes(TokenKind::Identifier) {
                return Some(note(found.sentence));
            }
            return advise(found, Self::with_blanks(sight, found));
        }
        let before = sight.before(1)?;
        if text == "self" && matches!(self.source(before.span), "mut" | "ref" | "var") {
            return Some(note(
                "a method never changes its receiver: it gives a changed copy, `fn P.moved(self, x: int) -> P { P { x, ..self } }`, and a `var` takes it: `p = p.moved(1)`",
            ));
        }
        if let Some(found) = foreign::before(self.source(before.span), expected) {
            // What is removed is removed with the blanks after it.
            let removed = Span::new(before.span.start, token.span.start);
            return match found.ours {
                Some("") => advise(found, removed),
                Some(_) | None => advise(found, before.span),
            };
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

    /// What a word replaces: one that is removed is removed with the blanks after it.
    fn with_blanks(sight: &Sight<'_>, found: &Foreign) -> Span {
        let span = sight.token.span;
        let next = sight.after(1).map_or(span.end, |it| it.span.start);
        match found.ours {
            Some("") => Span::new(span.start, next),
            Some(_) | None => span,
        }
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
        let mut names = ModifierName::ALL.iter();
        let meant = names.find(|it| common(it.text()) >= (it.text().len() - 1).max(4))?;
        if meant.text() == text {
            return Some(note(format!(
                "a modifier goes before its block: {}",
                example(*meant)
            )));
        }
        Some(replace(the_modifiers(), sight.token.span, meant.text()))
    }
}

/// How a modifier is written.
fn example(modifier: ModifierName) -> &'static str {
    match modifier {
        ModifierName::Timeout => "`timeout 30s { ask(x) }`",
        ModifierName::Retry => "`retry 3 { ask(x) }`",
        ModifierName::Reflect => "`reflect 2 { ask(x) }`",
        ModifierName::Budget => "`budget(usd: 0.5) { ask(x) }`",
        ModifierName::Limit | ModifierName::Errors => {
            "`parallel for x in xs limit 4 errors merge { ask(x) }`"
        }
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

fn advice_of(found: &Sign, sight: &Sight<'_>) -> Advice {
    match found.fix(sight) {
        Some((span, ours)) => replace(found.sentence, span, ours),
        None => note(found.sentence),
    }
}
