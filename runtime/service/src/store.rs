//! Where a program keeps its runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gsw_abi::option::BuiltinOption;
use gsw_abi::program::{Program, RunsDefaults};
use gsw_driver::durable::store::{Need, RunStore};
use gsw_journal::retention::Retention;

use crate::say::say;
use crate::{environment, state};

/// How a program was started, for messages about its runs and for the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// What the user types to call it, without its arguments.
    pub command: String,
    /// The file that it is.
    pub program: String,
}

impl Origin {
    /// The running program itself.
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
/// The word that leaves no run that waits.
const NEVER: &str = "never";

/// Where the runs of a program are kept, by what its option says, else the environment, else its `gsw.toml`, else the user's folder
/// for such files; `None` when none are kept.
#[must_use]
pub fn of(program: &Program, option: Option<&str>, origin: &Origin) -> Option<Arc<RunStore>> {
    let variable = || BuiltinOption::Store.variable().and_then(environment::text);
    let said = option.map(str::to_owned).or_else(variable);
    let named = said.or_else(|| program.runs.store.clone());
    let need = match named {
        Some(_) => Need::Asked,
        None => Need::Offered(Arc::new(warn)),
    };
    let path = path(&program.name, named)?;
    let retention = retention(&program.runs);
    let program_and_name = [origin.program.clone(), program.name.clone()];
    Some(RunStore::of_command(
        path,
        program_and_name,
        need,
        retention,
    ))
}

/// The file of the runs of a program, where it is named or else in the user's folder for such files; `None` when none are kept.
pub fn path(program: &str, named: Option<String>) -> Option<PathBuf> {
    match named {
        Some(word) if word == OFF => None,
        Some(path) => Some(PathBuf::from(path)),
        None => Some(state::folder(program)?.join(FILE)),
    }
}

/// How much of the past a program keeps.
fn retention(said: &RunsDefaults) -> Retention {
    const DAY: i64 = 86_400_000_000_000;
    let usual = Retention::default();
    let days = said.keep_days.map(|it| i64::from(it).saturating_mul(DAY));
    Retention {
        age: days.unwrap_or(usual.age),
        runs: said.keep_runs.map_or(usual.runs, u64::from),
        bytes: said.keep_bytes.unwrap_or(usual.bytes),
    }
}

/// After how long a run that waits is left: by the option, else the environment, else `gsw.toml`.
///
/// # Errors
/// When the variable says nothing that can be read.
pub fn idle(program: &Program, option: Option<Duration>) -> Result<Option<Duration>, String> {
    if option.is_some() {
        return Ok(option);
    }
    let name = BuiltinOption::Idle.variable();
    if let Some((name, text)) = name.and_then(|name| Some((name, environment::text(name)?))) {
        return duration(&text)
            .map(Some)
            .map_err(|why| format!("`{name}`: {why}"));
    }
    Ok(program
        .runs
        .idle
        .map(|it| Duration::from_nanos(it.unsigned_abs())))
}

/// How long a run waits before it is left.
///
/// # Errors
/// When the text says no such time.
pub fn duration(text: &str) -> Result<Duration, String> {
    if text == NEVER {
        return Ok(Duration::MAX);
    }
    let nanoseconds = gsw_notation::duration::parse(text).and_then(|it| u64::try_from(it).ok());
    nanoseconds.map(Duration::from_nanos).ok_or_else(|| {
        format!("`{text}` is not a duration; write one such as `90s`, `1h30m` or `never`")
    })
}

fn warn(why: &str) {
    say(&format!(
        "warning: this run cannot be resumed, because it is not recorded: {why} (`--store off` if that is intended)"
    ));
}
