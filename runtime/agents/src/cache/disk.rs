//! Answers on the disk: the second tier of the cache, in one SQLite file that processes share.
//!
//! What it holds are answers that passed their check, as texts; each is checked against its digest when it is read here, and against
//! type and `where` by the call that wants it. Nothing of a run depends on it but outcomes of look-ups, so a cache may be lost,
//! damaged or full at any time: then it is reported once, and the process continues without it.
//!
//! Of equal calls in several processes one asks. It claims the key by a row with the name of its process; the claim of a process
//! that is gone counts for nothing, which is known by a lock ([`Owner`]).

mod file;
mod inspect;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use gsw_engine::answers::KeptAnswer;
use gsw_journal::owner::{self, Owner};
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};
use sha2::{Digest, Sha256};

pub use inspect::{Damage, Filter, Inspection, Line, Stats};

/// How much a file may hold.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    entries: i64,
    /// Of the texts.
    bytes: i64,
}

const BOUNDS: Bounds = Bounds {
    entries: 100_000,
    bytes: 1 << 30,
};
/// Which answers were used last is known to ten minutes, so that a hit seldom writes.
const USE_STEP: i64 = 600_000_000_000;
/// How many answers are evicted at once.
const BATCH: u32 = 64;

/// A cache on the disk. Nothing of it exists before the first look-up.
pub struct Disk {
    path: PathBuf,
    bounds: Bounds,
    opened: OnceLock<Option<Open>>,
    is_off: AtomicBool,
    report: Box<dyn Fn(&str) + Send + Sync>,
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Disk")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

struct Open {
    owner: Owner,
    inside: Mutex<Inside>,
}

struct Inside {
    connection: Connection,
    /// The keys that this process has claimed.
    claimed: HashSet<String>,
}

/// What a look-up finds.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum OnDisk {
    Hit {
        owner: String,
        text: String,
        /// How long it may be used from the time of the look-up.
        rest: Duration,
    },
    /// Nothing; other processes wait until the key is let go.
    Claimed,
    /// Nothing yet: another process asks.
    Busy,
    /// Nothing, and no other process waits.
    Nothing,
}

impl Disk {
    /// The cache in this file; `report` hears why it cannot be used, once.
    #[must_use]
    pub fn new(path: PathBuf, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            path,
            bounds: BOUNDS,
            opened: OnceLock::new(),
            is_off: AtomicBool::new(false),
            report: Box::new(report),
        }
    }

    /// The process ends: its name is free for whoever looks who has claimed something.
    pub(crate) fn close(&self) {
        if let Some(Some(open)) = self.opened.get() {
            open.owner.leave();
        }
    }

    /// Looks a key up, and claims it if there is nothing.
    pub(crate) fn look_up(&self, key: &str, at: Duration) -> OnDisk {
        self.with(|path, open| {
            let mut inside = open.inside();
            if let Some(found) = find(&inside.connection, key, at)? {
                return Ok(found);
            }
            let transaction = inside
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Again, since another process may have kept it meanwhile.
            if let Some(found) = find(&transaction, key, at)? {
                return Ok(found);
            }
            let holder: Option<String> = transaction
                .prepare_cached("SELECT owner FROM claims WHERE key = ?1")?
                .query_row([key], |row| row.get(0))
                .optional()?;
            if holder.is_some_and(|it| it != open.owner.name() && owner::is_alive(path, &it)) {
                return Ok(OnDisk::Busy);
            }
            transaction
                .prepare_cached("INSERT OR REPLACE INTO claims (key, owner) VALUES (?1, ?2)")?
                .execute((key, open.owner.name()))?;
            transaction.commit()?;
            inside.claimed.insert(key.to_owned());
            Ok(OnDisk::Claimed)
        })
        .unwrap_or(OnDisk::Nothing)
    }

    /// Looks a key up for a call that does not wait for others.
    pub(crate) fn look_up_alone(&self, key: &str, at: Duration) -> OnDisk {
        let found = self.with(|_, open| find(&open.inside().connection, key, at));
        found.flatten().unwrap_or(OnDisk::Nothing)
    }

    /// Keeps an answer, and makes room for it. One that is larger than all that may be kept is not.
    pub(crate) fn keep(&self, answer: &KeptAnswer) {
        self.with(|_, open| {
            let mut inside = open.inside();
            let size = i64::try_from(answer.text.len()).unwrap_or(i64::MAX);
            if size > self.bounds.bytes {
                return Ok(());
            }
            let transaction = inside
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            let (at, expires) = (nanoseconds(answer.at), nanoseconds(answer.at.saturating_add(answer.ttl)));
            transaction.prepare_cached("DELETE FROM answers WHERE key = ?1")?.execute([&answer.key])?;
            make_room(&transaction, self.bounds, size, at)?;
            transaction
                .prepare_cached(
                    "INSERT INTO answers (key, owner, prompt, model, text, digest, kept, expires, used)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7)",
                )?
                .execute((
                    &answer.key,
                    &answer.owner,
                    &answer.prompt,
                    &answer.model,
                    &answer.text,
                    digest(&answer.key, &answer.text),
                    at,
                    expires,
                ))?;
            transaction.commit()?;
            Ok(())
        });
    }

    /// Lets go of a key, if this process has claimed it.
    pub(crate) fn let_go(&self, key: &str) {
        // Without a claim there is no need for a file.
        let Some(Some(open)) = self.opened.get() else {
            return;
        };
        if !open.inside().claimed.remove(key) {
            return;
        }
        self.with(|_, open| {
            open.inside()
                .connection
                .prepare_cached("DELETE FROM claims WHERE key = ?1 AND owner = ?2")?
                .execute((key, open.owner.name()))
        });
    }

    /// `None` when it cannot be used, now or at all.
    fn with<T>(&self, work: impl FnOnce(&Path, &Open) -> rusqlite::Result<T>) -> Option<T> {
        if self.is_off.load(Ordering::Relaxed) {
            return None;
        }
        let open = self.opened.get_or_init(|| self.open()).as_ref()?;
        match work(&self.path, open) {
            Ok(done) => Some(done),
            // Others write for longer than we wait: this once it is as if there were nothing.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => None,
            Err(error) => {
                self.turn_off(&error.to_string());
                None
            }
        }
    }

    fn open(&self) -> Option<Open> {
        let connection = file::open(&self.path);
        let opened = connection.and_then(|connection| {
            owner::sweep(&self.path);
            let owner = Owner::new(&self.path).map_err(|it| it.to_string())?;
            forget_dead(&connection, &self.path).map_err(|it| it.to_string())?;
            Ok((connection, owner))
        });
        match opened {
            Ok((connection, owner)) => Some(Open {
                owner,
                inside: Mutex::new(Inside {
                    connection,
                    claimed: HashSet::new(),
                }),
            }),
            Err(why) => {
                self.turn_off(&why);
                None
            }
        }
    }

    fn turn_off(&self, why: &str) {
        if !self.is_off.swap(true, Ordering::Relaxed) {
            (self.report)(&format!(
                "answers are kept in memory only: `{}` cannot be used: {why}",
                self.path.display()
            ));
        }
    }
}

impl Open {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        // A transaction that a panic left is rolled back when it is dropped.
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer of a key whose time is not over. What was damaged is removed, and is not there.
fn find(connection: &Connection, key: &str, at: Duration) -> rusqlite::Result<Option<OnDisk>> {
    let now = nanoseconds(at);
    let row: Option<(String, String, Vec<u8>, i64, i64)> = connection
        .prepare_cached(
            "SELECT owner, text, digest, expires, used FROM answers WHERE key = ?1 AND expires > ?2",
        )?
        .query_row((key, now), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
        .optional()?;
    let Some((owner, text, said, expires, used)) = row else {
        return Ok(None);
    };
    if said != digest(key, &text) {
        connection.execute("DELETE FROM answers WHERE key = ?1", [key])?;
        return Ok(None);
    }
    if now.saturating_sub(used) > USE_STEP {
        connection
            .prepare_cached("UPDATE answers SET used = ?2 WHERE key = ?1")?
            .execute((key, now))?;
    }
    let rest = Duration::from_nanos(expires.saturating_sub(now).unsigned_abs());
    Ok(Some(OnDisk::Hit { owner, text, rest }))
}

/// Removes what has expired and then what was used longest ago, until an answer of this size fits.
fn make_room(connection: &Connection, bounds: Bounds, size: i64, now: i64) -> rusqlite::Result<()> {
    let fits = || -> rusqlite::Result<bool> {
        let mut totals = connection.prepare_cached("SELECT entries, bytes FROM totals")?;
        let (entries, bytes): (i64, i64) =
            totals.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(entries < bounds.entries && bytes <= bounds.bytes - size)
    };
    if fits()? {
        return Ok(());
    }
    connection.execute("DELETE FROM answers WHERE expires <= ?1", [now])?;
    while !fits()? {
        let removed = connection
            .prepare_cached(
                "DELETE FROM answers WHERE number IN (SELECT number FROM answers ORDER BY used LIMIT ?1)",
            )?
            .execute([BATCH])?;
        if removed == 0 {
            break;
        }
    }
    Ok(())
}

/// Removes the claims of processes that are gone.
fn forget_dead(connection: &Connection, path: &Path) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT DISTINCT owner FROM claims")?;
    let owners: Vec<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for gone in owners.iter().filter(|it| !owner::is_alive(path, it)) {
        connection.execute("DELETE FROM claims WHERE owner = ?1", [gone])?;
    }
    Ok(())
}

fn digest(key: &str, text: &str) -> Vec<u8> {
    let mut digest = Sha256::new();
    digest.update(key);
    digest.update([0]);
    digest.update(text);
    digest.finalize().to_vec()
}

fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}
