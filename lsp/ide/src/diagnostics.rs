//! Everything wrong with a file.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use gsw_source::{Code, Database, Db, Diagnostic, File, Project, Retained, Severity};

/// The reports about `file`, in order of place.
#[must_use]
pub fn diagnostics(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    gsw_analysis::check_file(db, file)
}

/// Finds out on all cores what is wrong with the first of these files, before each is asked for, and ends soon after `until`. How many
/// files it has looked at.
pub fn diagnose_ahead(db: &dyn Db, files: &[File], until: Instant) -> usize {
    gsw_analysis::check_ahead(db, files, || match Instant::now() < until {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    })
}

/// Releases what the checks of files have left behind and is soon found again, but for what was used last and what belongs to the
/// `open` items of documents that are edited.
pub fn let_go(db: &mut Database, retained: Retained, open: usize) {
    keep(db, retained, open);
    salsa::Database::trigger_lru_eviction(db);
    hold(db, open);
}

/// From now on an edit releases nothing of so many items of documents that are edited.
pub fn hold(db: &mut Database, open: usize) {
    keep(db, Retained::Many, open);
}

fn keep(db: &mut Database, retained: Retained, open: usize) {
    gsw_syntax::keep_trees(db, retained, open);
    gsw_names::keep_heads(db, retained, open);
    gsw_infer::keep_bodies(db, retained);
}

/// How many declarations there are in a file.
pub fn count_items(db: &dyn Db, file: File) -> usize {
    gsw_syntax::file_item_ids(db, file).len()
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
    let mut found = gsw_project::configuration_diagnostics(db);
    found.extend(gsw_project::missing_entry(db));
    let files = [project.configuration(db), project.prices(db)];
    let of_file = |file: File| {
        let own = found.iter().filter(|it| it.place.file(db) == file);
        (file, own.cloned().collect())
    };
    files.into_iter().flatten().map(of_file).collect()
}

/// How many errors of each kind there are in a file, with the message of one: what can be compared before and after an edit.
#[derive(Default)]
pub struct Errors(BTreeMap<Code, (usize, String)>);

impl Errors {
    pub fn of(db: &dyn Db, file: File) -> Self {
        let mut found = Self::default();
        let reports = diagnostics(db, file).into_iter();
        for it in reports.filter(|it| it.severity == Severity::Error) {
            let (count, _) = found.0.entry(it.code).or_insert((0, it.message));
            *count += 1;
        }
        found
    }

    pub fn count(&self, code: Code) -> usize {
        self.0.get(&code).map_or(0, |(count, _)| *count)
    }

    /// The message of an error of a kind that occurs more often than `before`.
    pub fn beyond(&self, before: &Self) -> Option<&str> {
        let mut all = self.0.iter();
        let (_, (_, message)) = all.find(|(code, (count, _))| *count > before.count(**code))?;
        Some(message)
    }
}
