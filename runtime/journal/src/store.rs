//! A store: one file with the runs of a program. Runs are begun, taken over, read and forgotten here.

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::list::{self, Carried, Info, Status};
use crate::owner::Owner;
use crate::record::{Blob, Chain, Hash, Payload, Record};
use crate::retention::{Retention, is_due, prune};
use crate::schema::{self, Missing};
use crate::writer::{self, Journal, Writer, now};

/// An open store. Whoever only looks needs no owner's name; it is taken with the first run.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
    writing: Mutex<Option<Arc<Writer>>>,
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

/// What cannot be done with a store.
#[derive(Debug)]
pub enum Error {
    Missing(PathBuf),
    /// It is a database of something else.
    Foreign(PathBuf),
    /// Another version of this program has made it.
    Version {
        path: PathBuf,
        version: i32,
    },
    Unusable {
        path: PathBuf,
        why: String,
    },
    NoSuchRun(String),
    /// Several runs have ids that begin so.
    Ambiguous(String),
    Ended {
        id: String,
        status: Status,
    },
    /// Another process carries it.
    Carried(String),
    /// A record is not the one that was written.
    Damaged {
        id: String,
        /// The number of the record.
        record: u64,
    },
    /// The message of the database.
    Database(String),
}

impl Error {
    pub(crate) fn unusable(path: &Path, why: &impl std::fmt::Display) -> Self {
        Self::Unusable {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.to_string())
    }
}

impl std::error::Error for Error {}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "no runs are kept: there is no `{}`", path.display()),
            Self::Foreign(path) => write!(f, "`{}` is no store of runs", path.display()),
            Self::Version { path, version } => write!(
                f,
                "`{}` is of version {version}, which this program does not read",
                path.display()
            ),
            Self::Unusable { path, why } => {
                write!(f, "`{}` cannot be used: {why}", path.display())
            }
            Self::NoSuchRun(id) => write!(f, "there is no run `{id}`"),
            Self::Ambiguous(id) => write!(f, "several runs begin with `{id}`"),
            Self::Ended { id, status } => write!(f, "run `{id}` has ended: {}", status.name()),
            Self::Carried(id) => write!(f, "another process carries run `{id}`"),
            Self::Damaged { id, record } => write!(
                f,
                "record {record} of run `{id}` is not what was written, and nothing after it can be trusted"
            ),
            Self::Database(why) => write!(f, "the store of runs: {why}"),
        }
    }
}

impl Store {
    /// Opens the store of this path and makes it if there is none.
    ///
    /// # Errors
    /// When it cannot be made or read, or is something else.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::with(path, Missing::Made)
    }

    /// Opens the store of this path.
    ///
    /// # Errors
    /// As for [`Self::open`], and when there is none.
    pub fn existing(path: &Path) -> Result<Self, Error> {
        Self::with(path, Missing::Refused)
    }

    fn with(path: &Path, missing: Missing) -> Result<Self, Error> {
        let connection = schema::open(path, missing)?;
        Ok(Self {
            path: path.to_owned(),
            connection: Mutex::new(connection),
            writing: Mutex::default(),
        })
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Remembers a run, with its first records.
    ///
    /// # Errors
    /// When it cannot be written; then nothing was.
    pub fn begin(
        &self,
        new: &NewRun<'_>,
        records: Vec<(Record, Option<Blob>)>,
    ) -> Result<Journal, Error> {
        let writer = self.writer()?;
        let mut chain = Chain::of(new.id);
        let mut connection = self.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute(
            "INSERT INTO runs (id, workflow, status, begun, changed, image, program, input, epoch, owner, expires, next, last)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?9, ?10, 0, ?11)",
            (
                new.id,
                new.workflow,
                Status::Running.number(),
                new.begun,
                now(),
                new.image,
                new.program,
                new.input,
                writer.owner(),
                list::expiry(),
                chain.last,
            ),
        )?;
        let number = transaction.last_insert_rowid();
        for (record, blob) in records {
            let body = record.encode();
            let (at, digest) = chain.add(&body);
            writer::insert(&transaction, number, at, &body, &digest, blob.as_ref())?;
        }
        writer::advance(&transaction, number, &chain)?;
        transaction.commit()?;
        drop(connection);
        Ok(Journal::new(writer, number, 1, chain))
    }

    /// Takes a run that nobody carries: from now on this process alone writes to it. Gives what was written of it.
    ///
    /// # Errors
    /// When there is no such run, it has ended, another process carries it, or it is damaged.
    pub fn take(&self, id: &str) -> Result<(Journal, Vec<Record>), Error> {
        let writer = self.writer()?;
        let mut connection = self.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let info = list::find(&transaction, &self.path, id)?;
        if info.status.is_final() {
            return Err(Error::Ended {
                id: info.id,
                status: info.status,
            });
        }
        if info.carried == Carried::Yes {
            return Err(Error::Carried(info.id));
        }
        let (chain, records) = read(&transaction, &info.id)?;
        let (number, epoch): (i64, i64) = transaction.query_row(
            "UPDATE runs SET epoch = epoch + 1, owner = ?2, expires = ?3, status = ?4, changed = ?5
             WHERE id = ?1 RETURNING number, epoch",
            (
                &info.id,
                writer.owner(),
                list::expiry(),
                Status::Running.number(),
                now(),
            ),
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        transaction.commit()?;
        drop(connection);
        Ok((Journal::new(writer, number, epoch, chain), records))
    }

    /// The records of a run, checked against their chain.
    ///
    /// # Errors
    /// When there is no such run or it is damaged.
    pub fn records(&self, id: &str) -> Result<Vec<Record>, Error> {
        let connection = self.connection();
        let info = list::find(&connection, &self.path, id)?;
        Ok(read(&connection, &info.id)?.1)
    }

    /// The bytes of a payload.
    ///
    /// # Errors
    /// When they are not there, or are not what they should be.
    pub fn bytes(&self, id: &str, payload: Payload) -> Result<Vec<u8>, Error> {
        let hash = match payload {
            Payload::Inline(bytes) => return Ok(bytes),
            Payload::Blob(hash) => hash,
        };
        let bytes: Option<Vec<u8>> = self
            .connection()
            .query_row("SELECT bytes FROM blobs WHERE hash = ?1", [hash], |row| {
                row.get(0)
            })
            .optional()?;
        bytes
            .filter(|it| Blob::of(it.clone()).hash == hash)
            .ok_or_else(|| Error::Database(format!("a value of run `{id}` is lost or damaged")))
    }

    /// All runs, the newest first.
    ///
    /// # Errors
    /// Those of the database.
    pub fn list(&self) -> Result<Vec<Info>, Error> {
        list::all(&self.connection(), &self.path)
    }

    /// A run by its id or the beginning of it.
    ///
    /// # Errors
    /// When there is none or several.
    pub fn find(&self, id: &str) -> Result<Info, Error> {
        list::find(&self.connection(), &self.path, id)
    }

    /// The newest run of this workflow and input that was interrupted.
    ///
    /// # Errors
    /// Those of the database.
    pub fn interrupted(&self, workflow: &str, input: &Hash) -> Result<Option<Info>, Error> {
        list::interrupted(&self.connection(), &self.path, workflow, input)
    }

    /// Forgets runs that have ended; gives how many.
    ///
    /// # Errors
    /// Those of the database.
    pub fn prune(&self, retention: Retention) -> Result<u64, Error> {
        prune(&mut self.connection(), retention, now())
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

    /// Ends writing, when all that was to be written is on the disk: for a process that leaves. Runs that it still carries can
    /// be taken from then on.
    pub fn close(&self) {
        let writing = self.writing.lock();
        let writer = writing.unwrap_or_else(PoisonError::into_inner).take();
        let Some(writer) = writer else { return };
        let (sender, ended) = channel();
        writer.end(Box::new(move |it| drop(sender.send(it))));
        // What could not be written, each of its runs has heard.
        let _ = ended.recv();
    }

    fn writer(&self) -> Result<Arc<Writer>, Error> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = &*writing {
            return Ok(Arc::clone(writer));
        }
        let unusable = |error: std::io::Error| Error::unusable(&self.path, &error);
        let owner = Owner::new(&self.path).map_err(unusable)?;
        let connection = schema::open(&self.path, Missing::Refused)?;
        let writer = Arc::new(Writer::start(owner, connection).map_err(unusable)?);
        *writing = Some(Arc::clone(&writer));
        Ok(writer)
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A transaction that a panic left is rolled back when it is dropped.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The records of a run and the end of their chain.
fn read(connection: &Connection, id: &str) -> Result<(Chain, Vec<Record>), Error> {
    let (number, next, last): (i64, i64, Hash) = connection.query_row(
        "SELECT number, next, last FROM runs WHERE id = ?1",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let mut statement = connection
        .prepare("SELECT number, body, digest FROM records WHERE run = ?1 ORDER BY number")?;
    let mut rows = statement.query([number])?;
    let mut chain = Chain::of(id);
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        let (at, body, digest): (i64, Vec<u8>, Hash) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let damaged = || Error::Damaged {
            id: id.to_owned(),
            record: chain.next,
        };
        let record = Record::decode(&body).ok_or_else(damaged)?;
        if at.unsigned_abs() != chain.next {
            return Err(damaged());
        }
        let before = chain.next;
        if chain.add(&body).1 != digest {
            return Err(Error::Damaged {
                id: id.to_owned(),
                record: before,
            });
        }
        records.push(record);
    }
    if chain.next != next.unsigned_abs() || chain.last != last {
        return Err(Error::Damaged {
            id: id.to_owned(),
            record: chain.next,
        });
    }
    Ok((chain, records))
}
