//! `workspace/willRenameFiles`: the edits after which imports lead to files where they are going to be.

use std::path::{Path, PathBuf};

use gsw_names::{imports, is_std, module_file};
use gsw_project::module_key;
use gsw_source::{Db, File, LocatedEdit};
use gsw_syntax::ast::Import;
use gsw_syntax::{file_item_ids, is_name};

use crate::cursor::in_file;
use crate::files::own_files;
use crate::importing::path_to;
use crate::meaning::has_word;
use crate::symbol::{Symbol, occurrences};

/// The edits for files and folders that get other paths, each by the old one and the new one. The edits are of the files where they are.
#[must_use]
pub fn will_rename_files(db: &dyn Db, moved: &[(PathBuf, PathBuf)]) -> Vec<LocatedEdit> {
    let mut edits = Vec::new();
    for file in own_files(db) {
        for (item, import) in imports(db, file) {
            let Some(target) = module_file(db, file, &import.path) else {
                continue;
            };
            if is_std(db, target) {
                continue;
            }
            let own = file.path(db);
            let others = target.path(db);
            let (from, to) = (after(own, moved), after(others, moved));
            // A path that still leads there stays as it is written.
            if from.parent() == own.parent() && to == *others || !is_source(&to) {
                continue;
            }
            let Some(path) = path_to(&module_key(&from), &module_key(&to)) else {
                continue;
            };
            if path != import.path.as_str() {
                let span = in_file(db, item, import.path_span);
                let known = name_after(db, file, target, &import, &path, &mut edits);
                edits.push(LocatedEdit::new(file, span, path + &known));
            }
        }
    }
    edits
}

/// Where a file is when all is moved.
fn after(path: &Path, moved: &[(PathBuf, PathBuf)]) -> PathBuf {
    let mut moves = moved.iter();
    let new = moves.find_map(|(old, new)| {
        let inside = path.strip_prefix(old).ok()?;
        Some(match inside.as_os_str().is_empty() {
            true => new.clone(),
            false => new.join(inside),
        })
    });
    new.unwrap_or_else(|| path.to_owned())
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "gsw")
}

/// What follows the path when the module has another name then: nothing when its uses follow, by edits that are added, or ` as old`
/// where the new name cannot be one, or the file has the word for something else.
fn name_after(
    db: &dyn Db,
    file: File,
    target: File,
    import: &Import,
    path: &str,
    edits: &mut Vec<LocatedEdit>,
) -> String {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let (old, new) = (last(&import.path), last(path));
    if import.alias.is_some() || import.names.is_some() || old == new {
        return String::new();
    }
    if !is_name(&new) || has_word(file.text(db), &new) {
        return format!(" as {old}");
    }
    for item in file_item_ids(db, file).iter().copied() {
        let named = occurrences(db, item).into_iter().filter(|it| {
            it.symbol == Symbol::Module(target)
                && gsw_names::source_text(db, item, it.span) == old.as_str()
        });
        edits.extend(named.map(|it| {
            let span = in_file(db, item, it.span);
            LocatedEdit::new(file, span, new.as_str())
        }));
    }
    String::new()
}
