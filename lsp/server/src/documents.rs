//! The editor's open documents before the files on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_source::{Disk, Files};
use tower_lsp::ls_types as lsp;

use crate::position::{Encoding, offset_in};

/// Open documents by absolute path.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    open: BTreeMap<PathBuf, Document>,
}

#[derive(Clone, Debug)]
pub struct Document {
    /// As the client spells it.
    pub uri: lsp::Uri,
    pub version: i32,
    pub text: Arc<str>,
}

impl Documents {
    pub fn open(&mut self, path: PathBuf, document: Document) {
        self.open.insert(path, document);
    }

    /// Applies changes, in order, to an open document, and returns its new text; `None` when it is not open.
    pub fn change(
        &mut self,
        path: &Path,
        version: i32,
        encoding: Encoding,
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
    ) -> Option<Arc<str>> {
        let document = self.open.get_mut(path)?;
        let mut text = document.text.to_string();
        for change in changes {
            match change.range {
                None => text = change.text,
                Some(range) => {
                    let start = offset_in(&text, encoding, range.start);
                    let end = offset_in(&text, encoding, range.end);
                    // A client that confuses the ends means what is between.
                    text.replace_range(start.min(end)..start.max(end), &change.text);
                }
            }
        }
        document.text = text.into();
        document.version = version;
        Some(document.text.clone())
    }

    /// The document is no longer open: the disk counts again.
    pub fn close(&mut self, path: &Path) -> Option<Document> {
        self.open.remove(path)
    }

    pub fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    /// All of them, in order of path.
    pub fn iter(&self) -> impl Iterator<Item = (&PathBuf, &Document)> {
        self.open.iter()
    }
}

/// The text of a file that is not open, as an editor counts in it: a mark of the byte order is no character of its first line.
pub fn on_disk(path: &Path) -> Result<Arc<str>, String> {
    let text = Disk.read(path)?;
    small(match text.strip_prefix('\u{feff}') {
        Some(after) => after.into(),
        None => text,
    })
}

/// The most bytes of a text that an editor waits for after each key: what is found out of a text takes a hundred times its memory. Other
/// language servers have the same limit.
const LARGEST: usize = 4 << 20;

/// A text, or that it is too large to be looked at.
///
/// # Errors
/// When it is: a sentence for the user, without the path.
pub fn small(text: Arc<str>) -> Result<Arc<str>, String> {
    let (size, most) = (text.len(), LARGEST);
    match size > most {
        true => Err(format!(
            "has {}.{} MB; in an editor, files of up to {} MB are checked",
            size >> 20,
            ((size & 0xf_ffff) * 10) >> 20,
            most >> 20
        )),
        false => Ok(text),
    }
}

impl Files for Documents {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        match self.open.get(&self.absolute(path)) {
            Some(document) => small(document.text.clone()),
            None => on_disk(path),
        }
    }

    fn below(&self, folder: &Path) -> Result<Vec<String>, String> {
        Disk.below(folder)
    }

    fn is_file(&self, path: &Path) -> bool {
        self.open.contains_key(&self.absolute(path)) || Disk.is_file(path)
    }

    fn exists(&self, path: &Path) -> bool {
        self.open.contains_key(&self.absolute(path)) || Disk.exists(path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Disk.absolute(path)
    }
}
