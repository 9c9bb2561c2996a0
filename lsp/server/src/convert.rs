//! Between the compiler's bytes and the protocol's lines and UTF-16 units.

use std::path::{Path, PathBuf};

use gsw_source::{
    Database, Diagnostic, File, Place, Severity, Span, Utf16Position, file_line_index,
};
use tower_lsp::ls_types as lsp;

/// The position of a byte of `file`.
fn position(db: &Database, file: File, offset: u32) -> lsp::Position {
    let position = file_line_index(db, file).utf16_position(file.text(db), offset);
    lsp::Position {
        line: position.line,
        character: position.character,
    }
}

/// The byte of `file` at a position; past the end of a line it is that line's end.
pub fn offset(db: &Database, file: File, position: lsp::Position) -> u32 {
    let position = Utf16Position {
        line: position.line,
        character: position.character,
    };
    file_line_index(db, file).utf16_offset(file.text(db), position)
}

/// The range of a span of `file`.
pub fn range(db: &Database, file: File, span: Span) -> lsp::Range {
    lsp::Range {
        start: position(db, file, span.start),
        end: position(db, file, span.end),
    }
}

/// A place as the protocol names it; `None` for a file of the standard library, which is nowhere on disk.
pub fn location(db: &Database, place: Place) -> Option<lsp::Location> {
    let (file, span) = gsw_syntax::locate(db, place);
    let uri = uri(file.path(db))?;
    Some(lsp::Location {
        uri,
        range: range(db, file, span),
    })
}

/// The address of a file; `None` for one of the standard library.
pub fn uri(path: &Path) -> Option<lsp::Uri> {
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
        range: range(db, file, span),
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
