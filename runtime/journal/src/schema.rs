//! The tables of a store, and how a file is opened.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::error::Error;
use crate::file;
use crate::open_file::OpenFile;
use crate::row::{Facts, StoreId};
use crate::seal::draw;
use crate::wal;

/// What the file says that it is: `gsw1` as a number.
const APPLICATION: i32 = 0x6773_7731;
/// The form of the tables.
const VERSION: i32 = 1;

/// As they are in the file, too: a file with another text is damaged.
const TABLES: [&str; 14] = [
    "CREATE TABLE facts (
    store BLOB NOT NULL, runs INTEGER NOT NULL, early INTEGER NOT NULL, sum INTEGER NOT NULL
) STRICT",
    "CREATE TABLE runs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, name TEXT, status INTEGER NOT NULL,
    begun INTEGER NOT NULL, changed INTEGER NOT NULL, image BLOB NOT NULL, program TEXT NOT NULL, input BLOB NOT NULL,
    waiting TEXT, wake INTEGER, source TEXT, epoch INTEGER NOT NULL, owner TEXT NOT NULL, next INTEGER NOT NULL,
    last BLOB NOT NULL, asked INTEGER NOT NULL, sum INTEGER NOT NULL
) STRICT",
    "CREATE UNIQUE INDEX runs_by_name ON runs (workflow, name) WHERE name IS NOT NULL",
    "CREATE TABLE records (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE, number INTEGER NOT NULL, body BLOB NOT NULL,
    digest BLOB NOT NULL, PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID",
    "CREATE TABLE blobs (hash BLOB PRIMARY KEY, bytes BLOB NOT NULL) STRICT",
    "CREATE TABLE blob_uses (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE, hash BLOB NOT NULL, PRIMARY KEY (run, hash)
) STRICT, WITHOUT ROWID",
    "CREATE TABLE questions (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE, operation INTEGER NOT NULL, name TEXT NOT NULL,
    key TEXT, question BLOB NOT NULL, state BLOB NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (run, operation)
) STRICT, WITHOUT ROWID",
    "CREATE INDEX questions_by_key ON questions (key) WHERE key IS NOT NULL",
    // The first byte of a state is which one it is: `Answered`.
    "CREATE INDEX questions_answered ON questions (run, operation) WHERE substr(state, 1, 1) = x'01'",
    "CREATE TABLE early (key TEXT PRIMARY KEY, answer BLOB NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE cancellations (
    run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE, reason TEXT NOT NULL, at INTEGER NOT NULL,
    sum INTEGER NOT NULL
) STRICT",
    // For workers that look for due runs among many that are not.
    "CREATE INDEX runs_begun ON runs (number) WHERE status = 0",
    "CREATE INDEX runs_by_wake ON runs (wake) WHERE status = 1 AND wake IS NOT NULL",
    "CREATE TABLE owners (name TEXT PRIMARY KEY, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID",
];

/// Whether a missing file is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    Made,
    Refused,
}

/// When what was written is on the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flushing {
    /// When its commit returns: it outlives the machine.
    AtEachCommit,
    /// When the system comes to it: it outlives the process, which is enough for a store that nobody keeps.
    LeftToTheSystem,
}

impl Flushing {
    /// The word of SQLite.
    const fn synchronous(self) -> &'static str {
        match self {
            Self::AtEachCommit => "full",
            Self::LeftToTheSystem => "off",
        }
    }
}

/// A file that was opened.
pub(crate) struct Opened {
    pub connection: Connection,
    pub file: OpenFile,
    pub store: StoreId,
    pub last_write: wal::LastWrite,
}

/// Opens a store; its folder and file belong to their owner alone.
pub(crate) fn open(
    path: &Path,
    missing: Missing,
    patience: Duration,
    flushing: Flushing,
) -> Result<Opened, Error> {
    file::check(path)?;
    if !path.exists() {
        match missing {
            Missing::Made => make(path, patience, flushing)?,
            Missing::Refused => return Err(Error::Missing(path.to_owned())),
        }
    }
    file::sweep_drafts(path);
    file::close_to_others(path);
    let last_write = wal::look(path)?;
    let mut file = OpenFile::at(path);
    let mut connection = connect(path, patience, flushing)?;
    let store = identify(&mut connection, path)?;
    file.note_log();
    Ok(Opened {
        connection,
        file,
        store,
        last_write,
    })
}

/// Creates a store atomically: so an empty file is never a store, and a store that lost its content is not taken for a new one.
fn make(path: &Path, patience: Duration, flushing: Flushing) -> Result<(), Error> {
    let draft = file::Draft::new(path).map_err(|error| Error::unusable(path, &error))?;
    // What is forgotten makes the file smaller. Setting this on an existing file takes its lock for writing, or waits for it.
    let connection = connect_first(draft.path(), patience, flushing, |it| {
        it.pragma_update(None, "auto_vacuum", "incremental")
    })?;
    let store = draw::<16>().map_err(|error| Error::unusable(path, &error))?;
    let fill = || -> rusqlite::Result<()> {
        let transaction = connection.unchecked_transaction()?;
        for table in TABLES {
            transaction.execute_batch(table)?;
        }
        Facts::insert(&transaction, store)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()
    };
    fill().map_err(|error| Error::of_file(path, &error))?;
    // The last connection that is closed writes the log into the file as well, but does not say that the disk is full.
    write_whole(&connection).map_err(|error| Error::of_file(path, &error))?;
    connection
        .close()
        .map_err(|(_, error)| Error::of_file(path, &error))?;
    draft
        .publish(path)
        .map_err(|error| Error::unusable(path, &error))
}

/// Writes the whole log into the file, which no other process uses yet.
fn write_whole(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// One more connection to a store that is open.
pub(crate) fn connect(
    path: &Path,
    patience: Duration,
    flushing: Flushing,
) -> Result<Connection, Error> {
    connect_first(path, patience, flushing, |_| Ok(()))
}

/// Like [`connect`], with statements that come before anything is written.
fn connect_first(
    path: &Path,
    patience: Duration,
    flushing: Flushing,
    first: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(|it| {
        it.busy_timeout(patience)?;
        it.pragma_update(None, "foreign_keys", true)?;
        first(&it)?;
        it.pragma_update(None, "journal_mode", "wal")?;
        it.pragma_update(None, "synchronous", flushing.synchronous())?;
        // What a damaged page holds is looked at more closely, and a damaged schema calls nothing.
        it.pragma_update(None, "cell_size_check", true)?;
        it.pragma_update(None, "trusted_schema", false)?;
        Ok(it)
    });
    opened.map_err(|error| Error::of_file(path, &error))
}

/// Which store it is.
fn identify(connection: &mut Connection, path: &Path) -> Result<StoreId, Error> {
    let unusable = |error: rusqlite::Error| Error::of_file(path, &error);
    let transaction = connection.transaction().map_err(unusable)?;
    let number = |name: &str| transaction.pragma_query_value(None, name, |it| it.get::<_, i32>(0));
    let application = number("application_id").map_err(unusable)?;
    let version = number("user_version").map_err(unusable)?;
    let mut statement = transaction
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        .map_err(unusable)?;
    let rows = statement.query_map([], |it| it.get(0)).map_err(unusable)?;
    let written: Vec<String> = rows.collect::<rusqlite::Result<_>>().map_err(unusable)?;
    match (application, version) {
        (APPLICATION, VERSION) if written == TABLES => Ok(Facts::read(&transaction)?.store),
        (APPLICATION, VERSION) => Err(Error::DamagedEntry(format!(
            "the list of tables of `{}`",
            path.display()
        ))),
        (APPLICATION, version) => Err(Error::Version {
            path: path.to_owned(),
            version,
        }),
        _ => Err(Error::Foreign(path.to_owned())),
    }
}
