//! Where a program keeps answers of models.

use std::path::PathBuf;

use gsw_abi::option::BuiltinOption;
use gsw_agents::{Cache, Disk};

use crate::say::say;
use crate::{environment, state};

/// The word that keeps answers in memory only.
const OFF: &str = "off";
const FILE: &str = "answers.db";

/// The file with the answers of a program: in the folder that its option names, else the environment, else beside its runs; `None`
/// when there is to be none.
#[must_use]
pub fn file(program: &str, option: Option<&str>) -> Option<PathBuf> {
    let variable = || BuiltinOption::Cache.variable().and_then(environment::text);
    match option.map(str::to_owned).or_else(variable) {
        Some(word) if word == OFF => None,
        Some(folder) => Some(PathBuf::from(folder).join(FILE)),
        None => Some(state::folder(program)?.join(FILE)),
    }
}

/// Where the processes of a program share providers' limits: beside the answers, where these are kept.
pub(crate) fn limits(program: &str, option: Option<&str>) -> Option<PathBuf> {
    Some(file(program, option)?.with_file_name("limits"))
}

/// The cache of a program.
pub(crate) fn of(program: &str, option: Option<&str>) -> Cache {
    let cache = Cache::default();
    match file(program, option) {
        Some(file) => cache.with_disk(Disk::new(file, |why| say(&format!("warning: {why}")))),
        None => cache,
    }
}
