//! The editor's open documents before the files on disk.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_source::{Disk, Files};

/// Open documents by absolute path.
#[derive(Debug, Default)]
pub struct Documents {
    open: HashMap<PathBuf, Arc<str>>,
}

impl Documents {
    /// The document has this text now.
    pub fn set(&mut self, path: PathBuf, text: Arc<str>) {
        self.open.insert(path, text);
    }

    /// The document is no longer open: the disk counts again.
    pub fn close(&mut self, path: &Path) {
        self.open.remove(path);
    }
}

impl Files for Documents {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        match self.open.get(&self.absolute(path)) {
            Some(text) => Ok(text.clone()),
            None => Disk.read(path),
        }
    }

    fn is_file(&self, path: &Path) -> bool {
        self.open.contains_key(&self.absolute(path)) || Disk.is_file(path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Disk.absolute(path)
    }
}
