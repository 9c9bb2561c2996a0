//! A question about texts that do not exist: a name put in at the cursor, or edits that were not made yet, taken out again when it
//! is answered.

use std::sync::Arc;

use gsw_source::{Database, Db, File, LocatedEdit};
use salsa::Setter;

use crate::edited::edited;
use crate::unfinished::finished;

/// A name that no program has.
pub const MARKER: &str = "gswc_cursor_";

/// What `question` says of the text in which the word at `offset` ends in [`MARKER`] at the cursor and what is only half typed around it is
/// finished; it gets the byte at which the marker starts. The rest of the word is left out.
pub fn with_marker<T>(
    db: &mut Database,
    file: File,
    offset: u32,
    question: impl FnOnce(&dyn Db, u32) -> T,
) -> T {
    let original: Arc<str> = file.text(db).clone();
    let mut at = (offset as usize).min(original.len());
    while !original.is_char_boundary(at) {
        at -= 1;
    }
    let rest = &original[at..];
    let word_end = rest
        .find(|it: char| !(it.is_alphanumeric() || it == '_'))
        .unwrap_or(rest.len());
    let marked = format!("{}{MARKER}{}", &original[..at], &rest[word_end..]);
    let finished = finished(marked, at + MARKER.len());
    file.set_text(db).to(finished.into());
    let answer = question(db, u32::try_from(at).unwrap_or(offset));
    file.set_text(db).to(original);
    answer
}

/// What `question` says of the project as it is after `edits`.
pub fn with_edits<T>(
    db: &mut Database,
    edits: &[LocatedEdit],
    question: impl FnOnce(&dyn Db) -> T,
) -> T {
    let mut files: Vec<File> = Vec::new();
    for edit in edits {
        if !files.contains(&edit.location.file) {
            files.push(edit.location.file);
        }
    }
    let originals: Vec<(File, Arc<str>)> = files
        .into_iter()
        .map(|file| (file, file.text(db).clone()))
        .collect();
    for (file, original) in &originals {
        let text = edited(original, *file, edits);
        file.set_text(db).to(text.into());
    }
    let answer = question(db);
    for (file, original) in originals {
        file.set_text(db).to(original);
    }
    answer
}
