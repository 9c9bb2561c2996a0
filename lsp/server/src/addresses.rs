//! Addresses of documents and the paths that they stand for.

use std::path::{Path, PathBuf};

use gsw_source::normal;
use tower_lsp::ls_types as lsp;

use crate::documents::Document;
use crate::state::State;

/// Where documents that are not on disk have their paths. Nothing can be a file there, so they can import nothing.
const NOWHERE: &str = "/dev/null";
/// The scheme of documents that were never saved.
const UNSAVED: &str = "untitled";

/// The path of a document as its address spells it. Of one that is not on disk each address has a path of its own.
pub fn path(uri: &lsp::Uri) -> Option<PathBuf> {
    let path = uri.to_file_path()?.into_owned();
    if is_on_disk(uri) {
        return path.is_absolute().then(|| normal(&path));
    }
    let inside = path.strip_prefix("/").unwrap_or(&path);
    let mut own = Path::new(NOWHERE).join(uri.scheme().as_str());
    // Two versions of a file, say, differ in nothing else.
    let others = [
        uri.authority().map(|it| it.as_str()),
        uri.query().map(|it| it.as_str()),
    ];
    for other in others.into_iter().flatten() {
        own.push(other.replace('/', "%2F"));
    }
    Some(own.join(inside).with_extension("gsw"))
}

/// Whether a document is a file, which can be run.
pub fn is_on_disk(uri: &lsp::Uri) -> bool {
    uri.scheme().as_str() == "file"
}

/// Whether a path is that of a document which shows what is elsewhere, such as another version of a file: the modules beside it are not
/// known.
pub fn is_elsewhere(path: &Path) -> bool {
    let inside = path.strip_prefix(NOWHERE);
    inside.is_ok_and(|it| !it.starts_with(UNSAVED))
}

impl State {
    /// The path of a document as the workspaces spell it: a folder has one path, also where a client reaches it through a link.
    pub fn path(&self, uri: &lsp::Uri) -> Option<PathBuf> {
        let path = path(uri)?;
        if !is_on_disk(uri) || self.roots().any(|it| path.starts_with(it)) {
            return Some(path);
        }
        let Some(linked) = self.linked(&path) else {
            return Some(path);
        };
        // Two documents of one file stay two: each has edits of its own.
        let is_free = self.documents.get(&linked).is_none_or(|it| it.uri == *uri);
        Some(if is_free { linked } else { path })
    }

    /// The document of another address that has the path of this one, with the path that its own address spells.
    pub fn displaced(&self, path: &Path, by: &Document) -> Option<(PathBuf, Document)> {
        let other = self.documents.get(path).filter(|it| it.uri != by.uri)?;
        let own = self::path(&other.uri).filter(|it| it != path)?;
        Some((own, other.clone()))
    }

    /// The path of a file in one of the roots that is the same folder on disk.
    fn linked(&self, path: &Path) -> Option<PathBuf> {
        let name = path.file_name()?;
        let folder = path.parent()?.canonicalize().ok()?;
        self.roots().find_map(|root| {
            let inside = folder.strip_prefix(root.canonicalize().ok()?).ok()?;
            Some(root.join(inside).join(name))
        })
    }

    fn roots(&self) -> impl Iterator<Item = &PathBuf> {
        let workspaces = self.workspaces.iter().map(|it| &it.root);
        self.settings.folders.iter().chain(workspaces)
    }

    /// Adds folders that the client has opened, each once.
    pub fn add_folders(&mut self, added: Vec<PathBuf>) {
        for folder in added {
            let real = folder.canonicalize().ok();
            let mut known = self.settings.folders.iter();
            let is_known =
                known.any(|it| *it == folder || real.is_some() && it.canonicalize().ok() == real);
            if !is_known {
                self.settings.folders.push(folder);
            }
        }
    }
}
