//! All that is wrong with a file or a project, the values of its constants included.

use gsw_names::is_std;
use gsw_project::configuration_diagnostics;
use gsw_source::{Db, Diagnostic, File, Project};
use gsw_syntax::locate;

use crate::constant::constant_diagnostics;

/// Everything that is wrong with `file`, in the order of places.
#[must_use]
pub fn check_file(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let mut found = gsw_analysis::check_file(db, file).clone();
    let constants = constant_diagnostics(db, file, &found);
    if !constants.is_empty() {
        found.extend(constants);
        found.sort_by_key(|it| locate(db, it.place).1);
    }
    found
}

/// What is wrong with the project's `gsw.toml` and with every file of the project outside of the library, file by file.
#[must_use]
pub fn check_project(db: &dyn Db) -> Vec<Diagnostic> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let files = project.modules(db).values().copied();
    let own = files.filter(|it| !is_std(db, *it));
    let of_files = own.flat_map(|it| check_file(db, it));
    configuration_diagnostics(db)
        .into_iter()
        .chain(of_files)
        .collect()
}
