//! Which process may write to a run.
//!
//! A process that opens a store takes a name and locks a file of that name beside it, for as long as it lives: the operating
//! system lets the lock go whatever way the process ends. A run whose owner's lock is free has no owner and may be taken
//! over, which raises its epoch. A lock says nothing about a process that is stopped for hours: so an owner also expires, and
//! renews itself while it is awake. A copy of a store has none of the locks, so its runs can be taken.
//!
//! An expiry counts from the start of the machine, so that setting the clock takes no run from a living process, and without
//! its sleep, in which nobody could renew anything. A name begins with the start that it was made in: of another start only
//! the lock counts.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension};

use crate::error::Error;

/// After how long without a renewal, in nanoseconds, the runs of an owner may be taken over: longer than a living process waits
/// for the lock of a store, during which it can renew nothing.
pub const EXPIRY: i64 = 360_000_000_000;

/// The name and the lock of this process in one store.
#[derive(Debug)]
pub struct Owner {
    name: String,
    path: PathBuf,
    /// Locked until it is dropped.
    _lock: File,
}

impl Owner {
    /// Creates the file of a new owner beside `store`.
    ///
    /// # Errors
    /// When the file that says so cannot be made.
    pub fn new(store: &Path) -> std::io::Result<Self> {
        loop {
            // A process that removes files of dead owners may have taken this one for such a file, before it was locked.
            if let Some(owner) = Self::attempt(store)? {
                return Ok(owner);
            }
        }
    }

    /// `None` when the file was removed before it was locked.
    fn attempt(store: &Path) -> std::io::Result<Option<Self>> {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let name = format!(
            "{}-{:x}-{:x}-{:x}",
            boot(),
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
        Ok(path.exists().then_some(Self {
            name,
            path,
            _lock: lock,
        }))
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// For a process that ends without dropping it: removes the file.
    pub fn leave(&self) {
        // A process that dies without this leaves an empty file, which `is_alive` removes.
        let _ = std::fs::remove_file(&self.path);
    }

    /// Writes when it expires, from now.
    pub(crate) fn renew(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut statement = connection
            .prepare_cached("INSERT OR REPLACE INTO owners (name, expires) VALUES (?1, ?2)")?;
        statement.execute((&self.name, awake().saturating_add(EXPIRY)))?;
        Ok(())
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Removes what dead processes have left beside `store`, whether or not it notes their names.
pub fn sweep(store: &Path) {
    let file = store.file_name().and_then(OsStr::to_str);
    let (Some(folder), Some(file)) = (store.parent(), file) else {
        return;
    };
    // What cannot be listed is swept by the next process.
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|it| it.strip_prefix(file));
        let owner = rest.and_then(|it| it.strip_prefix('.')?.strip_suffix(".lock"));
        if let Some(owner) = owner {
            // Asking removes the file of one that is dead.
            let _ = is_alive(store, owner);
        }
    }
}

/// The known owners of a store's runs; each is checked once.
pub(crate) struct Owners<'a> {
    connection: &'a Connection,
    store: &'a Path,
    known: HashMap<String, bool>,
}

impl<'a> Owners<'a> {
    pub(crate) fn new(connection: &'a Connection, store: &'a Path) -> Self {
        Self {
            connection,
            store,
            known: HashMap::new(),
        }
    }

    /// Whether this owner's runs may not be taken.
    pub(crate) fn holds(&mut self, owner: &str) -> Result<bool, Error> {
        if owner.is_empty() {
            return Ok(false);
        }
        if let Some(&known) = self.known.get(owner) {
            return Ok(known);
        }
        let expires: Option<i64> = self
            .connection
            .query_row(
                "SELECT expires FROM owners WHERE name = ?1",
                [owner],
                |it| it.get(0),
            )
            .optional()?;
        let has_expired = is_of(&boot(), owner) && expires.is_some_and(|it| it <= awake());
        let holds = !has_expired && is_alive(self.store, owner);
        self.known.insert(owner.to_owned(), holds);
        Ok(holds)
    }
}

/// Forgets when dead processes would have expired.
pub(crate) fn forget_dead(connection: &Connection, store: &Path) -> rusqlite::Result<()> {
    let names: Vec<String> = {
        let mut statement = connection.prepare("SELECT name FROM owners")?;
        let rows = statement.query_map([], |it| it.get(0))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    for name in names.iter().filter(|it| !is_alive(store, it)) {
        connection.execute("DELETE FROM owners WHERE name = ?1", [name])?;
    }
    Ok(())
}

/// Whether the process of this name lives. What cannot be known counts as alive: a run is rather left alone than run twice.
#[must_use]
pub fn is_alive(store: &Path, name: &str) -> bool {
    let path = lock_of(store, name);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) => return error.kind() != std::io::ErrorKind::NotFound,
    };
    // A shared lock, so that two processes that check at once do not take each other for the owner.
    match file.try_lock_shared() {
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

fn is_of(boot: &str, owner: &str) -> bool {
    owner.split_once('-').is_some_and(|(of, _)| of == boot)
}

/// Which start of the machine this is; zeros where the system does not say. The letter keeps versions from taking such a run that
/// count the machine's sleep, too: to them it is another start.
fn boot() -> String {
    let read = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let text = read.unwrap_or_default();
    let digits = text.chars().filter(char::is_ascii_hexdigit).take(8);
    format!("m{:0>8}", digits.collect::<String>())
}

/// The time since the start of the machine in which it was awake, in nanoseconds.
#[cfg(unix)]
fn awake() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// The clock, where the system says nothing better.
#[cfg(not(unix))]
fn awake() -> i64 {
    crate::clock::now()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::{EXPIRY, Owner, awake, boot, is_alive, is_of, sweep};
    use crate::store::Patience;
    use crate::writer::RENEWAL;

    #[test]
    fn an_owner_lives_as_long_as_its_lock() {
        let folder = std::env::temp_dir().join(format!("gsw-owner-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let store = folder.join("runs.db");
        let owner = Owner::new(&store).expect("a lock");
        assert!(is_alive(&store, owner.name()));
        assert!(is_of(&boot(), owner.name()));
        assert!(!is_of("another", owner.name()));
        let name = owner.name().to_owned();
        drop(owner);
        assert!(!is_alive(&store, &name));
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }

    #[test]
    fn nobody_takes_a_new_owner_for_a_dead_one() {
        let folder = std::env::temp_dir().join(format!("gsw-sweep-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let store = folder.join("runs.db");
        let is_over = AtomicBool::new(false);
        let taken = std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        sweep(&store);
                    }
                });
            }
            let taken = (0..2_000).filter(|_| {
                let owner = Owner::new(&store).expect("a lock");
                !is_alive(&store, owner.name())
            });
            let taken = taken.count();
            is_over.store(true, Ordering::Relaxed);
            taken
        });
        assert_eq!(taken, 0);
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }

    #[test]
    fn the_time_since_the_start_does_not_go_back() {
        let before = awake();
        assert!(awake() >= before && before > 0);
    }

    #[test]
    fn who_waits_for_a_lock_does_not_expire_meanwhile() {
        let Patience { look, write } = Patience::default();
        // The last attempt begins when the time is almost over, and a renewal may be due just before the wait.
        let longest = write + look + 2 * RENEWAL;
        assert!(longest.as_nanos() < EXPIRY.unsigned_abs().into());
    }
}
