//! A whole file.

use gsw_source::{Db, Diagnostic, File, Span};
use gsw_syntax::ast::Item;
use gsw_syntax::{FileReader, parse_file};

use crate::comments::Comments;
use crate::document::{Document, Page, concat};
use crate::printer::Printer;

/// Why a file is left as it is: it has mistakes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// None where a later report than that of the syntax names the mistake, as for a function without a body.
    pub diagnostics: Vec<Diagnostic>,
}

/// The text of `file` in the one style, or its mistakes. Formatting what this gives changes nothing.
///
/// Items are parsed and laid out one by one: the trees and documents of a whole file would be many times its size.
pub fn format_file(db: &dyn Db, file: File) -> Result<String, FormatError> {
    let reader = FileReader::new(db, file);
    let mistakes = || FormatError {
        diagnostics: parse_file(db, file).diagnostics.clone(),
    };
    if !reader.lexical_diagnostics().is_empty() {
        return Err(mistakes());
    }
    let text = reader.text();
    let mut comments = Comments::new(text, reader.comments());
    let mut page = Page::default();
    for read in reader.items() {
        if !read.is_whole() {
            return Err(mistakes());
        }
        add_item(&mut page, &mut comments, read.item(), read.offset());
    }
    let end = Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX)).end;
    if let Some(start) = comments.next_before(end) {
        page.add(&comments.empty_line_before(start));
    }
    page.add(&comments.before(end));
    let formatted = page.finish();
    // Lines of a string are printed as they are; a string holds `\n` for either.
    Ok(match formatted.contains('\r') {
        true => formatted.replace("\r\n", "\n"),
        false => formatted,
    })
}

fn add_item(page: &mut Page, comments: &mut Comments<'_>, item: &Item, offset: u32) {
    let start = comments.next_before(offset).unwrap_or(offset);
    let empty_line = comments.empty_line_before(start);
    let before = comments.before(offset);
    let declaration = Printer { comments, offset }.item(item);
    let trailing = comments.trailing(offset + item.span.end);
    let parts = [empty_line, before, declaration].into_iter();
    let end = [Document::HardLine];
    page.add(&concat(parts.chain(trailing).chain(end)));
}
