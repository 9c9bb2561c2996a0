//! Query `import_cycles`: which files import each other in a cycle, found in one walk over all imports.

use gsw_source::{Db, File, Project};
use rustc_hash::FxHashMap;

use crate::cycle::cycles;
use crate::import::imported_files;

/// A number for each file; files of one number reach each other by imports.
#[salsa::tracked(returns(ref))]
pub fn import_cycles(db: &dyn Db, project: Project) -> FxHashMap<File, u32> {
    let files = project.modules(db).values().copied();
    cycles(files, |file| imported_files(db, file).to_vec())
}

/// Whether two files, one of which reaches the other, reach each other.
pub fn is_cycle(db: &dyn Db, one: File, other: File) -> bool {
    let Some(project) = Project::try_get(db) else {
        return one == other;
    };
    let cycles = import_cycles(db, project);
    one == other || (cycles.contains_key(&one) && cycles.get(&one) == cycles.get(&other))
}
