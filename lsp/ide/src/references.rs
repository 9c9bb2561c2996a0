//! `textDocument/references`: every place of the project that names what the name at a place does.

use gsw_names::is_std;
use gsw_source::{Db, File, Location, Project};
use gsw_syntax::file_item_ids;

use crate::cursor::{cursor, in_file};
use crate::symbol::{Occurrence, Role, Symbol, declared_text, occurrences};

/// A place that names a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    pub location: Location,
    pub role: Role,
}

/// The places that name what the name at `offset` names, file by file in order.
#[must_use]
pub fn references(db: &dyn Db, file: File, offset: u32) -> Vec<Found> {
    let Some(cursor) = cursor(db, file, offset) else {
        return Vec::new();
    };
    let files = files_that_may_name(db, cursor.symbol);
    files
        .into_iter()
        .flat_map(|file| in_one_file(db, file, cursor.symbol))
        .collect()
}

/// The files in which a symbol may be named: those that hold its name, its own first.
pub fn files_that_may_name(db: &dyn Db, symbol: Symbol) -> Vec<File> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let name = declared_text(db, symbol);
    // In a hook a decision is a word: `deny` is `Deny`.
    let word = match symbol {
        Symbol::Variant { .. } => name.as_ref().map(|it| it.to_lowercase()),
        Symbol::Local { .. } | Symbol::Item(_) | Symbol::Field { .. } | Symbol::Module(_) => None,
    };
    let home = match symbol {
        Symbol::Local { item, .. }
        | Symbol::Item(item)
        | Symbol::Variant { item, .. }
        | Symbol::Field { item, .. } => item.file(db),
        Symbol::Module(file) => file,
    };
    let all = project.modules(db).values().copied();
    let mut files: Vec<File> = all
        // A search in a project is not for the library's uses of its own functions.
        .filter(|file| *file == home || !is_std(db, *file))
        .filter(|file| {
            let text = file.text(db);
            let is_in = |name: &str| text.contains(name);
            name.as_ref().is_none_or(|it| is_in(it.as_str()))
                || word.as_ref().is_some_and(|it| is_in(it.as_str()))
        })
        .collect();
    files.sort_by_key(|file| *file != home);
    files
}

/// The places of one file that name a symbol.
pub fn in_one_file(db: &dyn Db, file: File, symbol: Symbol) -> Vec<Found> {
    let mut found = Vec::new();
    for item in file_item_ids(db, file).iter().copied() {
        for Occurrence {
            span,
            symbol: meant,
            role,
        } in occurrences(db, item)
        {
            if meant == symbol {
                let span = in_file(db, item, span);
                let location = Location { file, span };
                found.push(Found { location, role });
            }
        }
    }
    found
}
