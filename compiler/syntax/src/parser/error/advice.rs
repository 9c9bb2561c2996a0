//! What to write instead, for mistakes that come from other languages: a sentence, and an edit where it is certain.

use gsw_source::Span;

use crate::parser::error::{Expected, ParseError, Scene};
use crate::token::{Token, TokenKind};

/// What helps with a mistake.
pub(super) struct Advice {
    /// A sentence that teaches.
    pub(super) note: &'static str,
    /// The title of an edit, what it replaces and by what.
    pub(super) fix: Option<(String, Span, &'static str)>,
}

/// Words at the start of declarations of other languages, ours, and the sentence that goes with it.
const DECLARATIONS: &[(&str, Option<&str>, &str)] = &[
    (
        "async",
        None,
        "a function waits by itself where it has to; there is no `async`",
    ),
    (
        "class",
        Some("type"),
        "a record is declared with `type Name { field: type }`",
    ),
    ("def", Some("fn"), "a function is declared with `fn`"),
    (
        "export",
        None,
        "everything is public unless it is `private`",
    ),
    ("fun", Some("fn"), "a function is declared with `fn`"),
    ("func", Some("fn"), "a function is declared with `fn`"),
    ("function", Some("fn"), "a function is declared with `fn`"),
    (
        "interface",
        Some("type"),
        "a record is declared with `type Name { field: type }`",
    ),
    (
        "let",
        None,
        "a value of the whole file is a constant: `const NAME: type = …`",
    ),
    ("pub", None, "everything is public unless it is `private`"),
    (
        "public",
        None,
        "everything is public unless it is `private`",
    ),
    (
        "record",
        Some("type"),
        "a record is declared with `type Name { field: type }`",
    ),
    (
        "struct",
        Some("type"),
        "a record is declared with `type Name { field: type }`",
    ),
    (
        "use",
        Some("import"),
        "a module is imported with `import std/fs` or `import ./file`",
    ),
    (
        "var",
        None,
        "a value of the whole file is a constant: `const NAME: type = …`",
    ),
];

/// Words before the token that cannot stand there, ours, and the sentence that goes with it.
const BEFORE: &[(&str, Option<&str>, &str)] = &[
    (
        "mut",
        None,
        "a variable that changes is declared with `var` instead of `let`",
    ),
    ("raise", Some("fail"), "an error is raised with `fail`"),
    (
        "step",
        None,
        "the name of a step is a string on the same line: `step \"review\" { … }`",
    ),
    (
        "switch",
        Some("match"),
        "a choice by pattern is written `match value { pattern => … }`",
    ),
    ("throw", Some("fail"), "an error is raised with `fail`"),
    (
        "try",
        None,
        "`catch { … }` stands behind the expression that it guards; there is no `try`",
    ),
];

/// Words that cannot stand where they do, ours, and the sentence that goes with it.
const FOUND: &[(&str, Option<&str>, &str)] = &[
    (
        "elif",
        Some("else if"),
        "a further condition is written `else if`",
    ),
    (
        "elseif",
        Some("else if"),
        "a further condition is written `else if`",
    ),
    (
        "elsif",
        Some("else if"),
        "a further condition is written `else if`",
    ),
    ("of", Some("in"), "a loop is written `for x in xs { … }`"),
];

fn look_up(
    table: &'static [(&str, Option<&str>, &str)],
    text: &str,
) -> Option<(Option<&'static str>, &'static str)> {
    let found = table.iter().find(|(it, _, _)| *it == text);
    found.map(|(_, ours, note)| (*ours, *note))
}

fn note(note: &'static str) -> Option<Advice> {
    Some(Advice { note, fix: None })
}

fn replace(note: &'static str, span: Span, ours: &'static str) -> Option<Advice> {
    let title = match ours.trim() {
        "" => "remove it".to_owned(),
        ours => format!("write `{ours}`"),
    };
    let fix = Some((title, span, ours));
    Some(Advice { note, fix })
}

impl Scene<'_> {
    /// What helps with an error.
    pub(super) fn advice(&self, error: &ParseError) -> Option<Advice> {
        let token = *self.tokens.get(error.index)?;
        self.foreign_word(error, token)
            .or_else(|| self.foreign_sign(error, token))
            .or_else(|| self.habit(error, token))
    }

    fn before(&self, index: usize) -> Option<Token> {
        let token = self.tokens.get(index.checked_sub(1)?)?;
        Some(*token)
    }

    fn foreign_word(&self, error: &ParseError, token: Token) -> Option<Advice> {
        let text = self.source(token.span);
        let advise = |found: Option<(Option<&'static str>, &'static str)>, span| match found? {
            (Some(ours), sentence) => replace(sentence, span, ours),
            (None, sentence) => note(sentence),
        };
        if error.expected.has(Expected::DECLARATION) {
            return advise(look_up(DECLARATIONS, text), token.span);
        }
        if token.kind == TokenKind::Identifier
            && let Some(advice) = advise(look_up(FOUND, text), token.span)
        {
            return Some(advice);
        }
        let before = self.before(error.index)?;
        advise(look_up(BEFORE, self.source(before.span)), before.span)
    }

    fn foreign_sign(&self, error: &ParseError, token: Token) -> Option<Advice> {
        let expected = error.expected;
        let before = self.before(error.index).map(|it| it.kind);
        let two_before = error.index.checked_sub(1).and_then(|it| self.before(it));
        let two_before = two_before.map(|it| it.kind);
        let behind = self.tokens.get(error.index + 1).map(|it| it.kind);
        match token.kind {
            TokenKind::Equal
                if matches!(before, Some(TokenKind::EqualEqual | TokenKind::BangEqual)) =>
            {
                replace("values are compared with `==` and `!=`", token.span, "")
            }
            TokenKind::Plus if before == Some(TokenKind::Plus) => {
                note("`n += 1` adds one; there is no `++`")
            }
            TokenKind::Colon if expected.has(Expected::token(TokenKind::Arrow)) => replace(
                "the type of a result is written `-> type`",
                token.span,
                " ->",
            ),
            TokenKind::Arrow if expected.has(Expected::token(TokenKind::FatArrow)) => {
                replace("an arm is written `pattern => value`", token.span, "=>")
            }
            TokenKind::FatArrow if expected.has(Expected::token(TokenKind::Arrow)) => replace(
                "the type of a result is written `-> type`",
                token.span,
                "->",
            ),
            TokenKind::Dot if behind == Some(TokenKind::Int) => replace(
                "a number with a point has digits on both sides of it",
                Span::new(token.span.start, token.span.start),
                "0",
            ),
            TokenKind::Comma | TokenKind::ParenClose | TokenKind::Equal
                if expected == Expected::token(TokenKind::Colon) =>
            {
                note("a parameter or field has its type behind it: `name: type`")
            }
            _ if before == Some(TokenKind::Minus) && two_before == before => {
                note("`n -= 1` takes one away; there is no `--`")
            }
            _ => None,
        }
    }

    fn habit(&self, error: &ParseError, token: Token) -> Option<Advice> {
        let expected = error.expected;
        let sentence = match token.kind {
            TokenKind::Bang if expected.has(Expected::EXPRESSION) => "negation is written `not`",
            TokenKind::Question if expected.has(Expected::OPERATOR) => {
                "errors propagate by themselves; a choice is written `if c { a } else { b }`"
            }
            TokenKind::Equal if expected.has(Expected::OPERATOR) => {
                "an assignment is a statement of its own; equality is written `==`"
            }
            TokenKind::PlusEqual | TokenKind::MinusEqual | TokenKind::StarEqual => {
                "an assignment is a statement of its own; in an arm or a lambda it stands in braces"
            }
            TokenKind::Fn if expected.has(Expected::STATEMENT) => {
                "a function stands at the top of the file; inside a body it is a lambda: `let f = (n: int) => n + 1`"
            }
            TokenKind::BraceOpen if expected.has(Expected::EXPRESSION) => {
                "in the head of `if`, `for`, `while` and `match` a `{` opens the body; a map or record stands in parentheses there"
            }
            TokenKind::String if expected.has(Expected::PATH) => {
                "the path of a module is written without quotes: `import ./schemas`"
            }
            _ if expected.has(Expected::MAP_KEY) => {
                "a `{` where a value can stand starts a map, whose keys are strings, ints, variants or `(expression)`; a block is written `do { … }`"
            }
            kind if kind.is_keyword()
                && (expected.has(Expected::NAME) || expected.has(Expected::PATTERN)) =>
            {
                "this word is reserved and cannot be a name here"
            }
            _ => return None,
        };
        note(sentence)
    }
}
