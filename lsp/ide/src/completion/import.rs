//! Imports: the modules that a path can lead to, and what they declare.

use gsw_names::{member_names, module_path};
use gsw_source::{File, Project};

use super::Cursor;
use super::item::{Calling, Completion, CompletionKind, of_item};
use crate::importing::{declared, path_to};

/// The modules whose paths begin as it is written; each path is completed to its next `/`.
pub fn paths(cursor: &Cursor<'_>, written: &str) -> Vec<Completion> {
    let Some(project) = Project::try_get(cursor.db) else {
        return Vec::new();
    };
    let own = module_path(cursor.db, cursor.file).unwrap_or_default();
    let modules = project.modules(cursor.db).keys();
    let reachable = modules
        .filter(|it| it.as_str() != own && *it != gsw_names::PRELUDE)
        .filter_map(|it| path_to(own, it));
    // What was typed up to the last `/` stays.
    let typed = written.rfind('/').map_or(0, |it| it + 1);
    let (folder, _) = written.split_at(typed);
    let mut found: Vec<Completion> = reachable
        .filter(|it| it.starts_with(folder))
        .filter_map(|it| {
            if written.is_empty() && it.starts_with('.') {
                return Some(Completion::new(it, CompletionKind::Module, 0));
            }
            let rest = &it[typed..];
            let next = rest.split('/').next()?;
            let is_folder = rest.len() > next.len();
            // A word is completed, so `.` and `..` are left to the fingers.
            (!next.starts_with('.')).then(|| {
                let label = match is_folder {
                    true => format!("{next}/"),
                    false => next.to_owned(),
                };
                Completion::new(label, CompletionKind::Module, 0).detail(it.clone())
            })
        })
        .collect();
    found.sort_by(|a, b| a.label.cmp(&b.label));
    found.dedup_by(|a, b| a.label == b.label);
    found
}

/// The names that an import can take from a module.
pub fn names(cursor: &Cursor<'_>, module: File) -> Vec<Completion> {
    let db = cursor.db;
    member_names(db, module)
        .into_iter()
        .filter_map(|name| {
            let item = declared(db, module, &name, cursor.file)?;
            Some(of_item(db, &name, item, Calling::Name, 0))
        })
        .collect()
}
