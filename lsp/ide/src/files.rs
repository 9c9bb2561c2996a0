//! The files of a project.

use gsw_names::is_std;
use gsw_source::{Db, File, Project};

/// The files of the project outside of the library, in order of path.
#[must_use]
pub fn own_files(db: &dyn Db) -> Vec<File> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let all = project.modules(db).values().copied();
    all.filter(|it| !is_std(db, *it)).collect()
}

/// Whether `file` belongs to the library, which is not edited.
#[must_use]
pub fn is_library(db: &dyn Db, file: File) -> bool {
    is_std(db, file)
}

/// The file of a module of the library, `std/fs` for example.
#[must_use]
pub fn library_file(db: &dyn Db, module: &str) -> Option<File> {
    gsw_names::std_file(db, module)
}

/// The files outside of the library that `file` imports.
#[must_use]
pub fn imported_files(db: &dyn Db, file: File) -> Vec<File> {
    let all = gsw_names::imported_files(db, file).iter().copied();
    all.filter(|it| !is_std(db, *it)).collect()
}
