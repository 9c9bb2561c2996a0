//! The way from a folder that is open to what is in it, without following a link: an attacker who puts one there gains
//! nothing.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, RawMode};

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

/// Like [`descend`], but makes the folders that are missing.
pub(crate) fn make<'a>(
    folder: impl AsFd,
    names: impl IntoIterator<Item = &'a OsStr>,
) -> io::Result<()> {
    let mut folder = folder.as_fd().try_clone_to_owned()?;
    for name in names {
        match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(FOLDER)) {
            // Whether it is one is seen on entering.
            Ok(()) | Err(rustix::io::Errno::EXIST) => folder = enter(&folder, name)?,
            // A read-only file system reports that before it checks whether the folder exists.
            Err(error) => folder = enter(&folder, name).map_err(|_| io::Error::from(error))?,
        }
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
