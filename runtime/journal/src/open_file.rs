//! The database files that this process has open.
//!
//! A system of POSIX releases all locks of a process on a file when the process closes any descriptor of that file. A database
//! that has lost its locks so is unused in the eyes of the next process, which removes its log while we continue writing into
//! it. So whoever opens files for a program asks here first ([`is_open`]), and whoever writes looks whether its files are still
//! those that have the names (`OpenFile::is_there`).

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::file::beside;

/// The log of a database and the index of the log, beside it.
const LOG: &str = "-wal";
const INDEX: &str = "-shm";

/// Which file something is, whatever its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FileId {
    pub device: u64,
    pub inode: u64,
}

impl FileId {
    /// `None` where files have no numbers.
    #[cfg(unix)]
    fn in_metadata(found: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self {
            device: found.dev(),
            inode: found.ino(),
        })
    }

    #[cfg(not(unix))]
    fn in_metadata(_found: &Metadata) -> Option<Self> {
        None
    }
}

/// A database that this process has open, from before its file is opened until after it is closed.
#[derive(Debug)]
pub struct OpenFile {
    database: Arc<Database>,
    /// `None` before anything was read, and where files have no numbers.
    log: Option<FileId>,
}

#[derive(Debug)]
struct Database {
    path: PathBuf,
    file: Option<FileId>,
}

static OPEN: Mutex<Vec<Arc<Database>>> = Mutex::new(Vec::new());

impl OpenFile {
    /// Says that the database of this path is about to be opened.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        let database = Arc::new(Database {
            // Another working folder later changes nothing.
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            file: id_of(path),
        });
        open().push(Arc::clone(&database));
        Self {
            database,
            log: None,
        }
    }

    /// Notes which file the log is, when the database has opened it: with the first transaction.
    pub(crate) fn note_log(&mut self) {
        self.log = id_of(&beside(&self.database.path, LOG));
    }

    /// Whether what is written can be found again: the file and its log are still those of their names.
    pub(crate) fn is_there(&self) -> bool {
        let path = &self.database.path;
        let is_file = match self.database.file {
            Some(file) => id_of(path) == Some(file),
            None => path.exists(),
        };
        is_file && (self.log.is_none() || id_of(&beside(path, LOG)) == self.log)
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        open().retain(|it| !Arc::ptr_eq(it, &self.database));
    }
}

/// Whether this is a database that the process has open, or a part of one. `file` is called only where there are any.
pub fn is_open(file: impl FnOnce() -> Option<FileId>) -> bool {
    let open = open().clone();
    if open.is_empty() {
        return false;
    }
    let Some(file) = file() else {
        return false;
    };
    let is_part = |it: &Arc<Database>| {
        let mut parts = ["", LOG, INDEX].into_iter();
        it.file == Some(file) || parts.any(|end| id_of(&beside(&it.path, end)) == Some(file))
    };
    open.iter().any(is_part)
}

fn open() -> MutexGuard<'static, Vec<Arc<Database>>> {
    // Nothing that can panic runs while the lock is held.
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn id_of(path: &Path) -> Option<FileId> {
    FileId::in_metadata(&std::fs::metadata(path).ok()?)
}
