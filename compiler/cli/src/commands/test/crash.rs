//! `gswc test --crash`: runs a test with crashes, in a folder of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gsw_driver::crash::{Crashes, Tapes, Tried, try_with_crashes};
use gsw_driver::scripted::Entry;
use gsw_engine::load::Loaded;
use gsw_engine::model::Prompts;

use super::cases;
use crate::test_report::Ending;

/// The most places that are shown in which a test is not what it should be.
const MOST_SHOWN: usize = 3;

/// What follows `--crash=`.
pub fn parsed(text: &str) -> Result<Crashes, String> {
    if text == "all" {
        return Ok(Crashes::All);
    }
    match text.parse() {
        Ok(record) if record > 0 => Ok(Crashes::Around(record)),
        Ok(_) | Err(_) => Err("write the number of a record, from 1".to_owned()),
    }
}

/// Tries what a test enters, with what answers in the place of its models.
///
/// # Errors
/// When it cannot be tried at all.
pub fn tried(
    loaded: &Arc<Loaded>,
    prompts: &Arc<dyn Prompts>,
    entry: Entry,
    tapes: Tapes,
    crashes: Crashes,
) -> Result<Tried, String> {
    let folder =
        Folder::new().map_err(|error| format!("no folder for the runs can be made: {error}"))?;
    try_with_crashes(loaded, prompts, entry, tapes, &folder.0, crashes)
}

/// What happened to a test that was tried.
pub fn ending(tried: &Tried, name: &str) -> Ending {
    let undisturbed = cases::ending(&tried.finished);
    if let Ending::Failed { message } = undisturbed {
        let message =
            format!("{message}this happens when the test is written down, without any crash\n");
        return Ending::Failed { message };
    }
    if tried.wrong.is_empty() {
        return Ending::Passed;
    }
    let mut message = String::new();
    for wrong in tried.wrong.iter().take(MOST_SHOWN) {
        message.push_str(&format!(
            "error: killed {} of {}, {}, and resumed: {}\nto try it again: --crash={} --only {name:?}\n",
            wrong.place, tried.records, wrong.of, wrong.why, wrong.place.record
        ));
    }
    if tried.wrong.len() > MOST_SHOWN {
        let more = tried.wrong.len() - MOST_SHOWN;
        message.push_str(&format!("… and {more} more places\n"));
    }
    Ending::Failed { message }
}

/// A folder of this process, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("gswc-crash-{}-{number}", std::process::id());
        // What is tried is which records there are and not what the disk does with them, so memory is as good and faster.
        let memory = Path::new("/dev/shm");
        let around = match memory.is_dir() {
            true => memory.to_owned(),
            false => std::env::temp_dir(),
        };
        let folder = around.join(name);
        // Left over of a process that had the same number and was killed.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What stays is in a folder that the system empties.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
