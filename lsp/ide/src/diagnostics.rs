//! Everything wrong with a file.

use gsw_source::{Db, Diagnostic, File};

/// The reports about `file`, in order of place.
#[must_use]
pub fn diagnostics(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    gsw_evaluator::check_file(db, file)
}
