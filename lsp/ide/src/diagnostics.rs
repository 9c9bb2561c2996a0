//! Everything wrong with a file.

use gsw_source::{Db, Diagnostic, File, Project};

/// The reports about `file`, in order of place.
#[must_use]
pub fn diagnostics(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    gsw_analysis::check_file(db, file)
}

/// Those that need no look into the bodies of other files, which are had before all is read.
#[must_use]
pub fn first_diagnostics(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    gsw_analysis::first_diagnostics(db, file)
}

/// The reports about the project's `gsw.toml` and the files that it names, each file with its own.
#[must_use]
pub fn project_diagnostics(db: &dyn Db) -> Vec<(File, Vec<Diagnostic>)> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let found = gsw_project::configuration_diagnostics(db);
    let files = [project.configuration(db), project.prices(db)];
    let of_file = |file: File| {
        let own = found.iter().filter(|it| it.place.file(db) == file);
        (file, own.cloned().collect())
    };
    files.into_iter().flatten().map(of_file).collect()
}
