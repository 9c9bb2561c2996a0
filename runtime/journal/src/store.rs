//! A store: one file with the runs of a program. Runs are begun, taken over, read and forgotten here.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use crate::chain;
use crate::clock::now;
use crate::list::{Carried, Info, Listed, Look};
use crate::open_file::OpenFile;
use crate::owner::{self, Owner};
use crate::record::{Blob, Chain, Hash, Payload, Record};
use crate::retention::{Retention, is_due, prune};
use crate::row::{RunRow, StoreId};
use crate::schema::{self, Flushing, Missing};
use crate::sealed;
use crate::status::Status;
use crate::wal::LastWrite;
use crate::writer::{AGAIN, Journal, Writer};

pub use crate::error::Error;

/// An open store. Reading needs no owner file; it is created with the first run.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    id: StoreId,
    last_write: LastWrite,
    patience: Patience,
    connection: Mutex<Connection>,
    /// After the connection, which is closed first.
    flushing: Flushing,
    file: OpenFile,
    writing: Mutex<Option<Arc<Writer>>>,
    /// As in [`Look`].
    is_whole: AtomicBool,
}

/// How long a process waits while another one holds the lock of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// Before a caller that only reads is told to try again.
    pub look: Duration,
    /// Before a run that cannot record what happened must end.
    pub write: Duration,
}

impl Default for Patience {
    /// Ten seconds, and five minutes: copying a large store takes long, and ending a run costs more than the wait.
    fn default() -> Self {
        Self {
            look: Duration::from_secs(10),
            write: Duration::from_secs(300),
        }
    }
}

/// A run that is to be remembered.
#[derive(Clone, Debug)]
pub struct NewRun<'a> {
    pub id: &'a str,
    pub workflow: &'a str,
    /// The digest of the program's image.
    pub image: Hash,
    /// The path of the program.
    pub program: &'a str,
    /// By which another run of the same input is known.
    pub input: Hash,
    /// When it began, in nanoseconds since 1970.
    pub begun: i64,
}

/// What happened to a run that has a name.
#[derive(Debug)]
pub enum Begun {
    New(Journal),
    /// A run of this id exists already.
    Exists(Info),
}

impl Store {
    /// Opens the store of this path and makes it if there is none.
    ///
    /// # Errors
    /// When it cannot be made or read, or is something else.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::with(
            path,
            Missing::Made,
            Patience::default(),
            Flushing::AtEachCommit,
        )
    }

    /// Opens the store of this path.
    ///
    /// # Errors
    /// As for [`Self::open`], and when there is none.
    pub fn existing(path: &Path) -> Result<Self, Error> {
        Self::with(
            path,
            Missing::Refused,
            Patience::default(),
            Flushing::AtEachCommit,
        )
    }

    /// Opens the store of this path.
    ///
    /// # Errors
    /// As for [`Self::open`] and [`Self::existing`].
    pub fn with(
        path: &Path,
        missing: Missing,
        patience: Patience,
        flushing: Flushing,
    ) -> Result<Self, Error> {
        let opened = schema::open(path, missing, patience.look, flushing)?;
        Ok(Self {
            path: path.to_owned(),
            id: opened.store,
            last_write: opened.last_write,
            patience,
            flushing,
            connection: Mutex::new(opened.connection),
            file: opened.file,
            writing: Mutex::default(),
            is_whole: AtomicBool::new(false),
        })
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the last write before it was opened was lost, which the user should be told.
    #[must_use]
    pub const fn last_write(&self) -> LastWrite {
        self.last_write
    }

    /// Remembers a run, with its first records. A payload among them may be one that the store has.
    ///
    /// # Errors
    /// When it cannot be written; then nothing was.
    pub fn begin(
        &self,
        new: &NewRun<'_>,
        records: impl IntoIterator<Item = (Record, Option<Blob>)>,
    ) -> Result<Journal, Error> {
        let writer = self.writer()?;
        self.change(|transaction| {
            let row = new_row(new, writer.owner());
            self.add(transaction, writer, row, records)
        })
    }

    /// As [`Self::begin`], unless a run of this workflow and input has not ended, or has with an undelivered result.
    ///
    /// # Errors
    /// When there is such a run, or it cannot be written; then nothing was.
    pub fn begin_alone(
        &self,
        new: &NewRun<'_>,
        records: impl IntoIterator<Item = (Record, Option<Blob>)>,
    ) -> Result<Journal, Error> {
        let writer = self.writer()?;
        self.change(|transaction| {
            // In the transaction that writes: of several that ask at once, one begins.
            if let Some(info) = self
                .look(transaction)
                .interrupted(new.workflow, &new.input)?
            {
                return Err(Error::Carried(info.id));
            }
            let row = new_row(new, writer.owner());
            self.add(transaction, writer, row, records)
        })
    }

    /// Like [`Self::begin`], for a run whose starter names it: a workflow has one run of each name.
    ///
    /// # Errors
    /// When it cannot be written; then nothing was.
    pub fn begin_named(
        &self,
        new: &NewRun<'_>,
        name: &str,
        records: impl IntoIterator<Item = (Record, Option<Blob>)>,
    ) -> Result<Begun, Error> {
        let writer = self.writer()?;
        self.change(|transaction| {
            if let Some(info) = self.look(transaction).named(new.workflow, name)? {
                return Ok(Begun::Exists(info));
            }
            let mut row = new_row(new, writer.owner());
            row.name = Some(name.to_owned());
            let journal = self.add(transaction, writer, row, records)?;
            Ok(Begun::New(journal))
        })
    }

    /// Adds a record to a run that has ended and had this many before, and leaves it for another process to take: atomically,
    /// so that a process which dies in between leaves an ended run.
    ///
    /// # Errors
    /// When there is no such run, it has not ended or has other records by now, it is damaged, or it cannot be written.
    pub fn reopen(&self, id: &str, records: usize, record: &Record) -> Result<(), Error> {
        self.change(|transaction| {
            let mut row = self.row(transaction, id)?;
            let (mut chain, before) = chain::read(transaction, &row)?;
            if !row.status()?.is_final() || before.len() != records {
                return Err(Error::NotEnded(id.to_owned()));
            }
            chain::append(transaction, row.number, &mut chain, record, None)?;
            row.advance(&chain);
            row.epoch += 1;
            row.owner.clear();
            row.status = Status::Running.number();
            row.waiting = None;
            row.changed = now();
            row.update(transaction, &self.id)
        })
    }

    /// Takes over a run that no process runs: from now on only this process writes to it. Returns its records.
    ///
    /// # Errors
    /// When there is no such run, it has ended, another process carries it, or it is damaged.
    pub fn take(&self, id: &str) -> Result<(Journal, Vec<Record>), Error> {
        let writer = self.writer()?;
        self.change(|transaction| {
            let info = self.look(transaction).find(id)?;
            if info.status.is_final() {
                return Err(Error::Ended {
                    id: info.id,
                    status: info.status,
                });
            }
            if info.carried == Carried::Yes {
                return Err(Error::Carried(info.id));
            }
            let mut row = self.row(transaction, &info.id)?;
            let (chain, records) = chain::read(transaction, &row)?;
            row.epoch += 1;
            writer.owner().clone_into(&mut row.owner);
            row.status = Status::Running.number();
            row.changed = now();
            row.update(transaction, &self.id)?;
            Ok((Journal::new(writer, &row, chain), records))
        })
    }

    /// Notes that the result of an ended run was delivered; ignored for any other run.
    ///
    /// # Errors
    /// When there is no such run, or it cannot be written.
    pub fn delivered(&self, id: &str) -> Result<(), Error> {
        self.change(|transaction| {
            let mut row = self.row(transaction, id)?;
            if row.status()?.is_final() && !row.owner.is_empty() {
                row.owner.clear();
                row.update(transaction, &self.id)?;
            }
            Ok(())
        })
    }

    /// Ends a run that no process runs, without resuming it; returns its id.
    ///
    /// # Errors
    /// When there is no such run, it has ended, another process carries it, it is damaged, or it cannot be written.
    pub fn abandon(&self, id: &str, reason: &str) -> Result<String, Error> {
        let id = self.find(id)?.id;
        let (mut journal, _) = self.take(&id)?;
        let record = Record::Cancel {
            now: now(),
            reason: reason.to_owned(),
        };
        journal.write(&record, None);
        journal.status(Status::Cancelled, None);
        journal.released().map(|()| id)
    }

    /// The records of a run, checked against their chain.
    ///
    /// # Errors
    /// When there is no such run or it is damaged.
    pub fn records(&self, id: &str) -> Result<Vec<Record>, Error> {
        self.glance(|transaction| {
            let info = self.look(transaction).find(id)?;
            let row = self.row(transaction, &info.id)?;
            Ok(chain::read(transaction, &row)?.1)
        })
    }

    /// What was meant by a payload: its bytes, opened if they are sealed.
    ///
    /// # Errors
    /// When they are not there, or are not what they should be.
    pub fn bytes(&self, id: &str, payload: Payload) -> Result<Vec<u8>, Error> {
        let bytes = match payload {
            Payload::Inline(bytes) => bytes,
            Payload::Blob(hash) => self
                .value(&hash)?
                .ok_or_else(|| Error::DamagedEntry(format!("a value of run `{id}`")))?,
        };
        sealed::opened(&self.path, &self.id, bytes)
    }

    /// The bytes of a value as stored, if they are there.
    ///
    /// # Errors
    /// Those of the database.
    pub fn value(&self, hash: &Hash) -> Result<Option<Vec<u8>>, Error> {
        chain::blob(&self.connection(), hash)
    }

    /// All runs, the newest first.
    ///
    /// # Errors
    /// Those of the database.
    pub fn list(&self) -> Result<Listed, Error> {
        self.glance(|it| self.look(it).all())
    }

    /// The run of this id.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, id: &str) -> Result<Info, Error> {
        self.glance(|it| self.look(it).find(id))
    }

    /// A run by its id or the beginning of it, as people write it. A program means the whole id: [`Self::find`].
    ///
    /// # Errors
    /// When there is none or several.
    pub fn find_by_beginning(&self, beginning: &str) -> Result<Info, Error> {
        self.glance(|it| self.look(it).find_by_beginning(beginning))
    }

    /// The newest run of this workflow and input that has not ended, or that has with an undelivered result.
    ///
    /// # Errors
    /// Those of the database.
    pub fn interrupted(&self, workflow: &str, input: &Hash) -> Result<Option<Info>, Error> {
        self.glance(|it| self.look(it).interrupted(workflow, input))
    }

    /// The run of a workflow that its starter called so.
    ///
    /// # Errors
    /// Those of the database.
    pub fn named(&self, workflow: &str, name: &str) -> Result<Option<Info>, Error> {
        self.glance(|it| self.look(it).named(workflow, name))
    }

    /// The runs that are due at this time, in nanoseconds since 1970: interrupted, past their wake time, or answered. Several
    /// processes may ask; [`Self::take`] gives each run to one.
    ///
    /// # Errors
    /// Those of the database.
    pub fn due(&self, now: i64) -> Result<Listed, Error> {
        self.glance(|it| self.look(it).due(now))
    }

    /// When the next of the waiting runs is due, in nanoseconds since 1970; `None` when no run waits for a time.
    ///
    /// # Errors
    /// Those of the database.
    pub fn next_wake(&self) -> Result<Option<i64>, Error> {
        let text = "SELECT min(wake) FROM runs WHERE status = 1 AND wake IS NOT NULL";
        let next = self
            .connection()
            .query_row(text, [], |it| it.get(0))
            .optional()?;
        Ok(next.flatten())
    }

    /// A number that changes with each write by another connection, this process's own writer among them: a cheap check for
    /// news.
    ///
    /// # Errors
    /// Those of the database.
    pub fn version(&self) -> Result<i64, Error> {
        let connection = self.connection();
        Ok(connection.pragma_query_value(None, "data_version", |it| it.get(0))?)
    }

    /// Removes ended runs, and early answers that no question asked for; returns how many runs.
    ///
    /// # Errors
    /// Those of the database.
    pub fn prune(&self, retention: Retention) -> Result<u64, Error> {
        let forgotten = self.change(|it| {
            owner::forget_dead(it, &self.path)?;
            prune(it, &self.id, retention, now())
        })?;
        if forgotten > 0 {
            let connection = self.connection();
            let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
            let mut rows = statement.query([])?;
            while rows.next()?.is_some() {}
        }
        Ok(forgotten)
    }

    /// The same where something may be beyond the limits, which costs little to find out.
    ///
    /// # Errors
    /// Those of the database.
    pub fn tidy(&self, retention: Retention) -> Result<u64, Error> {
        if is_due(&self.connection(), retention, now())? {
            return self.prune(retention);
        }
        Ok(0)
    }

    /// Writes what is queued and ends the writing thread, for a process that leaves. The runs that it still owns can be taken
    /// from then on.
    pub fn close(&self) {
        let writing = self.writing.lock();
        let writer = writing.unwrap_or_else(PoisonError::into_inner).take();
        let Some(writer) = writer else { return };
        let (sender, ended) = channel();
        writer.end(Box::new(move |it| drop(sender.send(it))));
        // What could not be written, each of its runs has heard.
        let _ = ended.recv();
    }

    /// Adds a run with its records to the tables.
    pub(crate) fn add(
        &self,
        transaction: &Transaction<'_>,
        writer: Arc<Writer>,
        mut row: RunRow,
        records: impl IntoIterator<Item = (Record, Option<Blob>)>,
    ) -> Result<Journal, Error> {
        if RunRow::of_id(transaction, &self.id, &row.id)?.is_some() {
            return Err(Error::Exists(row.id));
        }
        row.insert(transaction, &self.id)?;
        let mut chain = Chain::of(&row.id);
        for (record, blob) in records {
            chain::append(transaction, row.number, &mut chain, &record, blob.as_ref())?;
        }
        row.advance(&chain);
        row.update(transaction, &self.id)?;
        Ok(Journal::new(writer, &row, chain))
    }

    /// The row of a run that must exist.
    pub(crate) fn row(&self, connection: &Connection, id: &str) -> Result<RunRow, Error> {
        let row = RunRow::of_id(connection, &self.id, id)?;
        row.ok_or_else(|| Error::NoSuchRun(id.to_owned()))
    }

    pub(crate) fn look<'a>(&'a self, connection: &'a Connection) -> Look<'a> {
        Look {
            connection,
            store: &self.id,
            path: &self.path,
            is_whole: &self.is_whole,
        }
    }

    pub(crate) const fn id(&self) -> &StoreId {
        &self.id
    }

    /// Changes the store as a whole or not at all.
    pub(crate) fn change<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.change_within(self.patience.look, work)
    }

    /// Like [`Self::change`], with the patience for a run of this process: waiting is better than ending it.
    pub(crate) fn change_for_run<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.change_within(self.patience.write, work)
    }

    fn change_within<T>(
        &self,
        patience: Duration,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let begun = Instant::now();
        loop {
            let mut connection = self.connection();
            match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
                Ok(transaction) => {
                    let result = work(&transaction)?;
                    transaction.commit()?;
                    return self.if_there(result);
                }
                Err(error) => {
                    let error = Error::from(error);
                    if !matches!(error, Error::Locked(_)) || begun.elapsed() >= patience {
                        return Err(error);
                    }
                }
            }
            // Other threads of this process may read meanwhile.
            drop(connection);
            std::thread::sleep(AGAIN);
        }
    }

    /// What was written to a file that is not there any more is lost.
    fn if_there<T>(&self, result: T) -> Result<T, Error> {
        if self.file.is_there() {
            Ok(result)
        } else {
            Err(Error::Removed(self.path.clone()))
        }
    }

    /// Reads the store as it is at one moment.
    pub(crate) fn glance<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        work(&transaction)
    }

    pub(crate) fn writer(&self) -> Result<Arc<Writer>, Error> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = &*writing {
            return Ok(Arc::clone(writer));
        }
        let unusable = |error: std::io::Error| Error::unusable(&self.path, &error);
        let owner = Owner::new(&self.path).map_err(unusable)?;
        let mut file = OpenFile::at(&self.path);
        let connection = schema::connect(&self.path, self.patience.look, self.flushing)?;
        owner.renew(&connection)?;
        file.note_log();
        let writer = Writer::start(owner, connection, file, self.id, self.patience.write);
        let writer = Arc::new(writer.map_err(unusable)?);
        *writing = Some(Arc::clone(&writer));
        Ok(writer)
    }

    pub(crate) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A transaction that a panic left is rolled back when it is dropped.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The row of a run that begins.
pub(crate) fn new_row(new: &NewRun<'_>, owner: &str) -> RunRow {
    let NewRun {
        id,
        workflow,
        image,
        program,
        input,
        begun,
    } = *new;
    let chain = Chain::of(id);
    RunRow {
        number: 0,
        id: id.to_owned(),
        workflow: workflow.to_owned(),
        name: None,
        status: Status::Running.number(),
        begun,
        changed: now(),
        image,
        program: program.to_owned(),
        input,
        waiting: None,
        wake: None,
        source: None,
        epoch: 1,
        owner: owner.to_owned(),
        next: chain.next.cast_signed(),
        last: chain.last,
        asked: 0,
    }
}
