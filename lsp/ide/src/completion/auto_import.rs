//! What is declared elsewhere and not imported yet, with the import that brings it.

use gsw_names::{is_std, resolve_name};

use super::Cursor;
use super::item::{Calling, Completion, CompletionKind, of_item};
use super::name::{Wanted, is_wanted};
use crate::importing::{self, Importable};

/// How many letters must be typed before all files are searched.
const LEAST: usize = 2;

/// Declarations of the project's other files, and modules of the library, whose names begin with what is typed.
pub fn importable(cursor: &Cursor<'_>, wanted: Wanted) -> Vec<Completion> {
    if cursor.prefix.len() < LEAST {
        return Vec::new();
    }
    let mut found = Vec::new();
    for it in importing::importable(cursor.db, cursor.file) {
        if is_std(cursor.db, it.module) {
            found.extend(library_module(cursor, &it));
        } else {
            found.extend(declarations(cursor, &it, wanted));
        }
    }
    found
}

fn library_module(cursor: &Cursor<'_>, of: &Importable<'_>) -> Option<Completion> {
    let (db, file, path) = (cursor.db, cursor.file, of.key);
    let name = of.name();
    let is_meant = name.starts_with(cursor.prefix)
        && resolve_name(db, file, name).is_none()
        && importing::is_public_library(db, of.module);
    is_meant.then(|| Completion {
        imports: vec![importing::module_import(db, file, path)],
        ..Completion::new(name, CompletionKind::Module, 5).detail(format!("import {path}"))
    })
}

/// The declarations of a module that are meant.
fn declarations(cursor: &Cursor<'_>, of: &Importable<'_>, wanted: Wanted) -> Vec<Completion> {
    let (db, file, module) = (cursor.db, cursor.file, of.module);
    let mut meant = importing::names_with(db, module, cursor.prefix).peekable();
    if meant.peek().is_none() {
        return Vec::new();
    }
    let Some(path) = of.path() else {
        return Vec::new();
    };
    meant
        .filter_map(|name| {
            let item = importing::declared(db, module, name, file)?;
            let is_free = resolve_name(db, file, name).is_none();
            if !is_free || !is_wanted(cursor, item, wanted) {
                return None;
            }
            let calling = match wanted {
                Wanted::Values => Calling::Call,
                Wanted::Types | Wanted::Errors | Wanted::Only(_) => Calling::Name,
            };
            let completion = of_item(db, name, item, calling, 6);
            let imports = vec![importing::name_import(db, file, module, &path, name)];
            let detail = format!("import {path}.{{{name}}}");
            Some(Completion {
                imports,
                ..completion.detail(detail)
            })
        })
        .collect()
}
