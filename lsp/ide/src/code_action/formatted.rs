//! What actions write, in the one style: a file that was formatted is formatted after its action as well, so no action needs to know how
//! the formatter breaks lines.

use std::collections::HashMap;

use gsw_format::format_file;
use gsw_source::{Db, File, LocatedEdit};

use super::CodeAction;
use crate::difference::differences;
use crate::formatting::ending_as;

/// Which files are formatted, found out once.
#[derive(Default)]
pub struct Style(HashMap<File, bool>);

impl Style {
    /// The files that an action changes, as far as they are formatted; what it makes of others stays as it writes it.
    pub fn formatted_files(&mut self, db: &dyn Db, edits: &[LocatedEdit]) -> Vec<File> {
        let mut files: Vec<File> = Vec::new();
        for file in edits.iter().map(|it| it.location.file) {
            let is_formatted = *self.0.entry(file).or_insert_with(|| is_formatted(db, file));
            if is_formatted && !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }
}

fn is_formatted(db: &dyn Db, file: File) -> bool {
    let text = file.text(db);
    format_file(db, file).is_ok_and(|it| ending_as(text, &it) == **text)
}

/// These files in the one style, as they are after the edits; none of one that cannot be read then.
pub fn texts(db: &dyn Db, files: &[File]) -> Vec<(File, String)> {
    let formatted = files
        .iter()
        .filter_map(|it| Some((*it, format_file(db, *it).ok()?)));
    formatted.collect()
}

/// The action with edits that lead to these texts, and of files without one with those it has; either with the line ends of the file.
pub fn leading_to(db: &dyn Db, action: CodeAction, texts: &[(File, String)]) -> CodeAction {
    let mut edits = Vec::new();
    for edit in action.edits {
        let file = edit.location.file;
        if texts.iter().all(|(it, _)| *it != file) {
            let text = ending_as(file.text(db), &edit.text).into_owned();
            edits.push(LocatedEdit { text, ..edit });
        }
    }
    for (file, text) in texts {
        let before = file.text(db);
        edits.extend(differences(*file, 0, before, &ending_as(before, text)));
    }
    CodeAction { edits, ..action }
}
