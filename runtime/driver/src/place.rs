//! Where an operation on files works: a name in a folder.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use gsw_journal::open_file::{self, FileId};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, RawMode, Stat};

/// Permissions of a new file, before the process's mask.
const FILE: RawMode = 0o666;

/// A name in a folder. The file, or nothing yet, that has it is what an operation is on.
#[derive(Debug)]
pub(crate) struct Place {
    /// The one in which the process runs when there is none.
    folder: Option<Arc<OwnedFd>>,
    /// A path, where links may be followed.
    name: OsString,
    links: Links,
}

/// What happens to links on the way from the folder to the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Links {
    Followed,
    Refused,
}

impl Place {
    pub(crate) fn anywhere(path: impl Into<OsString>) -> Self {
        Self {
            folder: None,
            name: path.into(),
            links: Links::Followed,
        }
    }

    /// What has a name, which is no path, in a folder; a link of that name is refused.
    pub(crate) fn within(folder: Arc<OwnedFd>, name: impl Into<OsString>) -> Self {
        Self {
            folder: Some(folder),
            name: name.into(),
            links: Links::Refused,
        }
    }

    /// Another name in the same folder.
    pub(crate) fn beside(&self, name: impl AsRef<Path>) -> Self {
        Self {
            folder: self.folder.clone(),
            name: Path::new(&self.name).with_file_name(name.as_ref()).into(),
            links: Links::Refused,
        }
    }

    /// The last part of the name.
    pub(crate) fn file_name(&self) -> &str {
        let name = Path::new(&self.name).file_name();
        name.and_then(|it| it.to_str()).unwrap_or_default()
    }

    pub(crate) fn open(&self, flags: OFlags) -> io::Result<File> {
        self.refuse_open_database(|| self.known_through_links())?;
        let mut flags = flags | OFlags::CLOEXEC | OFlags::NOCTTY;
        if self.links == Links::Refused {
            flags |= OFlags::NOFOLLOW;
        }
        let mode = Mode::from_raw_mode(FILE);
        Ok(rustix::fs::openat(self.folder(), &*self.name, flags, mode)?.into())
    }

    pub(crate) fn entries(&self) -> io::Result<Dir> {
        let folder = self.open(OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(Dir::new(OwnedFd::from(folder))?)
    }

    /// The folder that has the name, as something that can be synced.
    pub(crate) fn open_folder(&self) -> io::Result<File> {
        let folder = match &self.folder {
            Some(_) => Path::new("."),
            None => match Path::new(&self.name).parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                Some(_) | None => Path::new("."),
            },
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(self.folder(), folder, flags, Mode::empty())?.into())
    }

    /// The metadata of the file; `None` when there is none.
    pub(crate) fn known(&self) -> io::Result<Option<Stat>> {
        self.stat(AtFlags::SYMLINK_NOFOLLOW)
    }

    /// Like [`Self::known`], at the end of a link where links are followed.
    pub(crate) fn known_through_links(&self) -> io::Result<Option<Stat>> {
        self.stat(match self.links {
            Links::Followed => AtFlags::empty(),
            Links::Refused => AtFlags::SYMLINK_NOFOLLOW,
        })
    }

    pub(crate) fn rename_to(&self, other: &Self) -> io::Result<()> {
        other.refuse_open_database(|| other.known())?;
        let (from, to) = (self.folder(), other.folder());
        Ok(rustix::fs::renameat(from, &*self.name, to, &*other.name)?)
    }

    pub(crate) fn unlink(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(
            self.folder(),
            &*self.name,
            AtFlags::empty(),
        )?)
    }

    /// Removes a file, a link or an empty folder.
    pub(crate) fn remove(&self) -> io::Result<()> {
        self.refuse_open_database(|| self.known())?;
        let flags = match self.known()?.map(|it| kind(&it)) {
            Some(FileType::Directory) => AtFlags::REMOVEDIR,
            _ => AtFlags::empty(),
        };
        Ok(rustix::fs::unlinkat(self.folder(), &*self.name, flags)?)
    }

    /// Refuses a database that this process has open: to close a file releases the locks that the database has on it.
    fn refuse_open_database(
        &self,
        known: impl FnOnce() -> io::Result<Option<Stat>>,
    ) -> io::Result<()> {
        // A file without readable metadata cannot be opened either, and opening it reports why.
        let file = || known().ok().flatten().map(|it| id_of(&it));
        match open_file::is_open(file) {
            true => Err(io::Error::other(
                "this process keeps its runs or answers of models in it, and no program may use it",
            )),
            false => Ok(()),
        }
    }

    fn stat(&self, flags: AtFlags) -> io::Result<Option<Stat>> {
        match rustix::fs::statat(self.folder(), &*self.name, flags) {
            Ok(known) => Ok(Some(known)),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_ref().map_or(CWD, |it| it.as_fd())
    }
}

#[expect(
    clippy::unnecessary_cast,
    reason = "other systems have other types for them"
)]
fn id_of(known: &Stat) -> FileId {
    FileId {
        device: known.st_dev as u64,
        inode: known.st_ino as u64,
    }
}

pub(crate) fn kind(known: &Stat) -> FileType {
    FileType::from_raw_mode(known.st_mode)
}
