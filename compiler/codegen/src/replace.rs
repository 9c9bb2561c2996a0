//! Writes files: under its name one is complete or not there, an old one stays as it was until then, and nothing is left beside it.
//!
//! A file is never written in place, because a program may have mapped it: a host runs an image from its file. On Linux the new
//! file has no name until it is whole, so that nothing is left however the process ends.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The permissions of a file that did not exist before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// What the user's mask leaves.
    Usual,
    Private,
    /// All may run it; that holds for a file that was there as well.
    Executable,
}

/// Puts the bytes under a name in one step. What is no regular file, such as a pipe, is written to. What a crash of the whole
/// machine loses can be made again, so there is no wait for the disk.
///
/// # Errors
/// When it cannot be written; then there is no new file, and an old one is as it was.
pub fn replace(target: &Path, bytes: &[u8], access: Access) -> Result<()> {
    let mut draft = Draft::open(target, access)?;
    draft.file.write_all(bytes)?;
    draft.place()
}

/// A file that has not got its final name yet: dropping it removes it.
pub(crate) struct Draft {
    pub(crate) file: File,
    /// The name that it has until then, where files have to have one.
    beside: Option<PathBuf>,
    /// A link still leads to its file.
    target: PathBuf,
    kind: Kind,
    access: Access,
}

/// What is under the name so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing, or a file whose place is taken.
    File,
    /// What is written to when the draft is whole.
    Device,
}

impl Draft {
    pub(crate) fn open(target: &Path, access: Access) -> Result<Self> {
        let target = std::fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let before = std::fs::metadata(&target).ok();
        let kind = match &before {
            Some(it) if it.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Some(it) if !it.is_file() => Kind::Device,
            Some(_) | None => Kind::File,
        };
        // Replacing a file needs no permission to write to it, but a user who forbids writing means that too.
        let is_protected = kind == Kind::File
            && before
                .as_ref()
                .is_some_and(|it| it.permissions().readonly());
        if is_protected && access != Access::Executable {
            return Err(ErrorKind::PermissionDenied.into());
        }
        let near = match kind {
            Kind::File => target.clone(),
            Kind::Device => std::env::temp_dir().join("gsw"),
        };
        let permissions = permissions(before.map(|it| it.permissions()), access);
        let (file, beside) = match unnamed(&near, permissions.as_ref()) {
            Ok(file) => (file, None),
            Err(error) if is_unsupported(&error) => named(&near)?,
            Err(error) => return Err(error),
        };
        let draft = Self {
            file,
            beside,
            target,
            kind,
            access,
        };
        if let Some(permissions) = permissions {
            draft.file.set_permissions(permissions)?;
        }
        Ok(draft)
    }

    /// Renames the temporary file to its final name.
    pub(crate) fn place(mut self) -> Result<()> {
        if self.kind == Kind::Device {
            let mut device = OpenOptions::new().write(true).open(&self.target)?;
            return copy(&mut self.file, &mut device);
        }
        if self.beside.is_none() {
            match link(&self.file, &self.target) {
                Ok(()) => return Ok(()),
                // A name cannot be taken over by a link, so the file has another one for a moment.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let name = beside(&self.target)?;
                    link(&self.file, &name)?;
                    self.beside = Some(name);
                }
                // Without `/proc` it cannot be named at all.
                Err(error) if is_unsupported(&error) => {
                    let permissions = self.file.metadata()?.permissions();
                    let (mut file, name) = named(&self.target)?;
                    self.beside = name;
                    copy(&mut self.file, &mut file)?;
                    file.set_permissions(permissions)?;
                }
                Err(error) => return Err(error),
            }
        }
        let Some(name) = self.beside.take() else {
            unreachable!("a file without a name has been given one")
        };
        match self.access {
            Access::Executable => exchanged(&name, &self.target),
            Access::Usual | Access::Private => renamed(&name, &self.target),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(name) = &self.beside {
            // What kept it from being placed is the error to report.
            let _ = std::fs::remove_file(name);
        }
    }
}

/// All of one file to another.
fn copy(from: &mut File, to: &mut File) -> Result<()> {
    from.seek(SeekFrom::Start(0))?;
    std::io::copy(from, to).map(drop)
}

/// What a new file is given beyond what the user's mask leaves.
#[cfg(unix)]
fn permissions(before: Option<Permissions>, access: Access) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    match access {
        Access::Executable => Some(Permissions::from_mode(0o755)),
        Access::Private if before.is_none() => Some(Permissions::from_mode(0o600)),
        Access::Private | Access::Usual => before,
    }
}

#[cfg(not(unix))]
fn permissions(before: Option<Permissions>, _: Access) -> Option<Permissions> {
    before
}

/// A new file without a name in the folder of `target`.
#[cfg(target_os = "linux")]
fn unnamed(target: &Path, permissions: Option<&Permissions>) -> Result<File> {
    use rustix::fs::{Mode, OFlags, open};

    let folder = match target.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => return Err(ErrorKind::IsADirectory.into()),
    };
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    // No other user may read it before it has its permissions.
    let mode = match permissions {
        Some(_) => Mode::RUSR | Mode::WUSR,
        None => Mode::from_raw_mode(0o666),
    };
    Ok(File::from(open(folder, flags, mode)?))
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path, _: Option<&Permissions>) -> Result<File> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn link(file: &File, to: &Path) -> Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, CWD, linkat};

    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, &*own, CWD, to, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// As [`renamed`], for a large file that can be built again: ext4 begins to write out at once whatever takes the place of another
/// file, and a rename waits for that (17 ms for the 21 MB of a program), unless the two change places.
#[cfg(target_os = "linux")]
fn exchanged(beside: &Path, target: &Path) -> Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    match renameat_with(CWD, beside, CWD, target, RenameFlags::EXCHANGE) {
        Ok(()) => std::fs::remove_file(beside),
        // Not every file system can, and there may be nothing to change places with.
        Err(_) => renamed(beside, target),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchanged(beside: &Path, target: &Path) -> Result<()> {
    renamed(beside, target)
}

/// Whether the file system knows no files without a name.
#[cfg(target_os = "linux")]
fn is_unsupported(error: &Error) -> bool {
    use rustix::io::Errno;
    // Old kernels take the wish for one to open the folder itself; without `/proc` it cannot be named afterwards.
    let unsupported = [Errno::OPNOTSUPP, Errno::ISDIR, Errno::INVAL, Errno::NOENT];
    Errno::from_io_error(error).is_some_and(|it| unsupported.contains(&it))
}

#[cfg(not(target_os = "linux"))]
fn is_unsupported(error: &Error) -> bool {
    error.kind() == ErrorKind::Unsupported
}

/// A new file beside the target.
fn named(target: &Path) -> Result<(File, Option<PathBuf>)> {
    let beside = beside(target)?;
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .write(true)
        .create_new(true)
        .open(&beside)?;
    Ok((file, Some(beside)))
}

fn renamed(beside: &Path, target: &Path) -> Result<()> {
    let renamed = std::fs::rename(beside, target);
    if renamed.is_err() {
        // Nothing better is known than the error of the renaming.
        let _ = std::fs::remove_file(beside);
    }
    renamed
}

/// A name that no other process uses at the same time.
fn beside(target: &Path) -> Result<PathBuf> {
    let name = target
        .file_name()
        .ok_or_else(|| Error::new(ErrorKind::InvalidInput, "this is not the name of a file"))?;
    let mut beside = OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.part", std::process::id()));
    let beside = target.with_file_name(beside);
    // Left by a process of the same number that was killed.
    let _ = std::fs::remove_file(&beside);
    Ok(beside)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::path::{Path, PathBuf};

    use super::{Access, Draft, named, replace};

    fn fresh(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("gsw-replace-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the temporary folder can be written");
        folder
    }

    /// As on a file system that knows no files without a name.
    fn by_name(target: &Path, text: &str) -> std::io::Result<()> {
        let mut draft = Draft::open(target, Access::Usual)?;
        (draft.file, draft.beside) = named(target)?;
        draft.file.write_all(text.as_bytes())?;
        draft.place()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("it is there").flatten();
        let mut names: Vec<_> = entries
            .map(|it| it.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn who_has_the_old_file_open_keeps_it() {
        let folder = fresh("old");
        let file = folder.join("a");
        for write in [
            |file: &Path, text: &str| replace(file, text.as_bytes(), Access::Usual),
            |file: &Path, text: &str| by_name(file, text),
            |file: &Path, text: &str| replace(file, text.as_bytes(), Access::Executable),
        ] {
            write(&file, "old").expect("it can be written");
            let mut old = fs::File::open(&file).expect("it is there");
            write(&file, "new").expect("it can be written");
            let mut text = String::new();
            old.read_to_string(&mut text).expect("it can be read");
            assert_eq!(
                (text.as_str(), fs::read_to_string(&file).ok().as_deref()),
                ("old", Some("new"))
            );
            assert_eq!(names(&folder), ["a"]);
        }
        let mut dropped = Draft::open(&file, Access::Usual).expect("it can be written");
        (dropped.file, dropped.beside) = named(&file).expect("it can be written");
        assert_eq!(names(&folder).len(), 2);
        drop(dropped);
        assert_eq!(names(&folder), ["a"]);
        fs::remove_dir_all(folder).expect("it is there");
    }

    #[cfg(unix)]
    #[test]
    fn links_permissions_and_devices_stay_what_they_are() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = fresh("kinds");
        let (file, link) = (folder.join("a"), folder.join("b"));
        let mode = |file: &Path| {
            fs::metadata(file)
                .map(|it| it.permissions().mode() & 0o777)
                .ok()
        };
        replace(&file, b"1", Access::Private).expect("it can be written");
        symlink("a", &link).expect("a link can be made");
        replace(&link, b"2", Access::Usual).expect("it can be written");
        assert_eq!(
            (fs::read(&file).ok(), mode(&file)),
            (Some(b"2".to_vec()), Some(0o600))
        );
        assert!(fs::symlink_metadata(&link).is_ok_and(|it| it.is_symlink()));
        replace(&file, b"3", Access::Executable).expect("it can be written");
        assert_eq!(mode(&file), Some(0o755));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("it is ours");
        assert!(replace(&file, b"3", Access::Usual).is_err());
        replace(Path::new("/dev/null"), b"4", Access::Usual).expect("it takes everything");
        assert!(replace(&folder, b"5", Access::Usual).is_err());
        assert!(replace(&folder.join("no/a"), b"6", Access::Usual).is_err());
        assert_eq!(names(&folder), ["a", "b"]);
        fs::remove_dir_all(folder).expect("it is there");
    }
}
