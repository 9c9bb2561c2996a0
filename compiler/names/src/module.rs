//! Modules: which file a path names, seen from where, and which files the compiler itself knows.

use gsw_source::{Db, File, Place, Project, Span};
use rustc_hash::FxHashMap;

/// The module whose public names every file sees.
pub const PRELUDE: &str = "std/prelude";

/// Modules of the standard library that are in scope by their last name without an import.
pub const IMPLICIT_MODULES: &[&str] = &[
    "bytes",
    "context",
    "document",
    "duration",
    "image",
    "introspect",
    "json",
    "log",
    "time",
    "workflows",
];

/// The file that `path`, written in an import of `from`, names: `std/fs`, `./x`, `../x`.
pub fn module_file(db: &dyn Db, from: File, path: &str) -> Option<File> {
    let project = Project::try_get(db)?;
    let modules = project.modules(db);
    if path.starts_with("std/") {
        return modules.get(path).copied();
    }
    if !path.starts_with("./") && !path.starts_with("../") {
        return None;
    }
    modules.get(&path_from(db, from, path)?).copied()
}

/// Why the file that `path`, written in an import of `from`, names cannot be read, although it is there.
pub fn unreadable_module<'db>(db: &'db dyn Db, from: File, path: &str) -> Option<&'db str> {
    let unreadable = Project::try_get(db)?.unreadable(db);
    let key = path_from(db, from, path)?;
    unreadable.get(&key).map(String::as_str)
}

/// What a relative path, written in `from`, leads to, as modules are named: from the root, without `.` and `..`.
pub fn path_from(db: &dyn Db, from: File, path: &str) -> Option<String> {
    let own = module_path(db, from)?;
    let mut segments: Vec<&str> = own.split('/').collect();
    segments.pop();
    for segment in path.split('/') {
        match segment {
            "." | "" => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

/// The module path of `file`; `None` when it belongs to no project.
pub fn module_path(db: &dyn Db, file: File) -> Option<&str> {
    let project = Project::try_get(db)?;
    module_paths(db, project).get(&file).map(String::as_str)
}

/// A module as messages name it: `shown_file` without the ending.
pub fn shown_module(db: &dyn Db, file: File) -> String {
    let path = shown_file(db, file);
    path.strip_suffix(".gsw").unwrap_or(&path).to_string()
}

/// A file as messages name it: seen from the folder of the entry, where it is inside of it.
pub fn shown_file(db: &dyn Db, file: File) -> String {
    let path = file.path(db);
    let entry = entry_file(db).and_then(|it| it.path(db).parent());
    let short = entry.and_then(|folder| path.strip_prefix(folder).ok());
    short.unwrap_or(path).display().to_string()
}

/// The file that the project starts with.
pub fn entry_file(db: &dyn Db) -> Option<File> {
    let project = Project::try_get(db)?;
    project.modules(db).get(project.entry(db)).copied()
}

/// The file of the prelude, when the project holds the standard library.
pub fn prelude_file(db: &dyn Db) -> Option<File> {
    std_file(db, PRELUDE)
}

/// Where an import would be put into `file`, when `name` is a module of the library that a program imports.
pub fn library_module(db: &dyn Db, file: File, name: &str) -> Option<Place> {
    let is_known = std_file(db, &format!("std/{name}")).is_some() && name != "prelude";
    let first = gsw_syntax::file_item_ids(db, file).first().copied();
    first.filter(|_| is_known).map(|item| Place::Item {
        item,
        span: Span::default(),
    })
}

/// The file of the standard library's module `path`, such as `std/list`.
pub fn std_file(db: &dyn Db, path: &str) -> Option<File> {
    Project::try_get(db)?.modules(db).get(path).copied()
}

/// Whether `file` belongs to the standard library.
pub fn is_std(db: &dyn Db, file: File) -> bool {
    module_path(db, file).is_some_and(|path| path.starts_with("std/"))
}

/// The file of a module that needs no import, by the name that a program writes.
pub fn implicit_module(db: &dyn Db, name: &str) -> Option<File> {
    let known = IMPLICIT_MODULES.binary_search(&name).is_ok();
    known.then(|| std_file(db, &format!("std/{name}")))?
}

#[salsa::tracked(returns(ref))]
fn module_paths(db: &dyn Db, project: Project) -> FxHashMap<File, String> {
    let modules = project.modules(db).iter();
    modules.map(|(path, &file)| (file, path.clone())).collect()
}
