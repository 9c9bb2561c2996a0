//! The way from a folder that is open to what is in it, without following a link: an attacker who puts one there gains
//! nothing.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, RawMode};

use crate::files::sync;
use crate::place::Place;

/// Permissions of a new folder, before the process's mask.
const FOLDER: RawMode = 0o777;

/// The top of all folders.
pub(crate) fn top() -> io::Result<OwnedFd> {
    Ok(rustix::fs::open("/", passing(), Mode::empty())?)
}

/// A folder by its name in another.
pub(crate) fn enter(folder: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    Ok(rustix::fs::openat(folder, name, passing(), Mode::empty())?)
}

/// The folder at the end of a way down, all of whose parts are names.
pub(crate) fn descend<'a>(
    folder: impl AsFd,
    names: impl IntoIterator<Item = &'a OsStr>,
) -> io::Result<OwnedFd> {
    let mut folder = folder.as_fd().try_clone_to_owned()?;
    // One name at a time with `NOFOLLOW`: a path as a whole would follow links in its middle.
    for name in names {
        folder = enter(&folder, name)?;
    }
    Ok(folder)
}

/// Like [`descend`], but makes the folders that are missing. Where a run is recorded, those that have got a name are on the disk.
pub(crate) fn make<'a>(
    folder: impl AsFd,
    names: impl IntoIterator<Item = &'a OsStr>,
) -> io::Result<()> {
    let mut folder = Arc::new(folder.as_fd().try_clone_to_owned()?);
    for name in names {
        let inner = match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(FOLDER)) {
            Ok(()) => {
                sync::folder_of(&Place::within(Arc::clone(&folder), name))?;
                enter(&folder, name)?
            }
            // Whether it is one is seen on entering.
            Err(rustix::io::Errno::EXIST) => enter(&folder, name)?,
            // A read-only file system reports that before it checks whether the folder exists.
            Err(error) => enter(&folder, name).map_err(|_| io::Error::from(error))?,
        };
        folder = Arc::new(inner);
    }
    Ok(())
}

/// The names of a path without links, `.` and `..`.
pub(crate) fn names(path: &Path) -> Vec<&OsStr> {
    let names = path.components().filter_map(|it| match it {
        Component::Normal(name) => Some(name),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    });
    names.collect()
}

/// How a folder is opened that is only passed through; users may do so who may not list it.
fn passing() -> OFlags {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    let flags = flags | OFlags::PATH;
    flags
}
