//! Where a program keeps its runs.

use std::path::PathBuf;
use std::sync::Arc;

use gsw_abi::option::BuiltinOption;
use gsw_driver::durable::store::{Need, RunStore};

use crate::say::say;
use crate::{environment, state};

/// How a program was called, for what it says of its runs and writes down of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// What the user types to call it, without its arguments.
    pub command: String,
    /// The file that it is.
    pub program: String,
}

impl Origin {
    /// A built program.
    #[must_use]
    pub fn of_process() -> Self {
        let command = std::env::args().next().unwrap_or_default();
        let program = std::env::current_exe().unwrap_or_default();
        Self {
            command,
            program: program.display().to_string(),
        }
    }
}

/// The word that keeps no runs.
const OFF: &str = "off";
const FILE: &str = "runs.db";

/// Where the runs of a program are kept, by what its option says, else the environment, else the user's folder for such files;
/// `None` when none are kept.
#[must_use]
pub fn of(program: &str, option: Option<&str>, origin: &Origin) -> Option<Arc<RunStore>> {
    let variable = || BuiltinOption::Store.variable().and_then(environment::text);
    let (path, need) = match option.map(str::to_owned).or_else(variable) {
        Some(word) if word == OFF => return None,
        Some(path) => (PathBuf::from(path), Need::Asked),
        None => (
            state::folder(program)?.join(FILE),
            Need::Offered(Arc::new(warn)),
        ),
    };
    Some(RunStore::new(path, origin.program.clone(), need))
}

fn warn(why: &str) {
    say(&format!(
        "warning: this run cannot be resumed, because it is not written down: {why} (`--store off` says that it need not be)"
    ));
}
