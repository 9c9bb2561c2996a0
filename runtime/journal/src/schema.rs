//! The tables of a store, and how a file is opened.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::store::Error;

/// What the file says that it is: `gsw1` as a number.
const APPLICATION: i32 = 0x6773_7731;
/// The form of the tables.
const VERSION: i32 = 1;
/// So long a process waits while another one writes.
const PATIENCE: Duration = Duration::from_secs(10);

const TABLES: &str = "
CREATE TABLE runs (
    number   INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    workflow TEXT NOT NULL,
    status   INTEGER NOT NULL,
    begun    INTEGER NOT NULL,
    changed  INTEGER NOT NULL,
    image    BLOB NOT NULL,
    program  TEXT NOT NULL,
    input    BLOB NOT NULL,
    waiting  TEXT,
    epoch    INTEGER NOT NULL,
    owner    TEXT NOT NULL,
    expires  INTEGER NOT NULL,
    next     INTEGER NOT NULL,
    last     BLOB NOT NULL
) STRICT;
CREATE INDEX runs_by_input ON runs (workflow, input);
CREATE TABLE records (
    run    INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    body   BLOB NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE blobs (
    hash  BLOB PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;
CREATE TABLE blob_uses (
    run  INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    hash BLOB NOT NULL,
    PRIMARY KEY (run, hash)
) STRICT, WITHOUT ROWID;
";

/// Whether a missing file is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    Made,
    Refused,
}

/// Opens a store; its folder and file belong to their owner alone.
pub fn open(path: &Path, missing: Missing) -> Result<Connection, Error> {
    if missing == Missing::Made {
        make(path).map_err(|error| Error::unusable(path, &error))?;
    } else if !path.exists() {
        return Err(Error::Missing(path.to_owned()));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(|it| {
        it.busy_timeout(PATIENCE)?;
        it.pragma_update(None, "foreign_keys", true)?;
        it.pragma_update(None, "journal_mode", "wal")?;
        // A record that must not be lost is on the disk when its commit returns.
        it.pragma_update(None, "synchronous", "full")?;
        Ok(it)
    });
    let mut connection = opened.map_err(|error| Error::unusable(path, &error))?;
    prepare(&mut connection, path)?;
    Ok(connection)
}

fn prepare(connection: &mut Connection, path: &Path) -> Result<(), Error> {
    let unusable = |error: rusqlite::Error| Error::unusable(path, &error);
    // Two processes may find the file empty at once; the second waits here and finds the tables.
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(unusable)?;
    let number = |name: &str| transaction.pragma_query_value(None, name, |it| it.get::<_, i32>(0));
    let (application, version) = (
        number("application_id").map_err(unusable)?,
        number("user_version").map_err(unusable)?,
    );
    match (application, version) {
        (0, 0) => {
            let tables: i64 = transaction
                .query_row("SELECT count(*) FROM sqlite_schema", [], |it| it.get(0))
                .map_err(unusable)?;
            if tables > 0 {
                return Err(Error::Foreign(path.to_owned()));
            }
            transaction.execute_batch(TABLES).map_err(unusable)?;
            transaction
                .pragma_update(None, "application_id", APPLICATION)
                .map_err(unusable)?;
            transaction
                .pragma_update(None, "user_version", VERSION)
                .map_err(unusable)?;
            transaction.commit().map_err(unusable)
        }
        (APPLICATION, VERSION) => Ok(()),
        (APPLICATION, version) => Err(Error::Version {
            path: path.to_owned(),
            version,
        }),
        _ => Err(Error::Foreign(path.to_owned())),
    }
}

fn make(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}
