//! The file of a cache: its tables, and how it is opened.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

/// What the file says that it is: `gswa` as a number.
pub(super) const APPLICATION: i32 = 0x6773_7761;
/// The version of the tables. A run recreates a file of an older version; one of a newer version belongs to a newer program.
const VERSION: i32 = 1;
pub(super) const TABLES: &str = "
CREATE TABLE answers (
    number  INTEGER PRIMARY KEY,
    key     TEXT NOT NULL UNIQUE,
    owner   TEXT NOT NULL,
    prompt  TEXT NOT NULL,
    model   TEXT NOT NULL,
    text    TEXT NOT NULL,
    digest  BLOB NOT NULL,
    kept    INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    used    INTEGER NOT NULL
) STRICT;
CREATE INDEX answers_by_use ON answers (used);
CREATE TABLE claims (
    key   TEXT PRIMARY KEY,
    owner TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE totals (entries INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
INSERT INTO totals VALUES (0, 0);
CREATE TRIGGER answer_added AFTER INSERT ON answers BEGIN
    UPDATE totals SET entries = entries + 1, bytes = bytes + octet_length(new.text);
END;
CREATE TRIGGER answer_removed AFTER DELETE ON answers BEGIN
    UPDATE totals SET entries = entries - 1, bytes = bytes - octet_length(old.text);
END;
";

/// Why a file cannot be opened.
#[derive(Debug)]
pub enum Unopened {
    /// Another process writes for longer than was waited.
    Busy,
    /// The file is neither a cache nor empty.
    Damaged(String),
    Failed(String),
}

impl From<rusqlite::Error> for Unopened {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => Self::Busy,
            // `Unknown`: a table or a column is not there, or the file has a form that no version of SQLite writes.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown) => {
                Self::Damaged(error.to_string())
            }
            Some(_) => Self::Failed(error.to_string()),
            // What was read is not of the type or number that it was written in.
            None => Self::Damaged(error.to_string()),
        }
    }
}

/// Opens the file, which is made if there is none; it belongs to its owner alone. Every use of it waits for this long while
/// another process writes.
pub fn open(path: &Path, patience: Duration, older: Older) -> Result<Connection, Unopened> {
    make(path).map_err(|it| Unopened::Failed(it.to_string()))?;
    let opened = connect(path).and_then(|mut it| {
        it.busy_timeout(patience)?;
        it.pragma_update(None, "journal_mode", "wal")?;
        // The last answers before a power cut may be lost, which costs a request each.
        it.pragma_update(None, "synchronous", "normal")?;
        let form = prepare(&mut it, older)?;
        Ok((it, form))
    });
    let why = match opened? {
        (connection, Form::Ours) => return Ok(connection),
        (_, Form::Foreign) => "it is a database of something else",
        (_, Form::Older) => "its answers are in an older form, which the next run begins anew",
        (_, Form::Newer) => "it was written by a newer version",
    };
    Err(Unopened::Failed(why.into()))
}

pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

/// What happens to a file of an older form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Older {
    /// It is deleted and created anew.
    Replaced,
    /// It stays as it is.
    Refused,
}

enum Form {
    Ours,
    Older,
    Newer,
    Foreign,
}

fn prepare(connection: &mut Connection, older: Older) -> rusqlite::Result<Form> {
    let number = |name: &str| connection.pragma_query_value(None, name, |it| it.get::<_, i32>(0));
    // Looking needs no lock, which another process may have.
    if (number("application_id")?, number("user_version")?) == (APPLICATION, VERSION) {
        return Ok(Form::Ours);
    }
    // Two processes may find the file empty at once; the second waits here and finds the tables.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |name: &str| transaction.pragma_query_value(None, name, |it| it.get::<_, i32>(0));
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION, VERSION) => return Ok(Form::Ours),
        (APPLICATION, version) if version > VERSION => return Ok(Form::Newer),
        (APPLICATION, _) if older == Older::Refused => return Ok(Form::Older),
        (APPLICATION, _) => transaction.execute_batch(
            "DROP TABLE IF EXISTS answers; DROP TABLE IF EXISTS claims; DROP TABLE IF EXISTS totals;",
        )?,
        (0, 0) => {
            let tables: i64 =
                transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |it| it.get(0))?;
            if tables > 0 {
                return Ok(Form::Foreign);
            }
        }
        (_, _) => return Ok(Form::Foreign),
    }
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(Form::Ours)
}

fn make(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    // Opening a pipe would block until someone reads from it.
    if std::fs::metadata(path).is_ok_and(|it| !it.is_file()) {
        return Err(std::io::Error::other("it is no file"));
    }
    private().append(true).create(true).open(path).map(drop)
}

/// Options for files that only their owner may read.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
