//! Answers on the disk: the second tier of the cache, in one SQLite file that processes share.
//!
//! What it holds are answers that passed their check, as texts; each is checked against its digest when it is read here, and against
//! type and `where` by the call that wants it. Nothing of a run depends on it but outcomes of look-ups, so a cache may be lost,
//! damaged or full at any time: then it is reported once, and the process continues without it.
//!
//! Of equal calls in several processes one asks. It claims the key by a row with the name of its process; the claim of a process
//! that is gone counts for nothing, which is known by a lock ([`Owner`]).
//!
//! No call waits here for a process that writes: it looks again a little later whether a key is free, and what is to be written
//! meanwhile is written then ([`late`]).

mod file;
mod forget;
mod inspect;
mod late;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gsw_engine::answers::KeptAnswer;
use gsw_journal::open_file::OpenFile;
use gsw_journal::owner::{self, Owner};
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};
use sha2::{Digest, Sha256};

use file::{Older, Unopened};
use late::{Late, Write};

pub use forget::{Forgotten, forget_all};
pub use inspect::{Damage, Filter, Inspection, Line, Stats};

/// How much a file may hold.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    entries: i64,
    /// Of the answers' texts.
    bytes: i64,
}

const BOUNDS: Bounds = Bounds {
    entries: 100_000,
    bytes: 1 << 30,
};
/// Which answers were used last is known to ten minutes, so that a hit seldom writes.
const USE_STEP: i64 = 600_000_000_000;
/// How far the clocks of two processes may differ, in nanoseconds.
const CLOCKS_DIFFER: i64 = 60_000_000_000;
/// How long a call waits while another process writes, which mostly takes less. A guess.
const PATIENCE: Duration = Duration::from_millis(5);
/// How long calls wait in all, each of them out of the way of others, until they continue without the file.
const MOST_PATIENCE: Duration = Duration::from_millis(500);
/// How long the end of a process waits to write what another process has kept it from writing.
const END_PATIENCE: Duration = Duration::from_secs(2);
/// When to check again whether another process writes.
const FORGET_BUSY: Duration = Duration::from_secs(1);
/// How many answers are evicted at once.
const BATCH: u32 = 64;

/// A cache on the disk. Nothing of it exists before the first look-up.
pub struct Disk {
    path: PathBuf,
    bounds: Bounds,
    opened: OnceLock<Option<Arc<Open>>>,
    opening: Mutex<()>,
    /// When another process wrote, as far as is known here.
    busy: Mutex<Option<Busy>>,
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

/// A time in which another process wrote whenever this one wanted to.
#[derive(Clone, Copy)]
struct Busy {
    since: Instant,
    last: Instant,
}

struct Open {
    path: PathBuf,
    bounds: Bounds,
    owner: Owner,
    inside: Mutex<Inside>,
    /// After the connection, which is closed first.
    _file: OpenFile,
}

struct Inside {
    connection: Connection,
    /// The keys that this process has claimed.
    claimed: HashSet<String>,
    late: Late,
}

#[derive(PartialEq, Eq, Debug)]
pub(crate) enum OnDisk {
    Hit {
        owner: String,
        text: String,
        /// How long it may be used from the time of the look-up.
        rest: Duration,
    },
    /// Nothing; other processes wait until the key is released.
    Claimed,
    /// Nothing yet: another process asks, or writes.
    Busy,
    /// Nothing, and no other process waits.
    Nothing,
}

impl Disk {
    /// The cache in this file; `report` is called once with the reason why it cannot be used.
    #[must_use]
    pub fn new(path: PathBuf, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            path,
            bounds: BOUNDS,
            opened: OnceLock::new(),
            opening: Mutex::default(),
            busy: Mutex::default(),
            is_off: AtomicBool::new(false),
            report: Box::new(report),
        }
    }

    /// Releases the owner's file when the process ends, so that others see that its claims are void.
    pub(crate) fn close(&self) {
        if let Some(Some(open)) = self.opened.get() {
            late::finish(open, END_PATIENCE);
            open.owner.leave();
        }
    }

    /// Looks a key up, and claims it if there is nothing.
    pub(crate) fn look_up(&self, key: &str, at: Duration) -> OnDisk {
        match self.with(|open, inside| claim(open, inside, key, at)) {
            Used::Done(found) => found,
            // A process that was stopped in the middle of writing must not keep others from asking.
            Used::Busy if self.is_busy_for(MOST_PATIENCE) => OnDisk::Nothing,
            Used::Busy => OnDisk::Busy,
            Used::Off => OnDisk::Nothing,
        }
    }

    /// Looks a key up for a call that does not wait for others.
    pub(crate) fn look_up_alone(&self, key: &str, at: Duration) -> OnDisk {
        match self.with(|_, inside| find(&inside.connection, key, at)) {
            Used::Done(Some(found)) => found,
            Used::Done(None) | Used::Busy | Used::Off => OnDisk::Nothing,
        }
    }

    /// Keeps an answer, and makes room for it. One that is larger than all that may be kept is not.
    pub(crate) fn keep(&self, answer: &KeptAnswer) {
        self.write(|| Write::Keep(Box::new(answer.clone())));
    }

    /// Releases a key, if this process has claimed it.
    pub(crate) fn let_go(&self, key: &str) {
        // Without a claim there is no need for a file.
        let Some(Some(open)) = self.opened.get() else {
            return;
        };
        let has_claimed = open.inside().claimed.remove(key);
        if has_claimed {
            self.write(|| Write::LetGo(key.to_owned()));
        }
    }

    /// Writes now or, when another process writes, as soon as it does not; in the order of the calls.
    fn write(&self, what: impl Fn() -> Write) {
        let wrote = self.with(|open, inside| {
            if !inside.late.is_empty() {
                late::later(open, inside, what());
                return Ok(());
            }
            let wrote = what().write_to(open, &mut inside.connection);
            if wrote.as_ref().is_err_and(is_busy) {
                late::later(open, inside, what());
            }
            wrote
        });
        match wrote {
            // The file could not be opened, so nothing has been claimed.
            Used::Done(()) | Used::Busy | Used::Off => {}
        }
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&Arc<Open>, &mut Inside) -> rusqlite::Result<T>,
    ) -> Used<T> {
        if self.is_off.load(Ordering::Relaxed) {
            return Used::Off;
        }
        let open = match self.opened() {
            Used::Done(open) => open,
            Used::Busy => return self.was_busy(),
            Used::Off => return Used::Off,
        };
        let mut inside = open.inside();
        // Once is enough to know that another process writes for long.
        let patience = match self.is_busy_for(Duration::ZERO) {
            true => Duration::ZERO,
            false => PATIENCE,
        };
        let done = inside.connection.busy_timeout(patience);
        match done.and_then(|()| work(open, &mut inside)) {
            Ok(done) => {
                if inside.late.is_empty() {
                    *self.busy() = None;
                }
                Used::Done(done)
            }
            Err(error) if is_busy(&error) => self.was_busy(),
            Err(error) => {
                self.turn_off(error.into());
                Used::Off
            }
        }
    }

    fn was_busy<T>(&self) -> Used<T> {
        let now = Instant::now();
        let mut busy = self.busy();
        let since = busy.filter(|it| it.last.elapsed() < FORGET_BUSY);
        let since = since.map_or(now, |it| it.since);
        *busy = Some(Busy { since, last: now });
        Used::Busy
    }

    fn is_busy_for(&self, time: Duration) -> bool {
        let busy = *self.busy();
        busy.is_some_and(|it| it.last.elapsed() < FORGET_BUSY && it.since.elapsed() >= time)
    }

    fn busy(&self) -> MutexGuard<'_, Option<Busy>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self) -> Used<&Arc<Open>> {
        if self.opened.get().is_none() {
            // One at a time, so that the process has one name.
            let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
            if self.opened.get().is_none() {
                match self.open() {
                    Ok(open) => self.opened.get_or_init(|| Some(Arc::new(open))),
                    Err(Unopened::Busy) => return Used::Busy,
                    Err(other) => {
                        self.turn_off(other);
                        self.opened.get_or_init(|| None)
                    }
                };
            }
        }
        match self.opened.get() {
            Some(Some(open)) => Used::Done(open),
            Some(None) | None => Used::Off,
        }
    }

    fn open(&self) -> Result<Open, Unopened> {
        // Only a file that others create at the same time is waited for: reading one that exists needs no lock.
        let file = OpenFile::at(&self.path);
        let connection = file::open(&self.path, MOST_PATIENCE, Older::Replaced)?;
        owner::sweep(&self.path);
        let owner = Owner::new(&self.path).map_err(|it| Unopened::Failed(it.to_string()))?;
        match forget_dead(&connection, &self.path) {
            // The claims of the dead count for nothing.
            Err(error) if !is_busy(&error) => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        Ok(Open {
            path: self.path.clone(),
            bounds: self.bounds,
            owner,
            inside: Mutex::new(Inside {
                connection,
                claimed: HashSet::new(),
                late: Late::default(),
            }),
            _file: file,
        })
    }

    fn turn_off(&self, why: Unopened) {
        if !self.is_off.swap(true, Ordering::Relaxed) {
            (self.report)(&format!(
                "answers are kept in memory only: `{}` cannot be used: {}",
                self.path.display(),
                inspect::unopened(why)
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

/// What happened to a use of the file.
enum Used<T> {
    Done(T),
    /// Another process holds the write lock.
    Busy,
    /// It cannot be used at all.
    Off,
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

/// The answer of a key, or the key for this process.
fn claim(open: &Open, inside: &mut Inside, key: &str, at: Duration) -> rusqlite::Result<OnDisk> {
    if let Some(found) = find(&inside.connection, key, at)? {
        return Ok(found);
    }
    let transaction = inside
        .connection
        .transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Checked again, since another process may have kept it meanwhile.
    if let Some(found) = find(&transaction, key, at)? {
        return Ok(found);
    }
    let holder: Option<String> = transaction
        .prepare_cached("SELECT owner FROM claims WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?;
    if holder.is_some_and(|it| it != open.owner.name() && owner::is_alive(&open.path, &it)) {
        return Ok(OnDisk::Busy);
    }
    transaction
        .prepare_cached("INSERT OR REPLACE INTO claims (key, owner) VALUES (?1, ?2)")?
        .execute((key, open.owner.name()))?;
    transaction.commit()?;
    inside.claimed.insert(key.to_owned());
    Ok(OnDisk::Claimed)
}

/// The answer of a key whose time is not over. One that was kept in the future is of a clock that went wrong, and its time would
/// be too long. What was damaged is removed, and is not there.
fn find(connection: &Connection, key: &str, at: Duration) -> rusqlite::Result<Option<OnDisk>> {
    let now = nanoseconds(at);
    let row: Option<(String, String, Vec<u8>, i64, i64)> = connection
        .prepare_cached(
            "SELECT owner, text, digest, expires, used FROM answers
             WHERE key = ?1 AND expires > ?2 AND kept <= ?3",
        )?
        .query_row((key, now, now.saturating_add(CLOCKS_DIFFER)), |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ))
        })
        .optional()?;
    let Some((owner, text, said, expires, used)) = row else {
        return Ok(None);
    };
    if said != digest(key, &text) {
        unless_busy(connection.execute("DELETE FROM answers WHERE key = ?1", [key]))?;
        return Ok(None);
    }
    if now.saturating_sub(used) > USE_STEP {
        let mut update =
            connection.prepare_cached("UPDATE answers SET used = ?2 WHERE key = ?1")?;
        unless_busy(update.execute((key, now)))?;
    }
    let rest = Duration::from_nanos(expires.saturating_sub(now).unsigned_abs());
    Ok(Some(OnDisk::Hit { owner, text, rest }))
}

/// What may as well be written by the next call that reads.
fn unless_busy(written: rusqlite::Result<usize>) -> rusqlite::Result<()> {
    match written {
        Err(error) if !is_busy(&error) => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
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
