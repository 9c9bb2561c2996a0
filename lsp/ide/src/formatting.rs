//! `textDocument/formatting` and `textDocument/rangeFormatting`: the edits that bring a file, or some of its declarations, into the
//! one style. A file with mistakes of syntax is left alone.

use gsw_format::format_file;
use gsw_source::{Db, File, LocatedEdit, Location, Span};
use gsw_syntax::FileReader;

/// The edits that format all of `file`; none when it has mistakes.
#[must_use]
pub fn formatting(db: &dyn Db, file: File) -> Vec<LocatedEdit> {
    let Ok(formatted) = format_file(db, file) else {
        return Vec::new();
    };
    difference(file, 0, file.text(db), &formatted)
        .into_iter()
        .collect()
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
        .filter_map(|(old, new)| {
            let old_text = text.get(old.start as usize..old.end as usize)?;
            let new_text = formatted.get(new.start as usize..new.end as usize)?;
            difference(file, old.start, old_text, new_text)
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

/// The one edit that makes `new` of `old`, which begins at byte `start`: what both begin and end with stays as it is.
fn difference(file: File, start: u32, old: &str, new: &str) -> Option<LocatedEdit> {
    if old == new {
        return None;
    }
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let head: usize = old
        .chars()
        .zip(new.chars())
        .take_while(same)
        .map(|(it, _)| it.len_utf8())
        .sum();
    let tail: usize = old[head..]
        .chars()
        .rev()
        .zip(new[head..].chars().rev())
        .take_while(same)
        .map(|(it, _)| it.len_utf8())
        .sum();
    let at = |offset: usize| start + u32::try_from(offset).unwrap_or(u32::MAX);
    let span = Span::new(at(head), at(old.len() - tail));
    Some(LocatedEdit {
        location: Location { file, span },
        text: new[head..new.len() - tail].to_owned(),
    })
}
