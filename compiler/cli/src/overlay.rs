//! Files of the disk as they were first read, with texts in memory in the place of some.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_source::{Disk, Files};

/// Files of the disk, some of them changed in memory.
#[derive(Default)]
pub struct Overlay {
    /// Every file that was read, and how; what could not be read may appear later.
    read: RefCell<BTreeMap<PathBuf, Result<Arc<str>, String>>>,
    changed: BTreeMap<PathBuf, String>,
}

impl Overlay {
    /// The text of a file that was read before.
    pub fn text(&self, path: &Path) -> Option<Arc<str>> {
        match self.changed.get(path) {
            Some(text) => Some(Arc::from(text.as_str())),
            None => self.original(path),
        }
    }

    /// The text of a file as first read from the disk.
    pub fn original(&self, path: &Path) -> Option<Arc<str>> {
        self.read.borrow().get(path)?.as_ref().ok().cloned()
    }

    /// Puts a text in the place of a file's; the file on the disk stays as it is.
    pub fn change(&mut self, path: PathBuf, text: String) {
        if self.original(&path).as_deref() == Some(text.as_str()) {
            self.changed.remove(&path);
        } else {
            self.changed.insert(path, text);
        }
    }

    /// The files whose text is another one in memory.
    pub const fn changed(&self) -> &BTreeMap<PathBuf, String> {
        &self.changed
    }

    /// Every file that was requested, including missing ones.
    pub fn asked(&self) -> Vec<PathBuf> {
        self.read.borrow().keys().cloned().collect()
    }
}

impl Files for Overlay {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        if let Some(text) = self.text(path) {
            return Ok(text);
        }
        let mut read = self.read.borrow_mut();
        let text = read
            .entry(path.to_owned())
            .or_insert_with(|| Disk.read(path));
        text.clone()
    }

    fn below(&self, folder: &Path) -> Result<Vec<String>, String> {
        Disk.below(folder)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Disk.absolute(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        Disk.is_file(path)
    }

    fn exists(&self, path: &Path) -> bool {
        Disk.exists(path)
    }
}
