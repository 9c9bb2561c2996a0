//! Which process may write to a run.
//!
//! A process that opens a store takes a name and locks a file of that name beside it, for as long as it lives: the operating
//! system lets the lock go whatever way the process ends. A run whose owner's lock is free belongs to nobody and may be taken
//! over, which raises its epoch. A lock says nothing about a process that sleeps for hours, with the whole machine perhaps:
//! so a run also expires, and its owner renews it while it is awake. A copy of a store has none of the locks, so its runs
//! can be taken; they get another epoch, and so other keys for the outside.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A run that was not renewed for so long may be taken from a living owner, in nanoseconds.
pub const EXPIRY: i64 = 60_000_000_000;

/// The name and the lock of this process in one store.
#[derive(Debug)]
pub struct Owner {
    name: String,
    path: PathBuf,
    /// Locked until it is dropped.
    _lock: File,
}

impl Owner {
    /// Takes a new name beside `store`.
    ///
    /// # Errors
    /// When the file that says so cannot be made.
    pub fn new(store: &Path) -> std::io::Result<Self> {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let name = format!(
            "{:x}-{:x}-{:x}",
            std::process::id(),
            since.unwrap_or_default().as_nanos(),
            OPENED.fetch_add(1, Ordering::Relaxed)
        );
        let path = lock_of(store, &name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(&path)?;
        lock.lock()?;
        Ok(Self {
            name,
            path,
            _lock: lock,
        })
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Whoever dies without this leaves an empty file, which `is_alive` removes.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether the process of this name lives. What cannot be known counts as alive: a run is rather left alone than run twice.
#[must_use]
pub fn is_alive(store: &Path, name: &str) -> bool {
    let path = lock_of(store, name);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) => return error.kind() != std::io::ErrorKind::NotFound,
    };
    match file.try_lock() {
        Ok(()) => {
            let _ = std::fs::remove_file(&path);
            false
        }
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
    }
}

fn lock_of(store: &Path, name: &str) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(format!(".{name}.lock"));
    path.into()
}

#[cfg(test)]
mod tests {
    use super::{Owner, is_alive};

    #[test]
    fn an_owner_lives_as_long_as_its_lock() {
        let folder = std::env::temp_dir().join(format!("gsw-owner-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let store = folder.join("runs.db");
        let owner = Owner::new(&store).expect("a lock");
        assert!(is_alive(&store, owner.name()));
        let name = owner.name().to_owned();
        drop(owner);
        assert!(!is_alive(&store, &name));
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}
