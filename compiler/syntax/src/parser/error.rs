//! What the parser reports, and how it is worded.

mod advice;
mod arms;
mod braces;
mod foreign;
mod outline;
mod rearranged;
mod rewritten;
mod sight;
mod sign;
mod types;
mod unclosed;

use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::span::SimpleSpan;
use chumsky::util::MaybeRef;
use gsw_source::{Applicability, Code, Diagnostic, Place, Span};

pub(crate) use self::foreign::{is_word_of_declaration, word_instead};
pub use self::rewritten::SIMPLE_TYPES;

use self::outline::Outline;
use crate::parser::input::Tokens;
use crate::token::{Token, TokenKind};

/// A mistake at a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The index of the token in its item; one past the last at the end.
    pub index: usize,
    /// What the parser would have accepted there.
    pub expected: Expected,
    /// What sort of mistake it is.
    pub reason: Reason,
}

/// What sort of mistake it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The token is not allowed there.
    Unexpected,
    /// The tree would become deeper than allowed; the place when no token names it.
    TooDeep(Option<Span>),
    /// A list pattern has more than one `..`.
    SecondRest,
    /// A record literal has more than one `..base`.
    SecondBase,
    /// A comparison of what a comparison gives, without parentheses.
    ComparisonChain,
    /// A string with `${ }` where only plain text is allowed.
    Interpolated,
    /// A record literal where `{` opens a body.
    RecordInHead(Span),
    /// The fields of an error or variant in braces.
    PayloadInBraces(Span),
    /// An enum, from its word to its last brace, with texts in the place of variants.
    EnumOfTexts(Span),
    /// `case` before the name of a variant.
    CaseOfVariant,
    /// The check of a field, and its default value after it.
    DefaultAfterCheck(Span, Span),
    /// A slip of the word that a declaration begins with, read as that word.
    Misspelt(&'static str, Applicability),
}

/// A set of things that were possible at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expected(u128);

/// The number of the first bit that is no kind of token.
const CLASSES: u32 = 100;

// A kind of token must not share its bit with a class.
const _: () = assert!(TokenKind::ALL.len() <= CLASSES as usize);

impl Expected {
    pub const NOTHING: Self = Self(0);
    pub const NAME: Self = Self(1 << CLASSES);
    pub const EXPRESSION: Self = Self(1 << (CLASSES + 1));
    /// An operator between two expressions; named only when nothing else is.
    pub const OPERATOR: Self = Self(1 << (CLASSES + 2));
    pub const STATEMENT: Self = Self(1 << (CLASSES + 3));
    pub const PATTERN: Self = Self(1 << (CLASSES + 4));
    pub const TYPE: Self = Self(1 << (CLASSES + 5));
    pub const DECLARATION: Self = Self(1 << (CLASSES + 6));
    /// The end of a statement.
    pub const END_OF_STATEMENT: Self = Self(1 << (CLASSES + 7));
    /// The end of a declaration.
    pub const END_OF_ITEM: Self = Self(1 << (CLASSES + 8));
    pub const MODIFIER: Self = Self(1 << (CLASSES + 9));
    pub const STRING: Self = Self(1 << (CLASSES + 10));
    /// A key of a map.
    pub const MAP_KEY: Self = Self(1 << (CLASSES + 11));
    /// The path of a module.
    pub const PATH: Self = Self(1 << (CLASSES + 12));
    /// A line of a prompt.
    pub const PROMPT_ENTRY: Self = Self(1 << (CLASSES + 13));
    /// `detached`, `fails`, `cassette` and such, where they are optional.
    pub const WORD: Self = Self(1 << (CLASSES + 14));
    /// A turn of a scripted model.
    pub const SCRIPT_TURN: Self = Self(1 << (CLASSES + 15));

    /// A token of that kind.
    #[must_use]
    pub const fn token(kind: TokenKind) -> Self {
        Self(1 << kind as u8)
    }

    const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// What an error message says was expected; `None` when there is nothing to say.
    fn description(self) -> Option<String> {
        let mut set = self;
        if set.has(Self::STATEMENT) {
            set = set
                .without(Self::EXPRESSION)
                .without(Self::END_OF_STATEMENT);
        }
        let weak = Self::OPERATOR.union(Self::WORD).union(Self::MODIFIER);
        if set.without(weak) != Self::NOTHING {
            set = set.without(weak);
        }
        let names = set.names();
        match names.split_last()? {
            _ if names.len() > 5 => None,
            (last, []) => Some((*last).to_owned()),
            (last, rest) => Some(format!("{} or {last}", rest.join(", "))),
        }
    }

    fn names(self) -> Vec<&'static str> {
        let classes = [
            (Self::DECLARATION, "a declaration"),
            (Self::STATEMENT, "a statement"),
            (Self::EXPRESSION, "an expression"),
            (Self::PATTERN, "a pattern"),
            (Self::TYPE, "a type"),
            (Self::NAME, "a name"),
            (Self::STRING, "a string"),
            (Self::MAP_KEY, "a key"),
            (Self::PATH, "the path of a module"),
            (
                Self::PROMPT_ENTRY,
                "`user`, `system`, `assistant`, `example`, a statement or a setting",
            ),
            (Self::SCRIPT_TURN, "`call`, `answer` or `fail`"),
            (Self::MODIFIER, "a modifier"),
            (Self::WORD, "a word"),
            (Self::OPERATOR, "an operator"),
        ];
        let ends = [
            (Self::END_OF_STATEMENT, "the end of the line"),
            (Self::END_OF_ITEM, "the end of the declaration"),
        ];
        let of = |pairs: &[(Self, &'static str)]| -> Vec<&'static str> {
            pairs
                .iter()
                .filter(|(class, _)| self.has(*class))
                .map(|(_, name)| *name)
                .collect()
        };
        let mut names = of(&classes);
        let kinds = TokenKind::ALL
            .iter()
            .filter(|kind| self.has(Self::token(**kind)));
        names.extend(kinds.map(|kind| kind.description()));
        names.extend(of(&ends));
        names
    }
}

impl ParseError {
    /// The token at `index` is not one of what was expected.
    #[must_use]
    pub const fn unexpected(index: usize, expected: Expected) -> Self {
        Self {
            index,
            expected,
            reason: Reason::Unexpected,
        }
    }

    /// Whether a body could begin there.
    pub(crate) const fn wants_brace(&self) -> bool {
        let body = Expected::token(TokenKind::BraceOpen).union(Expected::MODIFIER);
        self.expected.has(body)
    }

    /// The kinds of the token that is wrong and of the one before, line breaks apart.
    pub(crate) fn kinds_near(&self, tokens: &[Token]) -> Vec<TokenKind> {
        let upto = tokens.get(..=self.index.min(tokens.len().saturating_sub(1)));
        let near = upto.into_iter().flatten().rev().map(|it| it.kind);
        near.filter(|it| *it != TokenKind::Newline)
            .take(2)
            .collect()
    }

    /// The reserved word that was to be a name; what uses it further down follows from this.
    pub(crate) fn reserved_name(&self, tokens: &[Token]) -> Option<TokenKind> {
        let kind = tokens.get(self.index)?.kind;
        let is_name = self.expected.has(Expected::NAME) || self.expected.has(Expected::PATTERN);
        (is_name && kind.is_keyword()).then_some(kind)
    }

    /// The tree would become too deep at the token at `index`.
    #[must_use]
    pub const fn too_deep(index: usize) -> Self {
        Self::because(index, Reason::TooDeep(None))
    }

    /// A mistake with a wording of its own.
    #[must_use]
    pub const fn because(index: usize, reason: Reason) -> Self {
        Self {
            index,
            expected: Expected::NOTHING,
            reason,
        }
    }
}

impl LabelError<'static, Tokens, DefaultExpected<'static, Token>> for ParseError {
    fn expected_found<Items: IntoIterator<Item = DefaultExpected<'static, Token>>>(
        _: Items,
        _: Option<MaybeRef<'static, Token>>,
        span: SimpleSpan<usize>,
    ) -> Self {
        Self::unexpected(span.start, Expected::NOTHING)
    }
}

impl Error<'static, Tokens> for ParseError {
    fn merge(self, other: Self) -> Self {
        if self.reason != Reason::Unexpected {
            return self;
        }
        if other.reason != Reason::Unexpected {
            return other;
        }
        Self {
            expected: self.expected.union(other.expected),
            ..self
        }
    }
}

/// The places of the tokens that errors mention. Errors are asked for in the order of their tokens.
pub(crate) struct Scene<'tokens> {
    /// The tokens of the item, with spans relative to it.
    tokens: &'tokens [Token],
    outline: Outline,
    /// The source text from the item's start on.
    text: &'tokens str,
    /// Where the first token after the item is, relative to it; `None` at the end of the file.
    next_item: Option<Span>,
    /// Makes a place of a span relative to the item.
    place: &'tokens dyn Fn(Span) -> Place,
    /// The brackets that are open before the token at `scanned`. One that is reported as unclosed is taken out:
    /// what else goes wrong inside is a mistake of its own.
    open: Vec<Token>,
    scanned: usize,
    /// Whether an `else` has shown that a brace is not closed, which makes the declaration end too late.
    lacks_brace: bool,
    /// Whether the head of the declaration is followed by its value without braces, of which nothing can be read.
    lacks_body: bool,
    /// The braces around arms or variants whose sign was reported already.
    told: Vec<usize>,
}

impl<'tokens> Scene<'tokens> {
    pub(crate) fn new(
        tokens: &'tokens [Token],
        text: &'tokens str,
        next_item: Option<Span>,
        place: &'tokens dyn Fn(Span) -> Place,
    ) -> Self {
        Self {
            tokens,
            outline: Outline::new(tokens),
            text,
            next_item,
            place,
            open: Vec::new(),
            scanned: 0,
            lacks_brace: false,
            lacks_body: false,
            told: Vec::new(),
        }
    }

    /// The report of an error; `None` where it follows from one that was reported.
    pub(crate) fn diagnostic(&mut self, error: &ParseError) -> Option<Diagnostic> {
        let error = &self.at_end_of_head(error);
        let is_end = error.reason == Reason::Unexpected && error.index >= self.tokens.len();
        if self.lacks_brace && is_end || self.lacks_body {
            return None;
        }
        if self.is_told(error) || self.is_body_on_next_line(error) {
            return None;
        }
        self.lacks_body = self.is_body_without_braces(error) || self.is_misread_head(error);
        Some(self.report(error))
    }

    fn report(&mut self, error: &ParseError) -> Diagnostic {
        match error.reason {
            Reason::TooDeep(span) => {
                let span = span.unwrap_or_else(|| self.found(error.index).1);
                too_deep((self.place)(span))
            }
            Reason::SecondRest => self.plain(error, "a list pattern has at most one `..`"),
            Reason::SecondBase => self.plain(error, "a record literal has at most one `..`"),
            Reason::ComparisonChain => self
                .type_arguments(error)
                .unwrap_or_else(|| self.comparison_chain(error)),
            Reason::Interpolated => {
                self.plain(error, "this string cannot contain interpolations `${ }`")
            }
            Reason::RecordInHead(span) => self.record_in_head(span),
            Reason::PayloadInBraces(span) => self.payload_in_braces(span),
            Reason::EnumOfTexts(span) => self.enum_of_texts(span),
            Reason::CaseOfVariant => self.case_of_variants(error),
            Reason::DefaultAfterCheck(check, default) => self.default_after_check(check, default),
            Reason::Misspelt(word, applicability) => {
                let (found, span) = self.found(error.index);
                let message = format!("expected a declaration, found {found}");
                self.plain(error, &message)
                    .suggest(word, (self.place)(span), word, applicability)
            }
            Reason::Unexpected => match self
                .unclosed_bracket(error.index)
                .or_else(|| self.unclosed_before_else(error))
            {
                Some(open) => self.unclosed(error, open),
                None => self
                    .type_arguments(error)
                    .unwrap_or_else(|| self.unexpected(error)),
            },
        }
    }

    fn comparison_chain(&self, error: &ParseError) -> Diagnostic {
        let report = self.plain(error, "comparisons do not chain");
        report.note(match self.is_type_argument(error.index) {
            true => {
                "type arguments cannot be written in expressions: they are inferred, or follow from `let x: Name<int> = …`"
            }
            false => "join two comparisons with `and`",
        })
    }

    /// Whether the `>` at `index` was to close type arguments: `first<int>(…)`.
    fn is_type_argument(&self, index: usize) -> bool {
        let kind = |index: usize| self.tokens.get(index).map(|it| it.kind);
        kind(index) == Some(TokenKind::Greater)
            && matches!(
                kind(index + 1),
                Some(TokenKind::ParenOpen | TokenKind::BraceOpen)
            )
            && index.checked_sub(2).and_then(kind) == Some(TokenKind::Less)
    }

    fn plain(&self, error: &ParseError, message: &str) -> Diagnostic {
        let (_, span) = self.found(error.index);
        Diagnostic::error(Code::UNEXPECTED_TOKEN, (self.place)(span), message)
    }

    /// What is at `index`, as a message names it, and where.
    fn found(&self, index: usize) -> (String, Span) {
        let Some(token) = self.tokens.get(index) else {
            let end = self.tokens.last().map_or(0, |token| token.span.end);
            return ("the end of the declaration".to_owned(), Span::new(end, end));
        };
        let has_no_text_of_its_own = matches!(
            token.kind,
            TokenKind::Newline | TokenKind::StringOpen | TokenKind::StringText
        );
        let name = if has_no_text_of_its_own {
            token.kind.description().to_owned()
        } else {
            format!("`{}`", shortened(self.source(token.span)))
        };
        (name, token.span)
    }

    fn source(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn unexpected(&self, error: &ParseError) -> Diagnostic {
        if let Some(token) = self.stray_bracket_of(error) {
            return self.stray_bracket(token);
        }
        let is_trailing = error.expected.has(Expected::END_OF_ITEM)
            && self
                .tokens
                .get(error.index)
                .is_some_and(|token| token.kind == TokenKind::Newline);
        let (found, span) = self.found(error.index + usize::from(is_trailing));
        let message = match error.expected.description() {
            Some(expected) => format!("expected {expected}, found {found}"),
            None => format!("unexpected {found}"),
        };
        let diagnostic = Diagnostic::error(Code::UNEXPECTED_TOKEN, (self.place)(span), message);
        let Some(advice) = self.advice(error) else {
            return diagnostic;
        };
        let diagnostic = diagnostic.note(advice.note);
        if let Some(arrows) = self.arrows_of_arms(error) {
            return diagnostic.fix_parts("write `=>`", arrows);
        }
        match advice.fix {
            Some((title, span, text)) => diagnostic.fix(title, (self.place)(span), text),
            None => diagnostic,
        }
    }

    /// The closing bracket without partner that explains an error: the token itself, or one after the end of the
    /// declaration, which it ended too early.
    fn stray_bracket_of(&self, error: &ParseError) -> Option<Token> {
        let rest = self.tokens.get(error.index..)?;
        let length = if error.expected.has(Expected::END_OF_ITEM) {
            rest.len()
        } else {
            1
        };
        rest.iter()
            .take(length)
            .find(|token| token.kind.is_closer() && !token.is_matched())
            .copied()
    }

    fn stray_bracket(&self, token: Token) -> Diagnostic {
        let message = format!("unmatched {}", token.kind.description());
        Diagnostic::error(Code::UNOPENED_BRACKET, (self.place)(token.span), message)
    }

    /// Removes the innermost bracket that is open at `index` if it is never closed, and returns it.
    fn unclosed_bracket(&mut self, index: usize) -> Option<Token> {
        let end = index.min(self.tokens.len());
        for token in &self.tokens[self.scanned.min(end)..end] {
            if token.kind.is_opener() {
                self.open.push(*token);
            } else if token.kind.is_closer() && token.is_matched() {
                while let Some(opener) = self.open.pop() {
                    if opener.is_matched() && opener.kind.closer() == Some(token.kind) {
                        break;
                    }
                }
            }
        }
        self.scanned = self.scanned.max(end);
        self.open.pop_if(|token| !token.is_matched())
    }

    /// Removes the brace without partner of a declaration in which an `else` does not follow the `}` of its `if`.
    fn unclosed_before_else(&mut self, error: &ParseError) -> Option<Token> {
        let token = self.tokens.get(error.index)?;
        if token.kind != TokenKind::Else || !error.expected.has(Expected::END_OF_STATEMENT) {
            return None;
        }
        let is_brace = |it: &Token| !it.is_matched() && it.kind == TokenKind::BraceOpen;
        let open = self.open.iter().position(is_brace)?;
        self.lacks_brace = true;
        Some(self.open.remove(open))
    }

    fn default_after_check(&self, check: Span, default: Span) -> Diagnostic {
        let text = format!("{} {}", self.source(default), self.source(check));
        let message = "the default value of a field stands before its `where`";
        Diagnostic::error(Code::UNEXPECTED_TOKEN, (self.place)(default), message)
            .note("a field is written `name: type = default where check`")
            .fix(
                "put it before `where`",
                (self.place)(check.to(default)),
                text,
            )
    }
}

/// The report of a reserved word that is to name something.
#[must_use]
pub fn reserved_word(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` is a reserved word and cannot be used as a name");
    Diagnostic::error(Code::RESERVED_NAME, place, message)
        .note("reserved words may still name fields and arguments, and follow a dot")
}

/// The report of a tree or of brackets that nest too deeply.
pub(crate) fn too_deep(place: Place) -> Diagnostic {
    Diagnostic::error(Code::NESTING_TOO_DEEP, place, "this is nested too deeply")
        .note("brackets nest at most 256 deep, and chains such as `a + b + c` have at most 1,000 links; bind a part with `let`")
}

/// Source text that fits into a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 30;
    if text.chars().count() <= LONGEST && !text.contains('\n') {
        return text.to_owned();
    }
    let head: String = text
        .chars()
        .take_while(|character| *character != '\n')
        .take(LONGEST)
        .collect();
    format!("{head}…")
}
