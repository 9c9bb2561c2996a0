//! Turns the mistakes of lexer and parser into diagnostics: one for each mistake, none for what only follows from it.

use std::ops::Range;

use gsw_source::{Code, Diagnostic, File, Place, Span};

use crate::file_reader::ParsedTokens;
use crate::lexer::{LexicalError, LexicalErrorKind};
use crate::parser::error::{Scene, reserved_word, too_deep};
use crate::parser::{ParseError, Reason};
use crate::token::{Token, TokenKind, Word};

/// A file whose mistakes are reported.
pub(crate) struct Report<'file> {
    file: File,
    text: &'file str,
    /// Lexical errors in the order of places.
    lexical: Vec<&'file LexicalError>,
}

impl<'file> Report<'file> {
    /// A report that knows the lexical errors of `file`, whose text is `text`.
    pub(crate) fn new(file: File, text: &'file str, lexical: &'file [LexicalError]) -> Self {
        let mut lexical: Vec<_> = lexical.iter().collect();
        lexical.sort_by_key(|error| error.span);
        Self {
            file,
            text,
            lexical,
        }
    }

    /// The reports of the lexical errors.
    pub(crate) fn lexical(&self) -> Vec<Diagnostic> {
        let place = |span| Place::File {
            file: self.file,
            span,
        };
        let ends = self
            .lexical
            .windows(2)
            .filter(|pair| self.is_one_text(pair));
        let ends: Vec<Span> = ends.map(|pair| pair[1].span).collect();
        self.lexical
            .iter()
            .filter(|error| !ends.contains(&error.span))
            .map(|error| error.diagnostic(place(error.span)))
            .collect()
    }

    /// Whether two errors are about the quotes around one text, which has several lines.
    fn is_one_text(&self, pair: &[&LexicalError]) -> bool {
        let [first, last] = pair else {
            return false;
        };
        let is_open = |it: &LexicalError| {
            it.kind == LexicalErrorKind::UnterminatedString && !self.is_open_block(it)
        };
        if !is_open(first) || !is_open(last) {
            return false;
        }
        // A text inside of an interpolation of the first is within it, and nothing is between them.
        let between = first.span.end as usize..last.span.start as usize;
        let behind = last.span.start as usize + 1..;
        let (Some(between), Some(behind)) = (self.text.get(between), self.text.get(behind)) else {
            return false;
        };
        let behind = behind.split('\n').next().unwrap_or_default();
        !between.contains('"') && behind.trim().chars().all(|it| ")]},;".contains(it))
    }

    /// Whether an item is the `end` of a function without braces, which the report of its head mentions.
    pub(crate) fn ends_body(&self, before: &[Token], item: &[Token]) -> bool {
        let [end] = item else {
            return false;
        };
        let has = |kind| before.iter().any(|it| it.kind == kind);
        let word = &self.text[end.span.start as usize..end.span.end as usize];
        word == "end" && has(TokenKind::Fn) && !has(TokenKind::BraceOpen)
    }

    /// The reports of an item's mistakes; `next_item` is the first token after it, in the file.
    pub(crate) fn item(&self, parsed: &ParsedTokens, next_item: Option<Span>) -> Vec<Diagnostic> {
        let file = self.file;
        if let Some(span) = parsed.too_deep {
            return vec![too_deep(Place::File { file, span })];
        }
        if parsed.errors.is_empty() {
            return Vec::new();
        }
        let offset = parsed.offset;
        let place = move |span: Span| Place::File {
            file,
            span: span.shifted(offset),
        };
        let next_item = next_item.map(|span| Span::new(span.start - offset, span.end - offset));
        let text = &self.text[offset as usize..];
        let mut scene = Scene::new(&parsed.tokens, text, next_item, &place);
        let mut errors = parsed.errors.clone();
        errors.sort_by_key(|error| error.index);
        errors.dedup_by_key(|error| (error.index, matches!(error.reason, Reason::TooDeep(_))));
        let lexical = self.lexical_in(parsed);
        let texts = lexical.windows(2).filter(|pair| self.is_one_text(pair));
        let texts: Vec<Span> = texts.map(|pair| pair[0].span.to(pair[1].span)).collect();
        let open_block = lexical.iter().find(|cause| self.is_open_block(cause));
        let aftermath = aftermath(&errors, &parsed.tokens);
        let is_swallowed = |error: &ParseError| {
            let position = position_of(error, parsed);
            aftermath.contains(&error.index)
                || open_block.is_some_and(|cause| cause.span.start <= position)
                || texts
                    .iter()
                    .any(|it| it.start <= position && position < it.end)
                || self.has_error_on_line(position, lexical)
        };
        let mut reserved: Vec<TokenKind> = Vec::new();
        let mut parameters = reserved_parameters(&parsed.tokens);
        let mut found = Vec::new();
        for error in errors.iter().filter(|it| !is_swallowed(it)) {
            let near = error.kinds_near(&parsed.tokens);
            // A parameter that is named by a reserved word cannot be used, whatever is reported where that is tried.
            if let Some(index) = parameters.iter().position(|it| near.contains(&it.kind)) {
                let token = parameters.remove(index);
                let name = &text[token.span.start as usize..token.span.end as usize];
                found.push(reserved_word(place(token.span), name));
                reserved.push(token.kind);
                continue;
            }
            let follows = near.iter().any(|it| reserved.contains(it));
            reserved.extend(error.reserved_name(&parsed.tokens));
            if !follows {
                found.extend(scene.diagnostic(error));
            }
        }
        found.retain(|diagnostic| !follows_open_string(diagnostic, lexical));
        found
    }

    /// The lexical errors inside an item.
    fn lexical_in(&self, parsed: &ParsedTokens) -> &[&'file LexicalError] {
        let end = parsed.tokens.last().map_or(0, |token| token.span.end) + parsed.offset;
        let first = self
            .lexical
            .partition_point(|error| error.span.start < parsed.offset);
        let last = self
            .lexical
            .partition_point(|error| error.span.start <= end);
        &self.lexical[first..last.max(first)]
    }

    /// Whether a lexical error is on the line of `position`, which then is the likely cause of any other there.
    fn has_error_on_line(&self, position: u32, lexical: &[&LexicalError]) -> bool {
        let next = lexical.partition_point(|cause| cause.span.start <= position);
        let neighbours = [next.checked_sub(1), Some(next)];
        neighbours
            .into_iter()
            .flatten()
            .filter_map(|index| lexical.get(index))
            .any(|cause| self.is_one_line(cause.span.start, position))
    }

    fn is_one_line(&self, one: u32, other: u32) -> bool {
        let range = one.min(other) as usize..one.max(other) as usize;
        !self.text[range].contains('\n')
    }

    /// Whether the error is a block string without end, which makes text of code and code of text.
    fn is_open_block(&self, cause: &LexicalError) -> bool {
        cause.kind == LexicalErrorKind::UnterminatedString
            && self.text[cause.span.start as usize..].starts_with("\"\"\"")
    }
}

/// Where mistakes follow from one before: up to the `}` of a body that has no `{`, and in a body that has no `}`.
fn aftermath(errors: &[ParseError], tokens: &[Token]) -> Range<usize> {
    let lone = |kind| {
        let mut tokens = tokens.iter();
        tokens.position(|it| it.kind == kind && !it.is_matched())
    };
    let lone_closer = lone(TokenKind::BraceClose);
    let first = match (lone_closer, lone(TokenKind::BraceOpen)) {
        (Some(_), _) => errors.iter().find(|it| it.wants_brace()),
        (None, Some(opener)) => errors.iter().find(|it| it.index > opener),
        (None, None) => None,
    };
    let end = lone_closer.map_or(tokens.len(), |closer| closer + 1);
    first.map_or(0..0, |first| first.index + 1..end)
}

/// The parameters in the head of an item that are named by reserved words.
fn reserved_parameters(tokens: &[Token]) -> Vec<Token> {
    let kinds = [TokenKind::Fn, TokenKind::Workflow];
    let words = [Word::Tool, Word::Prompt, Word::Human, Word::External];
    let head: Vec<Token> = tokens
        .iter()
        .take_while(|it| it.kind != TokenKind::BraceOpen)
        .copied()
        .collect();
    // Fields of errors may have any name.
    if !head
        .iter()
        .any(|it| kinds.contains(&it.kind) || words.contains(&it.word))
    {
        return Vec::new();
    }
    let pairs = head.windows(2).filter(|pair| {
        let is_reserved = pair[0].kind.is_keyword() && pair[0].kind != TokenKind::SelfValue;
        is_reserved && pair[1].kind == TokenKind::Colon
    });
    pairs.map(|pair| pair[0]).collect()
}

/// The first byte in the file of the token that an error is about.
fn position_of(error: &ParseError, parsed: &ParsedTokens) -> u32 {
    let token = parsed.tokens.get(error.index).or(parsed.tokens.last());
    token.map_or(0, |token| token.span.start) + parsed.offset
}

/// Whether a bracket is only unclosed because a string without end has swallowed its partner.
fn follows_open_string(diagnostic: &Diagnostic, lexical: &[&LexicalError]) -> bool {
    let opened = diagnostic.labels.iter().map(|label| match label.place {
        Place::File { span, .. } | Place::Item { span, .. } => span.start,
    });
    let Some(opened) = opened.min() else {
        return false;
    };
    diagnostic.code == Code::UNCLOSED_BRACKET
        && lexical.iter().any(|cause| {
            cause.kind == LexicalErrorKind::UnterminatedString && cause.span.start > opened
        })
}
