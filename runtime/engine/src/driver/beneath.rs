//! Work on files whose paths were resolved and permitted: every folder on the way is opened without following a link, and the
//! work is done in the last one. Who puts a link there after the check gains nothing.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use crate::driver::{clock, files};
use crate::operation::{Failure, Outcome, Request};

/// Permissions of a new file and folder, before the process's mask.
const FILE: u32 = 0o666;
const FOLDER: u32 = 0o777;

/// Performs a request whose path is absolute and without links, `.` and `..`.
pub(crate) fn perform(request: &Request) -> Outcome {
    let (path, result) = match request {
        Request::FsRead { path } => (path, read(path).and_then(files::text_of)),
        Request::FsReadBytes { path } => (path, read(path).map(Outcome::Bytes)),
        Request::FsWrite { path, text } => (path, write(path, text.as_bytes()).map(done)),
        Request::FsWriteBytes { path, bytes } => (path, write(path, bytes).map(done)),
        Request::FsAppend { path, text } => (path, append(path, text.as_bytes()).map(done)),
        Request::FsExists { path } => (path, exists(path).map(Outcome::Bool)),
        Request::FsList { path } => (path, list(path).map(Outcome::Texts)),
        Request::FsRemove { path } => (path, remove(path).map(done)),
        Request::FsMakeDir { path } => (path, make_folder(path).map(done)),
        other => {
            let message = format!("this is no operation on a file: {other:?}");
            return Outcome::Failed(Failure::Other { message });
        }
    };
    result.unwrap_or_else(|error| files::failed(path, &error))
}

fn done((): ()) -> Outcome {
    Outcome::Done
}

/// The folder that a path stands in, opened link-free, and the path's last name; `.` for the top.
fn parent(path: &str) -> io::Result<(OwnedFd, &str)> {
    let path = Path::new(path);
    let name = path.file_name().and_then(|it| it.to_str());
    match (path.parent(), name) {
        (Some(folder), Some(name)) => Ok((folder_at(folder)?, name)),
        _ => Ok((folder_at(Path::new("/"))?, ".")),
    }
}

fn folder_at(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = rustix::fs::open("/", flags, Mode::empty())?;
    for part in path.components() {
        if let Component::Normal(name) = part {
            folder = enter(&folder, name)?;
        }
    }
    Ok(folder)
}

fn enter(folder: &OwnedFd, name: &std::ffi::OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // A folder may be passed through by those who may not list it.
    #[cfg(target_os = "linux")]
    let flags = flags | OFlags::PATH;
    Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?)
}

fn open(path: &str, flags: OFlags) -> io::Result<File> {
    let (folder, name) = parent(path)?;
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(FILE as _))?;
    Ok(File::from(file))
}

fn read(path: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, OFlags::RDONLY)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn append(path: &str, content: &[u8]) -> io::Result<()> {
    open(path, OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE)?.write_all(content)
}

/// Writes beside and renames, so that nobody sees half of it; a device is written as it is.
fn write(path: &str, content: &[u8]) -> io::Result<()> {
    let (folder, name) = parent(path)?;
    let known = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).ok();
    let kind = known.map(|it| FileType::from_raw_mode(it.st_mode));
    match kind {
        None | Some(FileType::RegularFile) => {}
        Some(FileType::Directory) => return Err(io::ErrorKind::IsADirectory.into()),
        Some(_) => return open(path, OFlags::WRONLY)?.write_all(content),
    }
    let beside = format!("{name}.{:016x}.part", clock::random_word());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(&folder, &beside, flags, Mode::from_raw_mode(FILE as _))?;
    let written = File::from(file.as_fd().try_clone_to_owned()?)
        .write_all(content)
        .and_then(|()| {
            if let Some(known) = known {
                rustix::fs::fchmod(&file, Mode::from_raw_mode(known.st_mode))?;
            }
            Ok(rustix::fs::renameat(&folder, &beside, &folder, name)?)
        });
    if written.is_err() {
        // What stopped the writing is the error to report.
        let _ = rustix::fs::unlinkat(&folder, &beside, AtFlags::empty());
    }
    written
}

fn exists(path: &str) -> io::Result<bool> {
    let found = parent(path).and_then(|(folder, name)| {
        Ok(rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)
    });
    match found {
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(false),
            _ => Err(error),
        },
    }
}

fn list(path: &str) -> io::Result<Vec<String>> {
    let (folder, name) = parent(path)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(folder, name, flags, Mode::empty())?;
    let mut names = Vec::new();
    for entry in Dir::new(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != "." && name != ".." {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn remove(path: &str) -> io::Result<()> {
    let (folder, name) = parent(path)?;
    let known = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let flags = match FileType::from_raw_mode(known.st_mode) {
        FileType::Directory => AtFlags::REMOVEDIR,
        _ => AtFlags::empty(),
    };
    Ok(rustix::fs::unlinkat(folder, name, flags)?)
}

fn make_folder(path: &str) -> io::Result<()> {
    let mut folder = folder_at(Path::new("/"))?;
    for part in Path::new(path).components() {
        let Component::Normal(name) = part else {
            continue;
        };
        match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(FOLDER as _)) {
            Ok(()) => {}
            // Whether it is one is seen on entering.
            Err(_) if rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() => {}
            Err(error) => return Err(error.into()),
        }
        folder = enter(&folder, name)?;
    }
    Ok(())
}
