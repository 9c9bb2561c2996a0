//! Where a program keeps its runs.

use std::path::PathBuf;
use std::sync::Arc;

use gsw_abi::option::BuiltinOption;
use gsw_driver::durable::store::{Need, RunStore};

use crate::environment;
use crate::say::say;

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

/// Where the runs of a program are kept, by what its option says, else the environment, else the user's folder for such files;
/// `None` when none are kept.
#[must_use]
pub fn of(program: &str, option: Option<&str>, origin: &Origin) -> Option<Arc<RunStore>> {
    let variable = || BuiltinOption::Store.variable().and_then(environment::text);
    let (path, need) = match option.map(str::to_owned).or_else(variable) {
        Some(word) if word == OFF => return None,
        Some(path) => (PathBuf::from(path), Need::Asked),
        None => (default_path(program)?, Need::Offered(Arc::new(warn))),
    };
    Some(RunStore::new(path, origin.program.clone(), need))
}

fn warn(why: &str) {
    say(&format!(
        "warning: this run cannot be resumed, because it is not written down: {why} (`--store off` says that it need not be)"
    ));
}

/// `runs.db` in a folder of the program's own.
fn default_path(program: &str) -> Option<PathBuf> {
    let absolute = |name| {
        let path = environment::text(name).map(PathBuf::from);
        // By the specification of these folders anything else is to be ignored.
        path.filter(|it| it.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME");
    let state = state.or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(
        state
            .join("groundswell")
            .join(folder(program))
            .join("runs.db"),
    )
}

/// The name of a program as that of a folder.
fn folder(program: &str) -> String {
    let kept = |it: char| {
        if it.is_alphanumeric() || "-_.".contains(it) {
            it
        } else {
            '_'
        }
    };
    let name: String = program.chars().map(kept).collect();
    match name.trim_start_matches('.') {
        "" => "program".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::folder;

    #[test]
    fn a_program_has_one_folder_inside_of_ours() {
        assert_eq!(folder("review"), "review");
        assert_eq!(folder("../a b/ü"), "_a_b_ü");
        assert_eq!(folder(".."), "program");
    }
}
