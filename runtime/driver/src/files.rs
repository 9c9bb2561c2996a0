//! Operations on files, performed where blocking is no harm: within bounds, and so that they can be given up.

mod read;
pub(crate) mod sync;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use gsw_engine::operation::{Failure, Outcome, Request};

use crate::allowance::{Allowance, Full};
use crate::glob::{self, Admits, Glob};
use crate::place::Place;
use crate::pool::{Aside, Pool};
use crate::root::Root;
use crate::work::{Work, given_up};

/// What an operation on files is done with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileWork<'a> {
    /// By which it is given up.
    pub(crate) work: &'a Work,
    /// What it reads must fit in here.
    pub(crate) allowance: &'a Allowance,
    /// The pool to which the calling thread belongs.
    pub(crate) pool: Option<&'a Pool>,
}

impl<'a> FileWork<'a> {
    /// An error when the work is not needed any more; asked between portions.
    pub(crate) fn check(&self) -> Result<(), Trouble> {
        if self.work.is_abandoned() {
            return Err(Trouble::GivenUp);
        }
        Ok(())
    }

    /// From here on the work counts as done; an error when it is not needed any more.
    fn commit(&self) -> Result<(), Trouble> {
        if self.work.commit() {
            Ok(())
        } else {
            Err(Trouble::GivenUp)
        }
    }

    /// Before the thread waits for something that may never come.
    fn step_aside(&self) -> Option<Aside<'a>> {
        self.pool.and_then(Pool::step_aside)
    }
}

#[derive(Debug)]
pub(super) enum Trouble {
    System(io::Error),
    /// There is more than fits into memory.
    TooLarge,
    GivenUp,
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::OutOfMemory {
            Self::TooLarge
        } else {
            Self::System(error)
        }
    }
}

impl From<rustix::io::Errno> for Trouble {
    fn from(error: rustix::io::Errno) -> Self {
        Self::System(error.into())
    }
}

impl From<Full> for Trouble {
    fn from(Full: Full) -> Self {
        Self::TooLarge
    }
}

/// What is done at a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action<'a> {
    Read,
    ReadBytes,
    Write(&'a [u8]),
    Append(&'a [u8]),
    Exists,
    List,
    Remove,
    MakeFolder,
}

/// What a request wants of files.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    At { path: &'a str, action: Action<'a> },
    Search { pattern: &'a str },
}

/// What is done with what is at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Read,
    Write,
}

impl<'a> Wanted<'a> {
    /// `None` when a request is not about files.
    pub(crate) fn of(request: &'a Request) -> Option<Self> {
        let (path, action) = match request {
            Request::FsGlob { pattern } => return Some(Self::Search { pattern }),
            Request::FsRead { path } => (path, Action::Read),
            Request::FsReadBytes { path } => (path, Action::ReadBytes),
            Request::FsWrite { path, text } => (path, Action::Write(text.as_bytes())),
            Request::FsWriteBytes { path, bytes } => (path, Action::Write(bytes)),
            Request::FsAppend { path, text } => (path, Action::Append(text.as_bytes())),
            Request::FsExists { path } => (path, Action::Exists),
            Request::FsList { path } => (path, Action::List),
            Request::FsRemove { path } => (path, Action::Remove),
            Request::FsMakeDir { path } => (path, Action::MakeFolder),
            Request::Sleep { .. }
            | Request::Now
            | Request::Random
            | Request::RandomInt { .. }
            | Request::Uuid
            | Request::EnvGet { .. }
            | Request::MediaUrl { .. }
            | Request::Model { .. }
            | Request::Piece { .. }
            | Request::Scripted { .. }
            | Request::Mocked { .. }
            | Request::LookUp { .. }
            | Request::Keep { .. }
            | Request::StartRun { .. }
            | Request::Exec { .. }
            | Request::Http { .. }
            | Request::Mcp { .. }
            | Request::Compile { .. }
            | Request::Host { .. }
            | Request::Human { .. }
            | Request::External { .. }
            | Request::OtherRun { .. } => return None,
        };
        Some(Self::At { path, action })
    }
}

impl Action<'_> {
    pub(crate) fn access(self) -> Access {
        match self {
            Self::Read | Self::ReadBytes | Self::Exists | Self::List => Access::Read,
            Self::Write(_) | Self::Append(_) | Self::Remove | Self::MakeFolder => Access::Write,
        }
    }
}

#[derive(Debug)]
pub(super) enum Target<'a> {
    Anywhere(&'a str),
    Beneath {
        root: &'a Root,
        path: PathBuf,
        /// Whether it was written as a folder, with a `/` at its end.
        is_folder: bool,
    },
}

impl Target<'_> {
    fn place(&self) -> io::Result<Place> {
        match self {
            Self::Anywhere(path) => Ok(Place::anywhere(path)),
            Self::Beneath {
                root,
                path,
                is_folder: true,
            } => root.folder_place(path),
            Self::Beneath { root, path, .. } => root.place(path),
        }
    }

    /// Like [`Self::place`], after missing folders above it are made, as far as they are permitted.
    fn place_to_write(&self) -> io::Result<Place> {
        match self {
            Self::Anywhere(path) => {
                let folder = Path::new(path).parent();
                if let Some(folder) =
                    folder.filter(|it| it.metadata().is_err_and(|it| is_missing(&it)))
                {
                    make_anywhere(folder)?;
                }
                self.place()
            }
            Self::Beneath {
                is_folder: true, ..
            } => self.place(),
            Self::Beneath { root, path, .. } => match (self.place(), path.parent()) {
                (Err(ref error), Some(folder)) if is_missing(error) && root.covers(folder) => {
                    root.make(folder)?;
                    self.place()
                }
                (place, _) => place,
            },
        }
    }

    fn remove(&self) -> io::Result<Place> {
        match self {
            Self::Anywhere(path) => Ok(Place::anywhere(path)),
            Self::Beneath { root, path, .. } => root.entry(path),
        }
    }

    fn make_folder(&self) -> io::Result<()> {
        match self {
            Self::Anywhere(path) => make_anywhere(Path::new(path)),
            Self::Beneath { root, path, .. } => root.make(path),
        }
    }

    fn start(&self) -> io::Result<Place> {
        match self {
            Self::Anywhere(path) => Ok(Place::anywhere(path)),
            Self::Beneath { root, path, .. } => root.folder_place(path),
        }
    }
}

/// Makes the folders of a path that are missing. Where a run is recorded, those that have got a name are on the disk.
fn make_anywhere(path: &Path) -> io::Result<()> {
    let is_named = |it: &&Path| !it.as_os_str().is_empty();
    let missing: Vec<&Path> = path
        .ancestors()
        .filter(is_named)
        .take_while(|it| it.metadata().is_err_and(|it| is_missing(&it)))
        .collect();
    std::fs::create_dir_all(path)?;
    missing
        .iter()
        .try_for_each(|it| sync::folder_of(&Place::anywhere(*it)))
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// Performs an operation at `target`, which the program calls `path`.
pub(crate) fn perform(
    path: &str,
    action: Action<'_>,
    target: &Target<'_>,
    work: &FileWork<'_>,
) -> Outcome {
    attempt(action, target, work).unwrap_or_else(|trouble| outcome_of(path, trouble))
}

/// Performs a search whose fixed part leads to `start`.
pub(crate) fn search(
    pattern: &str,
    glob: &Glob,
    start: &Target<'_>,
    admits: Admits<'_>,
    work: &FileWork<'_>,
) -> Outcome {
    let found = if glob.has_wildcards() {
        let folder = start.start().map_err(Trouble::from);
        folder.and_then(|it| glob::search(glob, &it, admits, work))
    } else {
        let is_there = exists(start.place());
        // Nothing has no name.
        let is_there = is_there.map(|it| it && !glob.fixed().is_empty());
        is_there.map(|it| it.then(|| glob.fixed().to_owned()).into_iter().collect())
    };
    match found {
        Ok(found) => Outcome::Texts(found),
        Err(Trouble::System(error)) if glob::is_nothing_there(&error) => Outcome::Texts(Vec::new()),
        Err(trouble) => outcome_of(pattern, trouble),
    }
}

fn attempt(
    action: Action<'_>,
    target: &Target<'_>,
    work: &FileWork<'_>,
) -> Result<Outcome, Trouble> {
    work.check()?;
    Ok(match action {
        Action::Read => {
            let text = String::from_utf8(read::read(&target.place()?, work)?);
            Outcome::Text(text.map_err(|_| {
                io::Error::other("it is not UTF-8 text; `fs.read_bytes` reads anything")
            })?)
        }
        Action::ReadBytes => Outcome::Bytes(read::read(&target.place()?, work)?),
        Action::Write(content) => {
            write::replace(&target.place_to_write()?, content, work)?;
            Outcome::Done
        }
        Action::Append(content) => {
            write::append(&target.place_to_write()?, content, work)?;
            Outcome::Done
        }
        Action::Exists => Outcome::Bool(exists(target.place())?),
        Action::List => Outcome::Texts(list(&target.place()?, work)?),
        Action::Remove => {
            let place = target.remove()?;
            work.commit()?;
            place.remove()?;
            sync::folder_of(&place)?;
            Outcome::Done
        }
        Action::MakeFolder => {
            work.commit()?;
            target.make_folder()?;
            // Also where it was there before: an attempt that was cut off may have made it.
            sync::folder_of(&target.start()?)?;
            Outcome::Done
        }
    })
}

/// Nothing is below a file; to ask for that is no mistake.
fn exists(place: io::Result<Place>) -> Result<bool, Trouble> {
    match place.and_then(|it| it.known_through_links()) {
        Ok(known) => Ok(known.is_some()),
        Err(error) if is_absence(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn list(place: &Place, work: &FileWork<'_>) -> Result<Vec<String>, Trouble> {
    let mut share = work.allowance.share();
    let mut names = Vec::new();
    for entry in place.entries()? {
        work.check()?;
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != "." && name != ".." {
            share.grow((name.len() + size_of::<String>()) as u64)?;
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// The outcome of failed work on a path.
pub(crate) fn outcome_of(path: &str, trouble: Trouble) -> Outcome {
    match trouble {
        Trouble::System(error) => Outcome::Failed(Failure::Io {
            path: Some(path.to_owned()),
            message: format!("{path}: {}", reason(&error)),
        }),
        Trouble::TooLarge => Outcome::Failed(Failure::TooLarge),
        Trouble::GivenUp => given_up(),
    }
}

/// What went wrong, without the system's number.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the system's kinds of errors are not ours, and grow"
)]
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "the operating system denies access".into(),
        io::ErrorKind::IsADirectory => "it is a folder".into(),
        io::ErrorKind::NotADirectory => "a part of the path is not a folder".into(),
        io::ErrorKind::DirectoryNotEmpty => "the folder is not empty".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
