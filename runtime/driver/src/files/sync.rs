//! Puts what a run has changed on the disk before the run is told so: what a record says that was done must be there after a power
//! cut. Done by the thread that has changed it, so that many wait for the disk together and nobody else waits with them.

use std::fs::File;
use std::io::{self, ErrorKind};

use gsw_journal::recording;

use crate::place::Place;

pub(crate) fn file(changed: &File) -> io::Result<()> {
    if !recording::is_under_way() {
        return Ok(());
    }
    #[cfg(test)]
    seen::note(changed);
    match changed.sync_all() {
        // Some file systems have nothing to sync.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// The folder of a place, which has got or lost a name.
pub(crate) fn folder_of(place: &Place) -> io::Result<()> {
    if !recording::is_under_way() {
        return Ok(());
    }
    match place.open_folder() {
        Ok(folder) => file(&folder),
        // One that may not be read cannot be synced.
        Err(_) => Ok(()),
    }
}

/// What the thread of a test has synced.
#[cfg(test)]
pub(super) mod seen {
    use std::cell::RefCell;
    use std::fs::File;
    use std::os::unix::fs::MetadataExt;

    thread_local!(static SYNCED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) });

    pub(super) fn note(changed: &File) {
        let inode = changed.metadata().expect("it is open").ino();
        SYNCED.with_borrow_mut(|it| it.push(inode));
    }

    /// The inodes that were synced since the last time.
    pub(in crate::files) fn take() -> Vec<u64> {
        SYNCED.take()
    }
}
