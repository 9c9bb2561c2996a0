//! Forgets every answer of a cache, also of one that is damaged.
//!
//! A file that works is emptied by a transaction, which running processes do not notice. One that does not is reset under SQLite's
//! own locks, and never replaced: beside a new file of the same name the log and the index of the old one would be read as its own.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use serde::Serialize;

use super::file::{self, APPLICATION, Older, TABLES, Unopened};
use super::inspect::{PATIENCE, unopened};

/// What happened to a cache that was to forget everything.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Forgotten {
    /// How many answers; `None` where they could not be counted.
    pub forgotten: Option<usize>,
    /// What was wrong with the file, which has been recreated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// Where its bytes are, since it did not say that it was a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<PathBuf>,
}

/// Empties the cache at `path`.
///
/// # Errors
/// When it belongs to something else or to a newer version, or the file cannot be written.
pub fn forget_all(path: &Path) -> Result<Forgotten, String> {
    let damage = match file::open(path, PATIENCE, Older::Replaced) {
        Ok(mut connection) => match empty(&mut connection) {
            Ok(Emptied::Whole(count)) => {
                return Ok(Forgotten {
                    forgotten: Some(count),
                    damage: None,
                    copy: None,
                });
            }
            Ok(Emptied::OtherTables) => "its tables are not those of a cache".into(),
            Err(error) => match Unopened::from(error) {
                Unopened::Damaged(why) => why,
                other @ (Unopened::Busy | Unopened::Failed(_)) => return Err(unopened(other)),
            },
        },
        Err(Unopened::Damaged(why)) => why,
        Err(other) => return Err(unopened(other)),
    };
    let copy = match says_it_is_a_cache(path) {
        true => None,
        false => Some(copy(path).map_err(|it| it.to_string())?),
    };
    reset(path).map_err(|it| unopened(it.into()))?;
    file::open(path, PATIENCE, Older::Replaced).map_err(unopened)?;
    Ok(Forgotten {
        forgotten: None,
        damage: Some(damage),
        copy,
    })
}

enum Emptied {
    Whole(usize),
    OtherTables,
}

fn empty(connection: &mut Connection) -> rusqlite::Result<Emptied> {
    if tables(connection)? != tables_of_a_cache()? {
        return Ok(Emptied::OtherTables);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let count = transaction.execute("DELETE FROM answers", [])?;
    // Damage may have changed the totals, which answers only add to and take from.
    transaction
        .execute_batch("DELETE FROM totals; INSERT INTO totals (entries, bytes) VALUES (0, 0);")?;
    transaction.commit()?;
    // Where another process reads or writes, or the disk is full, the room is used by the next answers.
    let _ = shrink(connection);
    Ok(Emptied::Whole(count))
}

/// Returns the space of the removed answers to the file system.
fn shrink(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("VACUUM")?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let mut statement = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

fn tables_of_a_cache() -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let model = Connection::open_in_memory()?;
    model.execute_batch(TABLES)?;
    tables(&model)
}

/// Resets any file to an empty database.
fn reset(path: &Path) -> rusqlite::Result<()> {
    let connection = file::connect(path)?;
    connection.busy_timeout(PATIENCE)?;
    // The schema must be read before the reset, even if that fails.
    let _ = connection.prepare("SELECT name FROM sqlite_schema");
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, true)?;
    let done = connection.execute_batch("VACUUM");
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, false)?;
    done?;
    match connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
        Err(error) if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// By what SQLite has at the beginning of each file, with the number of the application.
fn says_it_is_a_cache(path: &Path) -> bool {
    let mut head = [0; 72];
    let read = File::open(path).and_then(|mut it| it.read_exact(&mut head));
    read.is_ok()
        && head.starts_with(b"SQLite format 3\0")
        && head.ends_with(&APPLICATION.to_be_bytes())
}

/// Copies a file that may be of value beside it, under an unused name.
fn copy(path: &Path) -> std::io::Result<PathBuf> {
    let mut number = 0;
    loop {
        number += 1;
        let beside = path.with_extension(format!("db.damaged-{number}"));
        let created = file::private().create_new(true).write(true).open(&beside);
        match created {
            Ok(mut to) => {
                std::io::copy(&mut File::open(path)?, &mut to)?;
                return Ok(beside);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
