//! Turns the mistakes of lexer and parser into diagnostics: one for each mistake, none for what only follows from it.

use std::sync::Arc;

use gsw_source::{Code, Diagnostic, File, Place, Span};

use crate::lexer::{LexicalError, LexicalErrorKind};
use crate::parsed_file::ParsedTokens;
use crate::parser::error::{Scene, too_deep};
use crate::parser::{ParseError, Reason};

/// The reports of a file's lexical errors.
pub(crate) fn report_lexical(errors: &[LexicalError], file: File) -> Vec<Diagnostic> {
    errors
        .iter()
        .map(|error| {
            error.diagnostic(Place::File {
                file,
                span: error.span,
            })
        })
        .collect()
}

/// The reports of an item's mistakes.
pub(crate) fn report_item(
    parsed: &ParsedTokens,
    lexical: &[LexicalError],
    text: &Arc<str>,
    next_item: Option<Span>,
    file: File,
) -> Vec<Diagnostic> {
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
    let relative = |span: Span| Span::new(span.start - offset, span.end - offset);
    let mut scene = Scene {
        tokens: &parsed.tokens,
        text: &text[offset as usize..],
        next_item: next_item.map(relative),
        place: &place,
        reported: Vec::new(),
    };
    let mut errors = parsed.errors.clone();
    errors.sort_by_key(|error| error.index);
    errors.dedup_by_key(|error| (error.index, matches!(error.reason, Reason::TooDeep(_))));
    errors
        .iter()
        .filter(|error| !follows_lexical(error, parsed, lexical, text))
        .map(|error| scene.diagnostic(error))
        .filter(|diagnostic| !follows_open_string(diagnostic, lexical, parsed))
        .collect()
}

/// Whether a lexical error, reported already, is the likely cause: one on the same line, or a block string without
/// end somewhere before.
fn follows_lexical(
    error: &ParseError,
    parsed: &ParsedTokens,
    lexical: &[LexicalError],
    text: &str,
) -> bool {
    let token = parsed.tokens.get(error.index).or(parsed.tokens.last());
    let position = token.map_or(0, |token| (token.span.start + parsed.offset) as usize);
    lexical.iter().any(|cause| {
        let start = cause.span.start as usize;
        if start < parsed.offset as usize {
            return false;
        }
        let between = start.min(position)..start.max(position);
        let is_block = cause.kind == LexicalErrorKind::UnterminatedString
            && text[start..].starts_with("\"\"\"");
        (is_block && start <= position) || !text[between].contains('\n')
    })
}

/// Whether a bracket is only unclosed because a string without end has swallowed its partner.
fn follows_open_string(
    diagnostic: &Diagnostic,
    lexical: &[LexicalError],
    parsed: &ParsedTokens,
) -> bool {
    let end = parsed.tokens.last().map_or(0, |token| token.span.end) + parsed.offset;
    diagnostic.code == Code::UNCLOSED_BRACKET
        && lexical.iter().any(|cause| {
            cause.kind == LexicalErrorKind::UnterminatedString
                && (parsed.offset..=end).contains(&cause.span.start)
                && diagnostic.labels.iter().any(|label| match label.place {
                    Place::File { span, .. } | Place::Item { span, .. } => {
                        span.start < cause.span.start
                    }
                })
        })
}
