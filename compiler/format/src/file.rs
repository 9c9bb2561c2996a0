//! A whole file.

use std::sync::Arc;

use gsw_source::{Db, Diagnostic, File, Span};
use gsw_syntax::parse_file;

use crate::comments::Comments;
use crate::document::{Document, concat, print};
use crate::printer::Printer;

/// Why a file is left as it is: it has mistakes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// The mistakes.
    pub diagnostics: Vec<Diagnostic>,
}

/// The text of `file` in the one style, or its mistakes. Formatting what this gives changes nothing.
pub fn format_file(db: &dyn Db, file: File) -> Result<String, FormatError> {
    let parsed = parse_file(db, file);
    if !parsed.diagnostics.is_empty() {
        return Err(FormatError {
            diagnostics: parsed.diagnostics.clone(),
        });
    }
    let text = Arc::clone(file.text(db));
    let mut comments = Comments::new(&text, &parsed.comments);
    let mut documents = Vec::new();
    for item in &parsed.items {
        let start = comments.next_before(item.offset).unwrap_or(item.offset);
        documents.push(comments.empty_line_before(start));
        documents.push(comments.before(item.offset));
        let mut printer = Printer {
            comments: &mut comments,
            offset: item.offset,
        };
        documents.push(printer.item(&item.item));
        let end = item.offset + item.item.span.end;
        documents.extend(comments.behind(end));
        documents.push(Document::HardLine);
    }
    let end = Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX)).end;
    if let Some(start) = comments.next_before(end) {
        documents.push(comments.empty_line_before(start));
    }
    documents.push(comments.before(end));
    Ok(print(&concat(documents)))
}
