//! How processes share a provider's limits: a file for each model and account, with the time until which no request is sent.
//!
//! The file is a hint and nothing else. It is replaced as a whole without a lock, so a reader finds the old time or the new one;
//! one that cannot be read or written, or that says something absurd, leaves each process to what it learns by itself. How much
//! is left of a quota is not shared: the provider's headers already count the requests of all.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use sha2::{Digest, Sha256};

/// How often a process checks at most. A guess: short beside any wait, long beside the time of a check.
const LOOK: Duration = Duration::from_millis(100);
/// An update smaller than this is not announced.
const WORTH_TELLING: Duration = Duration::from_millis(50);

/// The folder through which processes announce their limits to each other.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    folder: PathBuf,
    /// The longest wait that is believed.
    longest: Duration,
}

/// The file of one model and account.
#[derive(Debug)]
pub(crate) struct Sign {
    file: PathBuf,
    longest: Duration,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    looked: Option<Instant>,
    /// The latest time that this process has read or written.
    until: Option<SystemTime>,
}

impl Shared {
    pub fn new(folder: PathBuf, longest: Duration) -> Self {
        Self { folder, longest }
    }

    /// The sign of whatever is named by these parts, of which nothing can be read from the name.
    pub fn sign(&self, parts: &[&str]) -> Sign {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        let digest = digest.finalize();
        let name = gsw_notation::hex::text(&digest[..16]);
        Sign {
            file: self.folder.join(name),
            longest: self.longest,
            seen: Mutex::default(),
        }
    }
}

impl Sign {
    /// How long to wait by the word of another process; `None` where nothing new is written.
    pub fn look(&self, now: Instant, clock: SystemTime) -> Option<Duration> {
        let mut seen = self.lock();
        if seen.looked.is_some_and(|it| now < it + LOOK) {
            return None;
        }
        seen.looked = Some(now);
        let until = read(&self.file)?;
        if seen.until.is_some_and(|it| until <= it) {
            return None;
        }
        seen.until = Some(until);
        // Beyond the longest wait a clock was set, or the file is not ours.
        let left = until.duration_since(clock).ok()?;
        (left <= self.longest).then_some(left)
    }

    /// Asks the other processes to wait this long.
    pub fn tell(&self, wait: Duration, clock: SystemTime) {
        let Some(until) = clock.checked_add(wait.min(self.longest)) else {
            return;
        };
        let mut seen = self.lock();
        if seen.until.is_some_and(|it| until < it + WORTH_TELLING) {
            return;
        }
        seen.until = Some(until);
        // Another process may have announced a later time meanwhile, which counts.
        if read(&self.file).is_none_or(|it| it < until || it > until + self.longest) {
            let _ = write(&self.file, until);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        // Nothing that can panic runs while the lock is held.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Milliseconds since 1970, in digits.
fn read(file: &Path) -> Option<SystemTime> {
    let milliseconds: u64 = fs::read_to_string(file).ok()?.trim().parse().ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(milliseconds))
}

fn write(file: &Path, until: SystemTime) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let since = until.duration_since(SystemTime::UNIX_EPOCH);
    let milliseconds = since.unwrap_or_default().as_millis();
    let beside = file.with_extension(format!("{}.new", std::process::id()));
    fs::write(&beside, format!("{milliseconds}\n"))?;
    fs::rename(&beside, file)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant, SystemTime};

    use super::{LOOK, Shared};

    const LONGEST: Duration = Duration::from_secs(120);

    fn folder(name: &str) -> std::path::PathBuf {
        let name = format!("gsw-limits-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn one_process_tells_the_others_once() {
        let shared = Shared::new(folder("tells"), LONGEST);
        let (one, other) = (shared.sign(&["a", "b"]), shared.sign(&["a", "b"]));
        let (now, clock) = (Instant::now(), SystemTime::now());
        assert_eq!(other.look(now, clock), None);
        one.tell(Duration::from_secs(3), clock);
        // It checks only now and then.
        assert_eq!(other.look(now, clock), None);
        let later = now + LOOK;
        let left = other.look(later, clock).expect("it was told");
        assert!(left <= Duration::from_secs(3) && left > Duration::from_millis(2_990));
        assert_eq!(other.look(later + LOOK, clock), None, "nothing new");
        assert_eq!(one.look(later, clock), None, "it has told it itself");
        assert_eq!(shared.sign(&["ab", ""]).look(now, clock), None);
        // A shorter wait does not take back a longer one.
        other.tell(Duration::from_secs(1), clock);
        let third = shared.sign(&["a", "b"]);
        assert!(third.look(now, clock) > Some(Duration::from_secs(2)));
        let _ = std::fs::remove_dir_all(&shared.folder);
    }

    #[test]
    fn what_makes_no_sense_is_passed_over() {
        let shared = Shared::new(folder("sense"), LONGEST);
        let (now, clock) = (Instant::now(), SystemTime::now());
        let file = shared.sign(&["x"]).file;
        std::fs::create_dir_all(&shared.folder).expect("the folder can be made");
        for text in [
            "",
            "soon",
            "-1",
            "99999999999999999999999",
            "99999999999999999",
            "7",
        ] {
            std::fs::write(&file, text).expect("it can be written");
            assert_eq!(shared.sign(&["x"]).look(now, clock), None, "{text:?}");
        }
        // What is written replaces it, also a time that is far ahead.
        std::fs::write(&file, "99999999999999").expect("it can be written");
        shared.sign(&["x"]).tell(Duration::from_secs(2), clock);
        assert!(shared.sign(&["x"]).look(now, clock).is_some());
        // A folder that cannot be is no error.
        let nowhere = Shared::new(file.join("below"), LONGEST);
        nowhere.sign(&["x"]).tell(Duration::from_secs(2), clock);
        assert_eq!(nowhere.sign(&["x"]).look(now, clock), None);
        let _ = std::fs::remove_dir_all(&shared.folder);
    }
}
