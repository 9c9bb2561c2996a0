//! Between the compiler's bytes and the protocol's lines and UTF-16 units.

use std::path::{Path, PathBuf};

use gsw_source::{Database, Diagnostic, File, Place, Severity, Span};
use tower_lsp::ls_types as lsp;

/// The position of byte `offset`.
pub fn position(text: &str, offset: u32) -> lsp::Position {
    let mut offset = (offset as usize).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|&byte| byte == b'\n').count();
    let character = before[line_start..].encode_utf16().count();
    lsp::Position {
        line: line as u32,
        character: character as u32,
    }
}

/// The byte offset of a position; past the end of a line it is that line's end.
pub fn offset(text: &str, position: lsp::Position) -> u32 {
    let mut start = 0;
    for _ in 0..position.line {
        match text[start..].find('\n') {
            Some(at) => start += at + 1,
            None => return text.len() as u32,
        }
    }
    let mut units = position.character as usize;
    for (at, c) in text[start..].char_indices() {
        if c == '\n' || units < c.len_utf16() {
            return (start + at) as u32;
        }
        units -= c.len_utf16();
    }
    text.len() as u32
}

/// The range of a span.
pub fn range(text: &str, span: Span) -> lsp::Range {
    lsp::Range {
        start: position(text, span.start),
        end: position(text, span.end),
    }
}

/// A place as the protocol names it; `None` for a file of the standard library, which is nowhere on disk.
pub fn location(db: &Database, place: Place) -> Option<lsp::Location> {
    let (file, span) = gsw_syntax::locate(db, place);
    let uri = uri(file.path(db))?;
    Some(lsp::Location {
        uri,
        range: range(file.text(db), span),
    })
}

fn uri(path: &Path) -> Option<lsp::Uri> {
    if path.starts_with("std") {
        return None;
    }
    lsp::Uri::from_file_path(std::path::absolute(path).ok()?)
}

/// The path of a document on disk.
pub fn path(uri: &lsp::Uri) -> Option<PathBuf> {
    uri.to_file_path().map(|path| path.into_owned())
}

/// A report as the protocol wants it.
pub fn diagnostic(db: &Database, file: File, diagnostic: &Diagnostic) -> lsp::Diagnostic {
    let (_, span) = gsw_syntax::locate(db, diagnostic.place);
    let mut message = diagnostic.message.clone();
    for note in &diagnostic.notes {
        message.push_str("\nnote: ");
        message.push_str(note);
    }
    let related = diagnostic
        .labels
        .iter()
        .filter_map(|label| {
            let location = location(db, label.place)?;
            Some(lsp::DiagnosticRelatedInformation {
                location,
                message: label.message.clone(),
            })
        })
        .collect();
    lsp::Diagnostic {
        range: range(file.text(db), span),
        severity: Some(match diagnostic.severity {
            Severity::Error => lsp::DiagnosticSeverity::ERROR,
            Severity::Warning => lsp::DiagnosticSeverity::WARNING,
            Severity::Hint => lsp::DiagnosticSeverity::HINT,
        }),
        code: Some(lsp::NumberOrString::String(diagnostic.code.name().into())),
        source: Some("gswc".into()),
        message,
        related_information: Some(related),
        ..lsp::Diagnostic::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{offset, position};

    #[test]
    fn positions_count_utf16_units() {
        let text = "a\u{1F600}b\nzoë x";
        assert_eq!(position(text, 5).character, 3);
        assert_eq!(offset(text, position(text, 5)), 5);
        let x = text.find('x').expect("it is there") as u32;
        assert_eq!(
            (position(text, x).line, position(text, x).character),
            (1, 4)
        );
        assert_eq!(offset(text, position(text, x)), x);
    }
}
