//! What to write instead, for mistakes that come from other languages: a sentence, and an edit where it is certain.

use gsw_source::Span;

use crate::parser::error::foreign::{self, Foreign};
use crate::parser::error::{Expected, ParseError, Scene};
use crate::token::{Token, TokenKind};

/// What helps with a mistake.
pub(super) struct Advice {
    /// A sentence that teaches.
    pub(super) note: &'static str,
    /// The title of an edit, what it replaces and by what.
    pub(super) fix: Option<(String, Span, &'static str)>,
}

const IN_BRACES: &str =
    "an assignment is a statement of its own; in an arm or a lambda it stands in braces";

const MODIFIERS: &[&str] = &["timeout", "retry", "reflect", "budget", "limit", "errors"];

/// Whether what stands before is an expression in a statement or in brackets, which could end there.
fn ends_operand(expected: Expected) -> bool {
    let closers = [
        TokenKind::ParenClose,
        TokenKind::BracketClose,
        TokenKind::Comma,
    ];
    expected.has(Expected::END_OF_STATEMENT)
        || closers.iter().any(|it| expected.has(Expected::token(*it)))
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
            .or_else(|| self.sign_in_head(error, token))
            .or_else(|| self.foreign_sign(error, token))
            .or_else(|| self.two_signs(error, token))
            .or_else(|| self.equal_sign(error, token))
            .or_else(|| self.misspelt_modifier(error, token))
            .or_else(|| self.habit(error, token))
    }

    fn before(&self, index: usize) -> Option<Token> {
        let token = self.tokens.get(index.checked_sub(1)?)?;
        Some(*token)
    }

    fn foreign_word(&self, error: &ParseError, token: Token) -> Option<Advice> {
        let advise = |found: &'static Foreign, span| match found.ours {
            Some(ours) => replace(found.sentence, span, ours),
            None => note(found.sentence),
        };
        let expected = error.expected;
        let text = self.source(token.span);
        if expected.has(Expected::DECLARATION) {
            return advise(foreign::declaration(text)?, token.span);
        }
        if (token.kind == TokenKind::Identifier || token.kind.is_keyword())
            && let Some(found) = foreign::found(text, expected)
        {
            return advise(found, token.span);
        }
        let before = self.before(error.index)?;
        if let Some(found) = foreign::before(self.source(before.span), expected) {
            return advise(found, before.span);
        }
        // `switch (x) { … }` reads as a call up to the brace.
        if token.kind != TokenKind::BraceOpen || before.kind != TokenKind::ParenClose {
            return None;
        }
        let word = self.before(self.opener(error.index - 1)?)?;
        let found = foreign::before(self.source(word.span), expected)?;
        advise(found, word.span)
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
            TokenKind::Arrow if ends_operand(expected) => {
                replace("a lambda is written `x => x + 1`", token.span, "=>")
            }
            TokenKind::Pipe if expected.has(Expected::EXPRESSION) => {
                note("a lambda is written `x => x + 1`, one of two parameters `(a, b) => a + b`")
            }
            TokenKind::Else if behind == Some(TokenKind::FatArrow) => {
                replace("the arm for everything else is `_ => …`", token.span, "_")
            }
            TokenKind::FatArrow if expected.has(Expected::token(TokenKind::Arrow)) => replace(
                "the type of a result is written `-> type`",
                token.span,
                "->",
            ),
            TokenKind::Dot
                if behind == Some(TokenKind::Int) && before != Some(TokenKind::DotDot) =>
            {
                replace(
                    "a number with a point has digits on both sides of it",
                    Span::new(token.span.start, token.span.start),
                    "0",
                )
            }
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

    /// A sign where a type or what belongs to the head of a declaration is wanted.
    fn sign_in_head(&self, error: &ParseError, token: Token) -> Option<Advice> {
        let expected = error.expected;
        match token.kind {
            TokenKind::Question
                if expected.has(Expected::TYPE)
                    || expected == Expected::token(TokenKind::Colon) =>
            {
                note(foreign::OPTIONAL)
            }
            TokenKind::BracketOpen if expected.has(Expected::token(TokenKind::ParenOpen)) => {
                note("type parameters stand in `< >`: `fn first<T>(xs: [T]) -> T?`")
            }
            TokenKind::Arrow | TokenKind::Bang if expected.has(Expected::MODIFIER) => note(
                "the result and its errors stand before the modifiers: `workflow w() -> int ! Failed timeout 5m`",
            ),
            TokenKind::Comma if self.lists_errors(error.index) => {
                replace("errors are listed with `|` between them", token.span, " |")
            }
            _ => None,
        }
    }

    /// Two signs that are one in another language.
    fn two_signs(&self, error: &ParseError, token: Token) -> Option<Advice> {
        let before = self.before(error.index)?;
        let behind = self.tokens.get(error.index + 1);
        let is_joined = |one: Token, other: Token| one.span.end == other.span.start;
        let both = |other: Token| Span::new(token.span.start, other.span.end);
        match (before.kind, token.kind, behind) {
            (TokenKind::Star, TokenKind::Star, _) if is_joined(before, token) => {
                note("a power is written `x.pow(2)`")
            }
            (TokenKind::DotDot, TokenKind::Dot | TokenKind::Less, _)
                if is_joined(before, token) =>
            {
                match self.before(error.index - 1).map(|it| it.kind) {
                    Some(TokenKind::BraceOpen | TokenKind::Comma | TokenKind::Newline) => {
                        replace("two dots take over the rest: `..base`", token.span, "")
                    }
                    _ => note("a range is written `0..3`, or `0..=3` with its end"),
                }
            }
            (TokenKind::Identifier, TokenKind::BraceOpen, _)
                if self.before(error.index - 1).map(|it| it.kind) == Some(TokenKind::Dot) =>
            {
                note("a lambda stands in parentheses: `xs.map(x => x + 1)`")
            }
            (_, TokenKind::Colon, _)
                if error.expected.has(Expected::token(TokenKind::BracketClose)) =>
            {
                note("a part of a list is `.slice(from, to)`, `.take(n)` or `.drop(n)`")
            }
            (_, TokenKind::DotDot, _)
                if error.expected.has(Expected::token(TokenKind::BracketClose)) =>
            {
                note("lists are joined with `+`: `[first] + rest`")
            }
            (_, TokenKind::Colon, Some(next)) if next.kind == TokenKind::Colon => replace(
                "what belongs to an enum or a module stands behind a dot: `Severity.High`",
                both(*next),
                ".",
            ),
            (_, TokenKind::BracketOpen, Some(next))
                if next.kind == TokenKind::BracketClose && self.is_type_name(error.index) =>
            {
                note("the type of a list is written `[int]`")
            }
            (TokenKind::Identifier, TokenKind::StringOpen | TokenKind::String, _)
                if is_joined(before, token) =>
            {
                let sentence =
                    "every string takes `${expression}`; only `r\"…\"` is taken as it stands";
                replace(sentence, before.span, "")
            }
            (_, TokenKind::Bang, Some(next)) if next.kind == TokenKind::ParenOpen => note(
                "there are no macros: `log.info(\"…\")` writes a line, `fail Failed(\"…\")` gives up, `\"${x}\"` makes text",
            ),
            (_, TokenKind::Bang, _)
                if ends_operand(error.expected) && !error.expected.has(Expected::EXPRESSION) =>
            {
                note("`?? value` and `?? fail Failed(\"…\")` say what holds instead of `none`")
            }
            _ => None,
        }
    }

    /// `=` where something else gives a value to a name.
    fn equal_sign(&self, error: &ParseError, token: Token) -> Option<Advice> {
        if token.kind != TokenKind::Equal {
            return None;
        }
        let kind = |back: usize| {
            let index = error.index.checked_sub(back)?;
            self.tokens.get(index).map(|it| it.kind)
        };
        let is_field = kind(1) == Some(TokenKind::Identifier)
            && !error.expected.has(Expected::OPERATOR)
            && error.expected.has(Expected::token(TokenKind::BraceClose));
        let span = Span::new(self.before(error.index)?.span.end, token.span.end);
        let first = self.tokens.first().map(|it| it.kind);
        match kind(2) {
            _ if first == Some(TokenKind::Enum) => {
                note("variants stand in braces and have no values: `enum Level { Low, High }`")
            }
            _ if is_field => replace("a field is given as `name: value`", span, ":"),
            Some(TokenKind::FatArrow) => note(IN_BRACES),
            Some(TokenKind::ParenOpen | TokenKind::Comma) if self.is_argument(error.index) => {
                replace("an argument is named as `name: value`", span, ":")
            }
            _ => None,
        }
    }

    /// The innermost bracket that is open before `index`.
    fn opener(&self, index: usize) -> Option<usize> {
        let mut depth = 0;
        self.tokens.get(..index)?.iter().rposition(|it| {
            depth += i32::from(it.kind.is_closer()) - i32::from(it.kind.is_opener());
            depth < 0
        })
    }

    /// Whether the token at `index` stands among the arguments of a call.
    fn is_argument(&self, index: usize) -> bool {
        let opener = self.opener(index);
        let Some(opener) = opener.filter(|it| self.tokens[*it].kind == TokenKind::ParenOpen) else {
            return false;
        };
        self.before(opener).is_some_and(|it| {
            it.is_word() || matches!(it.kind, TokenKind::ParenClose | TokenKind::BracketClose)
        })
    }

    /// Whether the token at `index` follows `for (`.
    fn is_in_head_of_for(&self, index: usize) -> bool {
        let kind = |back: usize| {
            let token = self.tokens.get(index.checked_sub(back)?)?;
            Some(token.kind)
        };
        kind(1) == Some(TokenKind::ParenOpen) && kind(2) == Some(TokenKind::For)
    }

    /// Whether the token before `index` is the name of a type behind `:` or `->`.
    fn is_type_name(&self, index: usize) -> bool {
        let kind = |back: usize| {
            let token = self.tokens.get(index.checked_sub(back)?)?;
            Some(token.kind)
        };
        kind(1) == Some(TokenKind::Identifier)
            && matches!(kind(2), Some(TokenKind::Colon | TokenKind::Arrow))
    }

    /// Whether the comma at `index` stands among the errors of a signature.
    fn lists_errors(&self, index: usize) -> bool {
        let before = self.tokens[..index.min(self.tokens.len())].iter().rev();
        let mut before = before.skip_while(|it| {
            matches!(
                it.kind,
                TokenKind::Identifier | TokenKind::Pipe | TokenKind::Dot
            )
        });
        before.next().is_some_and(|it| it.kind == TokenKind::Bang)
    }

    /// A modifier with a slip of the pen.
    fn misspelt_modifier(&self, error: &ParseError, token: Token) -> Option<Advice> {
        if !error.expected.has(Expected::MODIFIER) || token.kind != TokenKind::Identifier {
            return None;
        }
        let text = self.source(token.span);
        let common = |it: &str| {
            it.bytes()
                .zip(text.bytes())
                .take_while(|(a, b)| a == b)
                .count()
        };
        let is_meant = |it: &&&str| common(it) >= (it.len() - 1).max(4);
        let ours = MODIFIERS.iter().find(is_meant)?;
        replace(
            "the modifiers are `timeout`, `retry`, `reflect`, `budget`, `limit` and `errors`",
            token.span,
            ours,
        )
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
            TokenKind::PlusEqual | TokenKind::MinusEqual | TokenKind::StarEqual => IN_BRACES,
            TokenKind::Fn if expected.has(Expected::EXPRESSION) => {
                "a function stands at the top of the file; inside a body it is a lambda: `let f = (n: int) => n + 1`"
            }
            TokenKind::BraceOpen if expected.has(Expected::EXPRESSION) => {
                "in the head of `if`, `for`, `while` and `match` a `{` opens the body; a map or record stands in parentheses there"
            }
            TokenKind::BraceOpen if expected.has(Expected::PATH) => {
                "names are imported behind the path of their module: `import ./schemas.{Report}`"
            }
            TokenKind::Let if self.is_in_head_of_for(error.index) => {
                "a loop over numbers is written `for i in 0..10 { … }`"
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
