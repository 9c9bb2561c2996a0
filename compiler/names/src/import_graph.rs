//! Which files import each other in a cycle.
//!
//! All cycles are found in one walk over all imports, which an edit of any file asks for again. So a file below which there is no
//! cycle, as there is none in a program that compiles, is recognised by its own imports alone: what is known of it outlasts edits
//! of other files.

use gsw_source::{Db, File, Project};
use rustc_hash::FxHashMap;

use crate::cycle::cycles;
use crate::import::imported_files;
use crate::module::is_std;

/// A number for each file; files of one number reach each other by imports.
#[salsa::tracked(returns(ref))]
pub fn import_cycles(db: &dyn Db, project: Project) -> FxHashMap<File, u32> {
    let files = project.modules(db).values().copied();
    cycles(files, |file| imported_files(db, file).to_vec())
}

/// What is below a file in the graph of imports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Below {
    NoCycle,
    /// A cycle, or the file is on one.
    Cycle,
}

#[salsa::tracked(returns(copy), cycle_result = on_cycle)]
fn below(db: &dyn Db, file: File) -> Below {
    let imported = imported_files(db, file).iter();
    // The library has no cycle, and imports nothing of a program.
    let mut own = imported.filter(|it| !is_std(db, **it));
    match own.all(|it| below(db, *it) == Below::NoCycle) {
        true => Below::NoCycle,
        false => Below::Cycle,
    }
}

fn on_cycle(_: &dyn Db, _: salsa::Id, _: File) -> Below {
    Below::Cycle
}

/// Whether two files, one of which reaches the other, reach each other.
pub fn is_cycle(db: &dyn Db, one: File, other: File) -> bool {
    let Some(project) = Project::try_get(db) else {
        return one == other;
    };
    if one == other {
        return true;
    }
    if [one, other]
        .iter()
        .any(|it| below(db, *it) == Below::NoCycle)
    {
        return false;
    }
    let cycles = import_cycles(db, project);
    cycles.contains_key(&one) && cycles.get(&one) == cycles.get(&other)
}
