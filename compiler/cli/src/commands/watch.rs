//! `--watch`: the command runs again, as a process of its own, whenever a file of the program changes.
//!
//! Files are looked at a few times a second instead of through the system's notifications: a program has some dozens of them, a
//! look costs microseconds, and it works on every file system.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use gsw_abi::option::BuiltinOption;
use gsw_service::Exit;
use gsw_service::supervise::{Ended, Supervisor};
use gsw_source::Database;

use crate::overlay::Overlay;
use crate::report;

/// Runs a command again and again.
#[derive(clap::Args)]
pub struct Watch {
    /// Run again whenever a file of the program changes, until ctrl-c.
    #[arg(long)]
    pub watch: bool,
}

const STORE: BuiltinOption = BuiltinOption::Store;

/// Whether it is configured where runs are kept.
fn has_store() -> bool {
    STORE
        .variable()
        .is_some_and(|it| std::env::var_os(it).is_some())
}

/// The metadata of a file; `None` where there is no file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Stamp(Option<(Option<SystemTime>, u64, u64)>);

/// Runs this process's command, without `--watch`, until ctrl-c: first now, then after each change of a file. `entries` gives the
/// files that the command is about, each time anew.
pub fn watch(entries: &dyn Fn() -> Vec<PathBuf>) -> Exit {
    let mut supervisor = match Supervisor::new() {
        Ok(supervisor) => supervisor,
        Err(error) => return report::failure(&format!("cannot watch files: {error}")),
    };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return report::failure(&format!("cannot find this program: {error}")),
    };
    loop {
        let files = files_of(entries);
        let before = stamps(&files);
        let mut changed = || {
            let listed = entries();
            let is_new = listed.iter().any(|it| !files.contains(it));
            is_new || stamps(&files) != before
        };
        let mut command = Command::new(&program);
        command.args(words(std::env::args_os().skip(1)));
        // What a change ends is cancelled for good; an option brings these runs back.
        if let (Some(variable), false) = (STORE.variable(), has_store()) {
            command.env(variable, "off");
        }
        let waiting = || {
            let count = files.len();
            let files = if count == 1 { "file" } else { "files" };
            report::note(&format!("watching {count} {files}; ctrl-c ends"));
        };
        match supervisor.run(&mut command, &waiting, &mut changed) {
            Ok(Ended::Changed) => report::note(&"a file has changed"),
            Ok(Ended::Interrupted(exit)) => return exit,
            Err(error) => return report::failure(&format!("cannot start `gswc`: {error}")),
        }
    }
}

/// The words of this command line but `--watch`, which is never one of the words after `--`.
fn words(all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_ours = true;
    let words = all.filter(|it| {
        is_ours &= it != "--";
        !is_ours || it != "--watch"
    });
    words.collect()
}

/// The entries and everything that reading them has asked for, such as imports and `gsw.toml`.
fn files_of(entries: &dyn Fn() -> Vec<PathBuf>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in entries() {
        let overlay = Overlay::default();
        // What is wrong is reported by the command itself.
        let _ = gsw_project::open_project(&mut Database::default(), &entry, &overlay);
        files.extend(overlay.asked());
        files.push(entry);
    }
    files.sort();
    files.dedup();
    files
}

fn stamps(files: &[PathBuf]) -> Vec<Stamp> {
    files.iter().map(|it| stamp(it)).collect()
}

fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok();
    Stamp(metadata.map(|it| (it.modified().ok(), it.len(), identity(&it))))
}

/// What distinguishes a file from another one that has taken its name.
#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::words;

    #[test]
    fn words_of_the_program_stay() {
        let all = ["run", "--watch", "a.gsw", "--", "--watch"].map(OsString::from);
        let kept = ["run", "a.gsw", "--", "--watch"].map(OsString::from);
        assert_eq!(words(all.into_iter()), kept);
    }
}
