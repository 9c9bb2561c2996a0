//! A permitted file or folder, held open from the start: moving it, or putting another or a link in its place, does not
//! redirect an access.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::place::Place;
use crate::{beneath, path};

/// What an entry of `fs.read` or `fs.write` names.
#[derive(Debug)]
pub(crate) struct Root {
    /// Absolute and without links, as it was found at the start.
    path: PathBuf,
    /// The nearest folder above that was there at the start.
    anchor: OwnedFd,
    /// The way from there to the root.
    names: Vec<OsString>,
    /// The root, if it is a folder. One that is not there yet, or not any more, is looked for by its way at each use.
    folder: Mutex<Option<Arc<OwnedFd>>>,
}

impl Root {
    pub(crate) fn pin(listed: &str) -> io::Result<Self> {
        let path = path::resolve(Path::new(listed))?;
        let mut names = beneath::names(&path);
        let mut anchor = beneath::top()?;
        let mut passed = 0;
        // The root itself is no anchor, so that it can be removed and made again.
        for name in names.iter().take(names.len().saturating_sub(1)) {
            let Ok(next) = beneath::enter(&anchor, name) else {
                break;
            };
            anchor = next;
            passed += 1;
        }
        let names = names.split_off(passed);
        let root = Self {
            anchor,
            names: names.into_iter().map(OsStr::to_owned).collect(),
            folder: Mutex::default(),
            path,
        };
        root.folder();
        Ok(root)
    }

    /// How many names its path has.
    pub(crate) fn depth(&self) -> usize {
        self.path.components().count()
    }

    /// Whether a resolved path is its or one beneath.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        path.starts_with(&self.path)
    }

    /// Where a resolved path beneath it leads.
    pub(crate) fn place(&self, path: &Path) -> io::Result<Place> {
        let mut names = self.rest(path);
        match (names.pop(), self.folder()) {
            (Some(name), Some(folder)) => {
                let folder = beneath::descend(&*folder, names)?;
                Ok(Place::within(Arc::new(folder), name))
            }
            // Says what is wrong with the root.
            (Some(_), None) => {
                let way = self.names.iter().map(OsString::as_os_str);
                Err(match beneath::descend(&self.anchor, way) {
                    Ok(_) => io::ErrorKind::NotFound.into(),
                    Err(error) => error,
                })
            }
            (None, Some(folder)) => Ok(Place::within(folder, ".")),
            (None, None) => self.entry(path),
        }
    }

    /// The place of a path where the root is a folder.
    pub(crate) fn folder_place(&self, path: &Path) -> io::Result<Place> {
        let folder = match self.folder() {
            Some(folder) => beneath::descend(&*folder, self.rest(path))?,
            None => beneath::descend(&self.anchor, self.whole(path))?,
        };
        Ok(Place::within(Arc::new(folder), "."))
    }

    /// The place as an entry of the folder that it is in, as which it can be removed.
    pub(crate) fn entry(&self, path: &Path) -> io::Result<Place> {
        if !self.rest(path).is_empty() {
            return self.place(path);
        }
        let Some((name, above)) = self.names.split_last() else {
            return self.folder_place(path);
        };
        let above = above.iter().map(OsString::as_os_str);
        let folder = beneath::descend(&self.anchor, above)?;
        Ok(Place::within(Arc::new(folder), name.clone()))
    }

    /// Makes a folder and those above it.
    pub(crate) fn make(&self, path: &Path) -> io::Result<()> {
        match self.folder() {
            Some(folder) => beneath::make(&*folder, self.rest(path)),
            None => beneath::make(&self.anchor, self.whole(path)),
        }
    }

    /// The root as an existing folder.
    fn folder(&self) -> Option<Arc<OwnedFd>> {
        // Nothing that can panic runs while the lock is held.
        let mut folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        let is_there = |it: &Arc<OwnedFd>| {
            // What was removed has no names left.
            rustix::fs::fstat(&**it).is_ok_and(|it| it.st_nlink > 0)
        };
        if !folder.as_ref().is_some_and(is_there) {
            let way = self.names.iter().map(OsString::as_os_str);
            // From the pinned anchor and without links, so what was made again is found and what was put in its place as a link is not.
            *folder = beneath::descend(&self.anchor, way).ok().map(Arc::new);
        }
        folder.clone()
    }

    /// The way to a path from the root.
    fn rest<'a>(&self, path: &'a Path) -> Vec<&'a OsStr> {
        let rest = path.strip_prefix(&self.path);
        beneath::names(rest.expect("only what the root covers is asked for"))
    }

    /// The names of the whole path, from the anchor.
    fn whole<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a OsStr> {
        let way = self.names.iter().map(OsString::as_os_str);
        way.chain(self.rest(path))
    }
}
