//! Forms of other languages whose parts stand in another order or with other signs here; the mend is made of what is written.

use gsw_source::{Diagnostic, Edit, Span};

use crate::parser::error::advice::Advice;
use crate::parser::error::foreign::{RAISES, VARIANTS};
use crate::parser::error::rewritten::{advice, is_built_in, is_part_of_type};
use crate::parser::error::sight::Sight;
use crate::parser::error::{Expected, ParseError, Reason, Scene};
use crate::token::{LineStart, Token, TokenKind as Kind, Word};

impl Scene<'_> {
    /// What helps with a form of another language.
    pub(super) fn rearranged(&self, sight: &Sight<'_>) -> Option<Advice> {
        self.errors_before_result(sight)
            .or_else(|| self.asking_function(sight))
            .or_else(|| self.streamed(sight))
            .or_else(|| self.variants_after_equal(sight))
            .or_else(|| self.variants_in_type(sight))
            .or_else(|| self.field_without_colon(sight))
            .or_else(|| negated(sight))
    }

    /// The mistake where the head of a declaration without braces ends: read on from there, it lacks them at its end.
    pub(super) fn at_end_of_head(&self, error: &ParseError) -> ParseError {
        let has_body = self.tokens.first().is_some_and(|it| {
            matches!(it.word, Word::Prompt | Word::Human) || it.kind == Kind::Workflow
        });
        let lacks = has_body && error.index >= self.tokens.len();
        match self.end_of_head().filter(|_| lacks) {
            Some(index) => ParseError {
                index,
                expected: error.expected.union(Expected::MODIFIER),
                ..*error
            },
            None => *error,
        }
    }

    /// The sign or the line that follows the parameters and the result of a declaration, where no brace does.
    fn end_of_head(&self) -> Option<usize> {
        let open = self.tokens.iter().position(|it| it.kind == Kind::ParenOpen);
        let open = open.filter(|it| self.tokens[*it].is_matched())?;
        let behind = open + self.tokens[open].value as usize + 1;
        let ends = |it: &Token| {
            let is_sign = matches!(it.kind, Kind::Colon | Kind::Equal | Kind::FatArrow);
            is_sign || it.line_start != LineStart::Inside
        };
        let rest = self.tokens.get(behind..)?.iter();
        let length = rest.take_while(|it| !ends(it)).count();
        let index = behind + length;
        let is_inside = index < self.tokens.len();
        (is_inside && !self.outline.has_brace_before(index)).then_some(index)
    }

    /// `fn f() throws Bad -> int { … }`, `fn f() ! Bad { … }`, `fn f() ! Bad -> int { … }`
    fn errors_before_result(&self, sight: &Sight<'_>) -> Option<Advice> {
        let text = self.source(sight.token.span);
        let start = if matches!(text, "throws" | "raises" | "!") && sight.expects_token(Kind::Arrow)
        {
            sight.index
        } else if sight.token.kind == Kind::Arrow && sight.is_among_errors() {
            let before = &sight.tokens[..sight.index];
            before.iter().rposition(|it| it.kind == Kind::Bang)?
        } else {
            return None;
        };
        let rest = &sight.tokens[start + 1..];
        let is_listed =
            |it: &&Token| matches!(it.kind, Kind::Identifier | Kind::Comma | Kind::Pipe);
        let (listed, rest) = rest.split_at(rest.iter().take_while(is_listed).count());
        let names = listed.iter().filter(|it| it.kind == Kind::Identifier);
        let names: Vec<&str> = names.map(|it| self.source(it.span)).collect();
        let result = match rest.split_first() {
            Some((arrow, rest)) if arrow.kind == Kind::Arrow => {
                let is_of_type = |it: &&Token| {
                    is_part_of_type(it.kind)
                        || matches!(it.kind, Kind::ParenOpen | Kind::ParenClose)
                };
                let length = rest.iter().take_while(is_of_type).count();
                let is_whole = rest
                    .get(length)
                    .is_some_and(|it| it.kind == Kind::BraceOpen);
                rest[..length].last().filter(|_| is_whole).map(|last| {
                    let written = self.source(rest[0].span.to(last.span));
                    (written, last.span)
                })
            }
            Some((brace, _)) if brace.kind == Kind::BraceOpen => {
                listed.last().map(|last| ("()", last.span))
            }
            Some(_) | None => None,
        };
        let fix = result.filter(|_| !names.is_empty()).map(|(result, last)| {
            let text = format!("-> {result} ! {}", names.join(" | "));
            let span = Span::new(sight.tokens[start].span.start, last.end);
            (format!("write `{text}`"), span, text)
        });
        Some(advice(RAISES, fix))
    }

    /// `function Extract(text: string) -> Resume { client … prompt … }`
    fn asking_function(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_function = self.source(sight.token.span) == "function";
        let begins_line =
            |it: &&Token| it.line_start != LineStart::Inside || self.follows_brace(it);
        let mut entries = sight.tokens.iter().skip(1).filter(begins_line);
        let asks = entries.any(|it| it.word == Word::Prompt || self.source(it.span) == "client");
        (is_function && asks && sight.expects(Expected::DECLARATION)).then(|| {
            let note = "what a model is asked is a prompt, and its model is that of an agent: `prompt extract(text: string) -> Resume by reader { user \"Extract from ${text}\" }`, `agent reader { model: \"openai/gpt-5\" }`";
            advice(note, None)
        })
    }

    /// Whether a brace opens right before a token.
    fn follows_brace(&self, token: &Token) -> bool {
        let before = &self.text[..token.span.start as usize];
        before.trim_end().ends_with('{')
    }

    /// `for part in stream ask(x) { … }`
    fn streamed(&self, sight: &Sight<'_>) -> Option<Advice> {
        let word = sight.before(1)?;
        let is_called = sight.token.kind == Kind::Identifier && sight.precedes(Kind::ParenOpen);
        if !is_called || self.source(word.span) != "stream" || sight.expects(Expected::DECLARATION)
        {
            return None;
        }
        let name = self.source(sight.token.span);
        let text = format!("{name}.stream");
        let fix = (
            format!("write `{text}`"),
            word.span.to(sight.token.span),
            text,
        );
        let note =
            "the parts of an answer are those of a call: `for part in ask.stream(question) { … }`";
        Some(advice(note, Some(fix)))
    }

    /// `enum Level = Low | High`
    fn variants_after_equal(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_enum = sight.tokens.first().is_some_and(|it| it.kind == Kind::Enum);
        if !is_enum || sight.token.kind != Kind::Equal || !sight.expects_token(Kind::BraceOpen) {
            return None;
        }
        let rest = &sight.tokens[sight.index + 1..];
        let rest = rest.strip_prefix(&rest[..usize::from(rest.first()?.kind == Kind::Pipe)])?;
        let is_named = rest.iter().step_by(2).all(|it| it.kind == Kind::Identifier);
        let is_joined = rest
            .iter()
            .skip(1)
            .step_by(2)
            .all(|it| it.kind == Kind::Pipe);
        let last = rest
            .last()
            .filter(|_| is_named && is_joined && rest.len() % 2 == 1);
        let fix = last.map(|last| {
            let names = rest.iter().step_by(2).map(|it| self.source(it.span));
            let text = format!("{{ {} }}", names.collect::<Vec<_>>().join(", "));
            (
                format!("write `{text}`"),
                sight.token.span.to(last.span),
                text,
            )
        });
        Some(advice(VARIANTS, fix))
    }

    /// The braces of a type in which variants are listed in the place of fields.
    pub(super) fn variants_of_type(&self, error: &ParseError) -> Option<usize> {
        let name = self.tokens.get(error.index.checked_sub(1)?)?;
        let is_capitalised = self.source(name.span).starts_with(char::is_uppercase);
        let lacks_type = error.expected == Expected::token(Kind::Colon) && self.outline.has_type;
        let is_variant = match self.tokens.get(error.index) {
            Some(it) => matches!(
                it.kind,
                Kind::Comma | Kind::ParenOpen | Kind::Newline | Kind::BraceClose
            ),
            None => false,
        };
        (lacks_type && is_capitalised && is_variant)
            .then(|| self.outline.opener(error.index))
            .flatten()
    }

    /// `type Shape { Dot, Box(width: int) }`
    fn variants_in_type(&self, sight: &Sight<'_>) -> Option<Advice> {
        let error = ParseError::unexpected(sight.index, sight.expected);
        self.variants_of_type(&error)?;
        let word = sight.tokens.iter().find(|it| it.kind == Kind::Type)?;
        let fix = ("write `enum`".to_owned(), word.span, "enum".to_owned());
        Some(advice(
            "one of several variants is an enum: `enum Shape { Dot, Box(width: int) }`",
            Some(fix),
        ))
    }

    /// The braces around a variant with `case` before it.
    pub(super) fn variants_with_case(&self, error: &ParseError) -> Option<usize> {
        let is_meant = error.reason == Reason::CaseOfVariant;
        is_meant.then(|| self.outline.opener(error.index)).flatten()
    }

    /// `enum Level { case Low, High }`: one report of all of them.
    pub(super) fn case_of_variants(&self, error: &ParseError) -> Diagnostic {
        let opener = self.variants_with_case(error);
        let cases = self.tokens.windows(2).enumerate().filter(|(at, pair)| {
            let is_of_enum = self.outline.opener(*at) == opener;
            let is_case = self.source(pair[0].span) == "case" && pair[1].is_word();
            is_of_enum && is_case && pair[1].line_start == LineStart::Inside
        });
        let removals = cases.map(|(_, pair)| Edit {
            place: (self.place)(Span::new(pair[0].span.start, pair[1].span.start)),
            text: String::new(),
        });
        self.plain(error, "expected the name of a variant, found `case`")
            .note("variants are listed without `case`: `enum Level { Low, High }`")
            .fix_parts("leave it out", removals.collect())
    }

    /// `type Task { title string }`, `fn f(n int)`
    fn field_without_colon(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_type = |it: &str| is_built_in(it) || it.starts_with(char::is_uppercase);
        let name = sight.before(1)?;
        let are_words = name.kind == Kind::Identifier && sight.token.kind == Kind::Identifier;
        let is_meant = are_words
            && sight.expects_only(Kind::Colon)
            && is_type(self.source(sight.token.span))
            && !is_type(self.source(name.span));
        is_meant.then(|| {
            let end = Span::new(name.span.end, name.span.end);
            let fix = ("write `:`".to_owned(), end, ":".to_owned());
            advice(
                "a name and its type are separated by `:`, as in `x: int`",
                Some(fix),
            )
        })
    }
}

/// `!done`, which means the same as `not done` where nothing binds closer than `not`.
fn negated(sight: &Sight<'_>) -> Option<Advice> {
    if sight.token.kind != Kind::Bang || !sight.expects(Expected::EXPRESSION) {
        return None;
    }
    let begins = sight.token.line_start != LineStart::Inside
        || sight
            .before(1)
            .is_some_and(|it| is_before_condition(it.kind));
    let end = operand_end(sight)?;
    let is_last = sight
        .tokens
        .get(end)
        .is_none_or(|it| it.line_start != LineStart::Inside || is_after_condition(it.kind));
    let joined = sight.after(1)?.span.start == sight.token.span.end;
    (begins && is_last && joined).then(|| {
        let fix = (
            "write `not`".to_owned(),
            sight.token.span,
            "not ".to_owned(),
        );
        advice("negation is written `not`", Some(fix))
    })
}

/// Where the name, call or parenthesis after a sign ends, with its fields and arguments.
fn operand_end(sight: &Sight<'_>) -> Option<usize> {
    let closer = |index: usize| {
        let opener = sight.tokens.get(index)?;
        opener
            .is_matched()
            .then(|| index + opener.value as usize + 1)
    };
    let first = sight.index + 1;
    let kind = sight.tokens.get(first)?.kind;
    let mut end = if kind == Kind::ParenOpen {
        closer(first)?
    } else if matches!(kind, Kind::Identifier | Kind::SelfValue) {
        first + 1
    } else {
        return None;
    };
    while let Some(next) = sight.tokens.get(end) {
        let is_joined = next.span.start == sight.tokens[end - 1].span.end;
        if next.kind == Kind::Dot {
            end += 2;
        } else if matches!(next.kind, Kind::ParenOpen | Kind::BracketOpen) && is_joined {
            end = closer(end)?;
        } else {
            break;
        }
    }
    Some(end)
}

fn is_before_condition(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::If
            | Kind::While
            | Kind::And
            | Kind::Or
            | Kind::Return
            | Kind::Assert
            | Kind::Equal
            | Kind::FatArrow
            | Kind::ParenOpen
            | Kind::BraceOpen
            | Kind::Comma
            | Kind::Colon
            | Kind::Newline
            | Kind::Semicolon
    )
}

fn is_after_condition(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::And
            | Kind::Or
            | Kind::ParenClose
            | Kind::BraceOpen
            | Kind::BraceClose
            | Kind::BracketClose
            | Kind::Comma
            | Kind::Newline
            | Kind::Semicolon
    )
}
