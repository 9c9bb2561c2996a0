//! `workspace/willRenameFiles`: the edits after which imports lead to files where they are going to be.

use std::path::{Path, PathBuf};

use gsw_names::{imports, is_std, module_file};
use gsw_project::{module_key, project_configuration};
use gsw_source::{Db, File, LocatedEdit, Project};
use gsw_syntax::ast::Import;
use gsw_syntax::{file_item_ids, is_name};

use crate::cursor::{in_file, located};
use crate::document_link::{RelativePath, relative_paths};
use crate::files::own_files;
use crate::importing::path_to;
use crate::meaning::has_word;
use crate::symbol::{Symbol, occurrences};

/// The edits for files and folders that get other paths, each by the old one and the new one. The edits are of the files where they are.
#[must_use]
pub fn will_rename_files(db: &dyn Db, moved: &[(PathBuf, PathBuf)]) -> Vec<LocatedEdit> {
    let mut edits: Vec<LocatedEdit> = entry_after(db, moved).into_iter().collect();
    for file in own_files(db) {
        edits.extend(relative_paths_after(db, file, moved));
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

/// The edits of the paths of skills and cassettes in a file.
fn relative_paths_after(db: &dyn Db, file: File, moved: &[(PathBuf, PathBuf)]) -> Vec<LocatedEdit> {
    let own = file.path(db);
    let from = module_key(&after(own, moved));
    let edited = |it: RelativePath| {
        let target = module_key(&own.parent()?.join(&it.path));
        let to = after(Path::new(&target), moved);
        let path = path_to(&from, to.to_str()?)?;
        // A path that still leads there stays as it is written.
        let before = path_to(&module_key(own), &target)?;
        let is_plain = !path.contains(['"', '\\', '$']);
        (path != before && is_plain).then(|| LocatedEdit::new(file, it.span, format!("\"{path}\"")))
    };
    let paths = relative_paths(db, file).into_iter();
    paths.filter_map(edited).collect()
}

/// The edit of the entry that `gsw.toml` names.
fn entry_after(db: &dyn Db, moved: &[(PathBuf, PathBuf)]) -> Option<LocatedEdit> {
    let configuration = Project::try_get(db)?.configuration(db)?;
    let named = project_configuration(db)?;
    let place = located(db, named.entry_place?);
    let (own, new) = (configuration.path(db), after(configuration.path(db), moved));
    let entry = own.parent()?.join(&named.entry);
    let to = after(&entry, moved);
    let inside = to.strip_prefix(new.parent()?).ok()?.to_str()?;
    (inside != named.entry && is_source(&to))
        .then(|| LocatedEdit::new(configuration, place.span, format!("\"{inside}\"")))
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
