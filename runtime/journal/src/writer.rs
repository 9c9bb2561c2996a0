//! The one thread of a process that writes to a store.
//!
//! Records come from many runs and are committed in groups: a commit waits for the disk, which takes as long for one record as
//! for hundreds. A run goes on while its records are on their way, except before something that must not happen twice: that
//! begins when its intent is on the disk ([`Journal::write_first`]).
//!
//! Who cannot write must not go on: once a write of a run has failed, or another process has taken the run over, all later
//! writes of that run fail with the same error, and [`Journal::failure`] says so.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::list::{self, Status};
use crate::owner::Owner;
use crate::record::{Blob, Chain, Hash, Record};

/// So many records are committed at once.
const GROUP: usize = 512;
/// So many wait at most; then runs wait.
const QUEUE: usize = 8_192;
/// How often runs are renewed: several times within their expiry.
const RENEWAL: Duration = Duration::from_secs(15);

/// Hears whether something is on the disk.
pub type Then = Box<dyn FnOnce(Result<(), Failure>) + Send>;

/// Why a run cannot be written any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Another process has taken it over.
    TakenOver,
    Database(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TakenOver => f.write_str("another process has taken the run over"),
            Self::Database(why) => write!(f, "the run cannot be written down any more: {why}"),
        }
    }
}

/// The writing end of a store.
#[derive(Debug)]
pub(crate) struct Writer {
    owner: String,
    sender: SyncSender<Command>,
}

/// A run that this process may write to.
#[derive(Debug)]
pub struct Journal {
    writer: Arc<Writer>,
    run: Place,
    chain: Chain,
    failure: Failed,
}

/// A run, and in which of its lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Place {
    number: i64,
    epoch: i64,
}

#[derive(Clone, Debug, Default)]
struct Failed(Arc<Mutex<Option<Failure>>>);

enum Command {
    Append(Append),
    Status {
        run: Place,
        status: Status,
        waiting: Option<String>,
    },
    /// Nobody carries it any more.
    Release {
        run: Place,
    },
    /// Hears when all that came before is on the disk.
    Flush(Then),
    /// Hears when the thread has ended and its owner's name is free.
    End(Then),
}

struct Append {
    run: Place,
    number: u64,
    body: Vec<u8>,
    digest: Hash,
    blob: Option<Blob>,
    failure: Failed,
    then: Option<Then>,
}

impl Failed {
    fn get(&self) -> Option<Failure> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, failure: &Failure) {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        place.get_or_insert_with(|| failure.clone());
    }
}

impl Journal {
    pub(crate) fn new(writer: Arc<Writer>, number: i64, epoch: i64, chain: Chain) -> Self {
        Self {
            writer,
            run: Place { number, epoch },
            chain,
            failure: Failed::default(),
        }
    }

    /// In which of its lives the run is, from 1.
    #[must_use]
    pub const fn epoch(&self) -> i64 {
        self.run.epoch
    }

    /// Writes a record soon, in order.
    pub fn write(&mut self, record: &Record, blob: Option<Blob>) {
        self.append(record, blob, None);
    }

    /// Writes a record, and calls `then` when it is on the disk, from another thread.
    pub fn write_first(&mut self, record: &Record, blob: Option<Blob>, then: Then) {
        self.append(record, blob, Some(then));
    }

    fn append(&mut self, record: &Record, blob: Option<Blob>, then: Option<Then>) {
        let body = record.encode();
        let (number, digest) = self.chain.add(&body);
        self.writer.send(Command::Append(Append {
            run: self.run,
            number,
            body,
            digest,
            blob,
            failure: self.failure.clone(),
            then,
        }));
    }

    /// Says how far the run is, for those who list runs.
    pub fn status(&self, status: Status, waiting: Option<String>) {
        self.writer.send(Command::Status {
            run: self.run,
            status,
            waiting,
        });
    }

    /// Calls `then` when all that was written before is on the disk.
    pub fn flush(&self, then: Then) {
        self.writer.send(Command::Flush(then));
    }

    /// Gives the run up and calls `then` when that and all before is on the disk: from then on anybody may take it.
    pub fn release(self, then: Then) {
        let writer = Arc::clone(&self.writer);
        // Dropping it says that nobody carries the run any more.
        drop(self);
        writer.send(Command::Flush(then));
    }

    /// Why nothing more can be written, if so.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        self.failure.get()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.writer.send(Command::Release { run: self.run });
    }
}

impl Writer {
    pub(crate) fn start(owner: Owner, connection: Connection) -> std::io::Result<Self> {
        let (sender, receiver) = sync_channel(QUEUE);
        let name = owner.name().to_owned();
        std::thread::Builder::new()
            .name("gsw-journal".into())
            .spawn(move || serve(connection, owner, &receiver))?;
        Ok(Self {
            owner: name,
            sender,
        })
    }

    /// Ends the thread, when all that was to be written is.
    pub(crate) fn end(&self, then: Then) {
        self.send(Command::End(then));
    }

    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }

    fn send(&self, command: Command) {
        if let Err(refused) = self.sender.send(command) {
            // The thread is gone, which only a panic does.
            refuse(refused.0, &Failure::Database("its thread has ended".into()));
        }
    }
}

fn refuse(command: Command, failure: &Failure) {
    match command {
        Command::Append(it) => {
            it.failure.set(failure);
            if let Some(then) = it.then {
                then(Err(failure.clone()));
            }
        }
        Command::Flush(then) | Command::End(then) => then(Err(failure.clone())),
        Command::Status { .. } | Command::Release { .. } => {}
    }
}

fn serve(mut connection: Connection, owner: Owner, commands: &Receiver<Command>) {
    let mut renewed = Instant::now();
    loop {
        let mut end = None;
        let mut group = Vec::new();
        match commands.recv_timeout(RENEWAL.saturating_sub(renewed.elapsed())) {
            Ok(command) => end = add(&mut group, command),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        while group.len() < GROUP
            && end.is_none()
            && let Ok(command) = commands.try_recv()
        {
            end = add(&mut group, command);
        }
        if renewed.elapsed() >= RENEWAL {
            renewed = Instant::now();
            // Whoever takes a run that could not be renewed raises its epoch, which the next write sees.
            let _ = connection.execute(
                "UPDATE runs SET expires = ?2 WHERE owner = ?1",
                (owner.name(), list::expiry()),
            );
        }
        if !group.is_empty() {
            commit(&mut connection, group);
        }
        if let Some(then) = end {
            drop(owner);
            return then(Ok(()));
        }
    }
}

/// Adds a command to a group, unless it ends the thread: then it gives who hears of that.
fn add(group: &mut Vec<Command>, command: Command) -> Option<Then> {
    if let Command::End(then) = command {
        return Some(then);
    }
    group.push(command);
    None
}

/// Writes a group and reports to each what became of it.
fn commit(connection: &mut Connection, group: Vec<Command>) {
    let written = write(connection, &group);
    for command in group {
        let result = match (&written, &command) {
            (Ok(lost), Command::Append(it)) if lost.contains(&it.run) => Err(Failure::TakenOver),
            (Ok(_), _) => Ok(()),
            (Err(error), _) => Err(Failure::Database(error.to_string())),
        };
        match (result, command) {
            (Ok(()), Command::Append(it)) => {
                if let Some(then) = it.then {
                    // What failed before a record is missing, so the record is of no use.
                    then(it.failure.get().map_or(Ok(()), Err));
                }
            }
            (Ok(()), Command::Flush(then) | Command::End(then)) => then(Ok(())),
            (Ok(()), Command::Status { .. } | Command::Release { .. }) => {}
            (Err(failure), command) => refuse(command, &failure),
        }
    }
}

/// The runs of a group: whether they are still ours, and where their chains end.
#[derive(Default)]
struct Group {
    ours: HashMap<Place, bool>,
    ends: HashMap<Place, Chain>,
}

impl Group {
    fn is_ours(&mut self, transaction: &Transaction<'_>, run: Place) -> rusqlite::Result<bool> {
        if let Some(&known) = self.ours.get(&run) {
            return Ok(known);
        }
        let mut statement = transaction
            .prepare_cached("SELECT count(*) FROM runs WHERE number = ?1 AND epoch = ?2")?;
        let count: i64 = statement.query_row((run.number, run.epoch), |row| row.get(0))?;
        self.ours.insert(run, count == 1);
        Ok(count == 1)
    }

    fn append(&mut self, transaction: &Transaction<'_>, append: &Append) -> rusqlite::Result<()> {
        // After a failure there is a gap, and nothing may follow it.
        if !self.is_ours(transaction, append.run)? || append.failure.get().is_some() {
            return Ok(());
        }
        let Append {
            run,
            number,
            body,
            digest,
            blob,
            failure: _,
            then: _,
        } = append;
        insert(
            transaction,
            run.number,
            *number,
            body,
            digest,
            blob.as_ref(),
        )?;
        let chain = Chain {
            next: number + 1,
            last: *digest,
        };
        self.ends.insert(*run, chain);
        Ok(())
    }
}

/// Gives the runs that belong to another process by now.
fn write(connection: &mut Connection, commands: &[Command]) -> rusqlite::Result<HashSet<Place>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut group = Group::default();
    for command in commands {
        match command {
            Command::Append(it) => group.append(&transaction, it)?,
            Command::Status {
                run,
                status,
                waiting,
            } => {
                let mut statement = transaction.prepare_cached(
                    "UPDATE runs SET status = ?3, waiting = ?4, changed = ?5 WHERE number = ?1 AND epoch = ?2",
                )?;
                statement.execute((run.number, run.epoch, status.number(), waiting, now()))?;
            }
            Command::Release { run } => {
                let mut statement = transaction.prepare_cached(
                    "UPDATE runs SET owner = '', expires = 0 WHERE number = ?1 AND epoch = ?2",
                )?;
                statement.execute((run.number, run.epoch))?;
            }
            Command::Flush(_) | Command::End(_) => {}
        }
    }
    for (run, chain) in &group.ends {
        advance(&transaction, run.number, chain)?;
    }
    transaction.commit()?;
    let lost = group.ours.into_iter().filter(|(_, is_ours)| !is_ours);
    Ok(lost.map(|(run, _)| run).collect())
}

/// Adds a record, and its blob unless another one has brought it.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    run: i64,
    number: u64,
    body: &[u8],
    digest: &Hash,
    blob: Option<&Blob>,
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO records (run, number, body, digest) VALUES (?1, ?2, ?3, ?4)",
    )?;
    statement.execute((run, number.cast_signed(), body, digest))?;
    if let Some(Blob { hash, bytes }) = blob {
        let mut statement = transaction
            .prepare_cached("INSERT OR IGNORE INTO blobs (hash, bytes) VALUES (?1, ?2)")?;
        statement.execute((hash, bytes))?;
        let mut statement = transaction
            .prepare_cached("INSERT OR IGNORE INTO blob_uses (run, hash) VALUES (?1, ?2)")?;
        statement.execute((run, hash))?;
    }
    Ok(())
}

/// Writes where the chain of a run ends.
pub(crate) fn advance(
    transaction: &Transaction<'_>,
    run: i64,
    chain: &Chain,
) -> rusqlite::Result<()> {
    let mut statement = transaction
        .prepare_cached("UPDATE runs SET next = ?2, last = ?3, changed = ?4 WHERE number = ?1")?;
    statement.execute((run, chain.next.cast_signed(), chain.last, now()))?;
    Ok(())
}

/// The time, in nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |it| i64::try_from(it.as_nanos()).unwrap_or(i64::MAX))
}
