//! Errors of a store, with what to do about each.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::questions::Refusal;
use crate::seal::SealError;
use crate::status::Status;

/// Errors of a store, with what to do about each.
#[derive(Debug)]
pub enum Error {
    Missing(PathBuf),
    /// It was there, and another file is in its place, or none.
    Removed(PathBuf),
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
    NotEnded(String),
    /// Another process runs it.
    Carried(String),
    /// There is a run of this id.
    Exists(String),
    /// It has fewer records than were asked for.
    TooShort {
        id: String,
        records: u64,
    },
    /// It cannot be answered like this.
    Refused(Refusal),
    /// It is not a file.
    NoFile {
        path: PathBuf,
        /// The kind of file that it is instead.
        kind: &'static str,
    },
    /// It is where locks do not hold.
    Network {
        path: PathBuf,
        /// The name of the file system.
        system: &'static str,
    },
    /// Commits that were on the disk are not readable any more.
    DamagedLog(PathBuf),
    /// What the store notes of this is not what was written.
    DamagedEntry(String),
    /// A record is not the one that was written.
    Damaged {
        id: String,
        /// The number of the record.
        record: u64,
    },
    /// It has secrets, which this process cannot seal or open.
    Sealed(SealError),
    /// Another process holds the lock; the message of the database.
    Locked(String),
    /// The message of the database.
    Database(String),
}

impl Error {
    /// Whether the same may succeed a moment later: another process holds the database, or the disk has a bad time.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Locked(_) | Self::Database(_) => true,
            Self::Missing(_)
            | Self::Removed(_)
            | Self::Foreign(_)
            | Self::Version { .. }
            | Self::Unusable { .. }
            | Self::NoSuchRun(_)
            | Self::Ambiguous(_)
            | Self::Ended { .. }
            | Self::NotEnded(_)
            | Self::Carried(_)
            | Self::Exists(_)
            | Self::TooShort { .. }
            | Self::Refused(_)
            | Self::NoFile { .. }
            | Self::Network { .. }
            | Self::DamagedLog(_)
            | Self::DamagedEntry(_)
            | Self::Damaged { .. }
            | Self::Sealed(_) => false,
        }
    }

    pub(crate) fn unusable(path: &Path, why: &impl std::fmt::Display) -> Self {
        Self::Unusable {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }

    /// What the database says of a file.
    pub(crate) fn of_file(path: &Path, error: &rusqlite::Error) -> Self {
        Self::unusable(path, &explain(error))
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let text = explain(&error);
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked(text),
            _ => Self::Database(text),
        }
    }
}

/// What the database says, and what to do about it.
pub(crate) fn explain(error: &rusqlite::Error) -> String {
    let advice = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process has kept it locked for too long; try again when that is done"
        }
        Some(ErrorCode::DiskFull) => "the disk is full; make room and resume the run",
        Some(ErrorCode::SystemIoFailure) => {
            "the disk cannot be read or written, or a limit on the size of files is reached"
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            "the file and its folder must be readable and writable by you"
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            "the file is damaged or something else; put a copy in its place, or name another store"
        }
        _ => return error.to_string(),
    };
    format!("{error}: {advice}")
}

impl std::error::Error for Error {}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing(path) => {
                write!(f, "no runs are stored: there is no `{}`", path.display())
            }
            Self::Removed(path) => write!(
                f,
                "`{}` was removed or replaced, and what is written to it would be lost",
                path.display()
            ),
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
            Self::Ended { id, status } => {
                write!(f, "run `{id}` has ended: {}", status.shown().name())
            }
            Self::NotEnded(id) => write!(f, "run `{id}` has not ended: resume it first"),
            Self::Carried(id) => write!(f, "another process carries run `{id}`"),
            Self::Exists(id) => write!(f, "there is a run `{id}`, and an id is given once"),
            Self::TooShort { id, records } => {
                write!(f, "run `{id}` has {records} records, and no more")
            }
            Self::Refused(refusal) => refusal.fmt(f),
            Self::NoFile { path, kind } => write!(
                f,
                "`{}` is {kind}, and runs are kept in a file",
                path.display()
            ),
            Self::Network { path, system } => write!(
                f,
                "`{}` is on a network file system ({system}), where two processes can write over each other: keep runs on a disk of this machine",
                path.display()
            ),
            Self::DamagedLog(path) => write!(
                f,
                "`{}` is damaged: what was written last cannot be read, and without it runs would do things again; put a copy in its place, or remove it to go on with what was there before",
                path.display()
            ),
            Self::DamagedEntry(what) => write!(
                f,
                "{what} is damaged: it is not what was written, and nothing is done with it"
            ),
            Self::Damaged { id, record } => write!(
                f,
                "record {record} of run `{id}` is not what was written, and nothing after it can be trusted"
            ),
            Self::Sealed(error) => write!(f, "the run has secrets: {error}"),
            Self::Locked(why) | Self::Database(why) => write!(f, "the store of runs: {why}"),
        }
    }
}
