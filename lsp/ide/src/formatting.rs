//! `textDocument/formatting` and `textDocument/rangeFormatting`: the edits that bring a file, or some of its declarations, into the
//! one style. A file with mistakes of syntax is left alone.

use std::borrow::Cow;

use gsw_format::format_file;
use gsw_source::{Db, File, LocatedEdit, Span};
use gsw_syntax::FileReader;

use crate::difference::differences;

/// The edits that format all of `file`; none when it has mistakes.
#[must_use]
pub fn formatting(db: &dyn Db, file: File) -> Vec<LocatedEdit> {
    let Ok(formatted) = format_file(db, file) else {
        return Vec::new();
    };
    let text = file.text(db);
    differences(file, 0, text, &ending_as(text, &formatted))
}

/// The edits that format the declarations that touch `range`.
#[must_use]
pub fn range_formatting(db: &dyn Db, file: File, range: Span) -> Vec<LocatedEdit> {
    let Ok(formatted) = format_file(db, file) else {
        return Vec::new();
    };
    let before = items(db, file);
    // A file of its own, which no project knows: only its syntax is asked for.
    let after = File::new(db, file.path(db).clone(), formatted.as_str().into());
    let after = items(db, after);
    if before.len() != after.len() {
        return Vec::new();
    }
    let text = file.text(db);
    let touched = before
        .iter()
        .zip(&after)
        .filter(|(old, _)| old.touches(range.start) || range.touches(old.start));
    touched
        .flat_map(|(old, new)| {
            let old_text = text.get(old.start as usize..old.end as usize);
            let new_text = formatted.get(new.start as usize..new.end as usize);
            let (old_text, new_text) = (old_text.unwrap_or_default(), new_text.unwrap_or_default());
            differences(file, old.start, old_text, &ending_as(text, new_text))
        })
        .collect()
}

fn items(db: &dyn Db, file: File) -> Vec<Span> {
    let reader = FileReader::new(db, file);
    reader
        .items()
        .map(|it| it.item().span.shifted(it.offset()))
        .collect()
}

/// `new` with the line ends of `text`: an editor writes those that a document has, so a file is not changed by them.
pub fn ending_as<'new>(text: &str, new: &'new str) -> Cow<'new, str> {
    let first = text.find('\n').map(|it| &text[..it]);
    match first {
        Some(line) if line.ends_with('\r') => {
            Cow::Owned(new.replace("\r\n", "\n").replace('\n', "\r\n"))
        }
        Some(_) | None => Cow::Borrowed(new),
    }
}
