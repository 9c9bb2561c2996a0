//! All that the server knows: the open documents, and the workspaces that they and the folders of the editor belong to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_source::{Database, Disk, File, Files, INSTRUCTIONS};
use salsa::Durability;
use tower_lsp::ls_types as lsp;

use crate::checks::Checks;
use crate::documents::{Document, Documents, on_disk, small};
use crate::library;
use crate::markup::Format;
use crate::position::Encoding;
use crate::semantic_tokens::SemanticTokens;
use crate::workspace::{EDITED, ON_DISK, Reach, Workspace, home, is_source};

#[derive(Default)]
pub struct State {
    pub settings: Settings,
    pub documents: Documents,
    pub workspaces: Vec<Workspace>,
    pub checks: Checks,
    pub semantic_tokens: SemanticTokens,
    /// What a setting `model` can name.
    pub models: Vec<gsw_ide::Model>,
}

/// What client and server have agreed on.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub encoding: Encoding,
    pub folders: Vec<PathBuf>,
    pub reporting: Reporting,
    pub hints: Hints,
    pub support: Support,
}

/// How diagnostics get to the client.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reporting {
    /// The server publishes them.
    #[default]
    Push,
    /// The client asks for them.
    Pull,
}

/// Which inlay hints are shown, as the user has set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hints {
    pub types: Shown,
    pub parameters: Shown,
    pub errors: Shown,
    pub calls: Shown,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shown {
    #[default]
    Yes,
    No,
}

impl Default for Hints {
    fn default() -> Self {
        Self {
            types: Shown::Yes,
            parameters: Shown::Yes,
            errors: Shown::Yes,
            calls: Shown::Yes,
        }
    }
}

/// What the client can do beyond the least.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Support {
    /// Snippets in completions.
    pub snippets: Ability,
    /// How it shows what a hover or a hint says, the docs of a completion and those of a call.
    pub hovers: Format,
    pub docs: Format,
    pub signatures: Format,
    /// Symbols of a document in one another.
    pub nested_symbols: Ability,
    /// Completions that take the place of the rest of a word, if the user wants them to.
    pub replacing: Ability,
    /// Registering for changes of files on disk.
    pub watching: Ability,
    /// Answers that were given and are out of date: which kinds it asks for again.
    pub refresh: Refresh,
    /// Being asked for the settings of the user.
    pub configuration: Ability,
    /// Edits of certain versions of documents.
    pub versioned_edits: Ability,
    /// Edits that rename files.
    pub renaming: Ability,
    /// Showing how far something is.
    pub progress: Ability,
    /// Code actions that say what they change, instead of commands.
    pub action_literals: Ability,
}

/// What a client can refresh: it asks again when the server says that the answers are out of date.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Refresh {
    pub diagnostics: Ability,
    pub hints: Ability,
    pub tokens: Ability,
    pub lenses: Ability,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ability {
    #[default]
    Lacking,
    Present,
}

impl From<Option<bool>> for Ability {
    fn from(said: Option<bool>) -> Self {
        match said {
            Some(true) => Self::Present,
            Some(false) | None => Self::Lacking,
        }
    }
}

/// Whether something in the workspaces is another than before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Concern {
    Something,
    Nothing,
}

/// A file in its workspace, with what is needed to speak of it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub state: &'a State,
    pub db: &'a Database,
    pub file: File,
}

impl State {
    pub fn open(&mut self, uri: lsp::Uri, version: i32, text: String) {
        let Some(path) = self.path(&uri) else { return };
        let text: Arc<str> = text.into();
        let document = Document { uri, version, text };
        if let Some((own, other)) = self.displaced(&path, &document) {
            self.documents.close(&path);
            self.enter(own, other);
        }
        self.enter(path, document);
    }

    /// Takes a document under its path.
    fn enter(&mut self, path: PathBuf, document: Document) {
        let text = document.text.clone();
        self.documents.open(path.clone(), document);
        if library::module_of(&path).is_some() {
            return;
        }
        self.take(&path, text);
        self.checks.schedule(&path);
    }

    /// A document has this text now; one that is too large is in no workspace.
    fn take(&mut self, path: &Path, text: Arc<str>) {
        match small(text) {
            Ok(text) => {
                self.hold(path);
                self.set(path, &text, EDITED);
            }
            Err(_) => self.remove(path),
        }
    }

    pub fn change(
        &mut self,
        document: &lsp::VersionedTextDocumentIdentifier,
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
    ) {
        let Some(path) = self.path(&document.uri) else {
            return;
        };
        let (version, encoding) = (document.version, self.settings.encoding);
        let text = self.documents.change(&path, version, encoding, changes);
        if let Some(text) = text
            && library::module_of(&path).is_none()
        {
            self.take(&path, text);
            self.checks.schedule(&path);
        }
    }

    /// The document is closed: what is on disk counts again.
    pub fn close(&mut self, uri: &lsp::Uri) {
        let Some(path) = self.path(uri) else { return };
        let Some(document) = self.documents.close(&path) else {
            return;
        };
        for workspace in &mut self.workspaces {
            if let Some(file) = workspace.file(&path) {
                workspace.release(file);
            }
        }
        match on_disk(&path) {
            Ok(text) => self.set(&path, &text, ON_DISK),
            Err(_) => self.remove(&path),
        }
        self.semantic_tokens.forget(&path);
        self.checks.close(&path, document.uri);
    }

    /// Sees to it that a workspace holds the file.
    fn hold(&mut self, path: &Path) {
        if self.workspaces.iter().any(|it| it.file(path).is_some()) {
            return;
        }
        let (root, reach) = home(path, &self.settings.folders, &self.documents);
        let known = self.workspaces.iter_mut().find(|it| it.root == root);
        if let Some(workspace) = known {
            workspace.add_open(path, &self.documents);
            workspace.follow(&self.documents);
        } else if is_source(path) {
            self.open_workspace(root, reach, path);
        } else if let Some(first) = crate::folder::sources(&root).first() {
            // A `gsw.toml`, say, that is opened before any file of its project.
            self.open_workspace(root, reach, first);
        }
    }

    fn open_workspace(&mut self, root: PathBuf, reach: Reach, path: &Path) {
        let opened = Workspace::open(root, reach, path, &self.documents);
        self.workspaces.extend(opened);
        // Its imports are not followed yet.
        self.checks.begin_again();
    }

    /// Reads the folders that the editor has open, so that all of their files are checked and found.
    pub fn load_folders(&mut self) {
        for folder in self.settings.folders.clone() {
            if self.workspaces.iter().any(|it| it.root == folder) {
                continue;
            }
            if let Some(first) = crate::folder::sources(&folder).first() {
                self.open_workspace(folder, Reach::Folder, first);
            }
        }
        self.checks.schedule_all();
    }

    pub fn change_folders(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        self.settings.folders.retain(|it| !removed.contains(it));
        self.add_folders(added);
        self.afresh();
    }

    fn set(&mut self, path: &Path, text: &Arc<str>, durability: Durability) {
        for workspace in &mut self.workspaces {
            if let Some(file) = workspace.file(path) {
                workspace.set(file, text.clone(), durability, &self.documents);
            }
        }
    }

    fn remove(&mut self, path: &Path) {
        for workspace in &mut self.workspaces {
            workspace.remove(path, &self.documents);
        }
    }

    /// Files and folders on disk were created, changed or deleted outside of the editor.
    pub fn changed_on_disk(&mut self, paths: &[PathBuf]) -> Concern {
        // It says which files belong together, also one that is open: it may just have been made.
        if paths.iter().any(|it| self.is_about_projects(it)) {
            self.afresh();
            return Concern::Something;
        }
        let mut closed: BTreeSet<PathBuf> = BTreeSet::new();
        for path in paths {
            match is_source(path) {
                true => drop(closed.insert(path.clone())),
                // Editors report a folder that is moved or deleted, and nothing of what is in it.
                false => {
                    closed.extend(self.held_below(path));
                    if self.workspaces.iter().any(|it| it.reaches_into(path)) {
                        closed.extend(crate::folder::sources(path));
                    }
                }
            }
        }
        closed.retain(|it| self.documents.get(it).is_none());
        let closed: Vec<PathBuf> = closed.into_iter().collect();
        if closed.is_empty() {
            return Concern::Nothing;
        }
        self.read_again(&closed);
        self.find_on_disk(&closed);
        Concern::Something
    }

    /// Whether a file or folder on disk decides what a project is.
    fn is_about_projects(&self, path: &Path) -> bool {
        let is_instructions = path.ends_with(INSTRUCTIONS);
        path.ends_with(gsw_project::CONFIGURATION)
            || path.join(gsw_project::CONFIGURATION).is_file()
            || self.workspaces.iter().any(|it| {
                it.root.starts_with(path)
                    || is_instructions && it.has_skills()
                    || !is_source(path) && it.file(path).is_some()
            })
    }

    /// The files of workspaces that are in a folder, which may be gone.
    fn held_below(&self, folder: &Path) -> Vec<PathBuf> {
        let held = self.held();
        held.filter(|it| it.starts_with(folder)).collect()
    }

    fn held(&self) -> impl Iterator<Item = PathBuf> {
        self.workspaces.iter().flat_map(|it| {
            let own = it.own_files().into_iter();
            own.map(|file| file.path(&it.db).clone())
        })
    }

    /// Adds those of these files that belong to a workspace, and what imports lead to by now.
    fn find_on_disk(&mut self, paths: &[PathBuf]) {
        for workspace in &mut self.workspaces {
            workspace.add(paths, &self.documents);
            workspace.follow(&self.documents);
        }
    }

    /// Reads again what may have changed without notice: all that is not open.
    pub fn look_at_disk(&mut self) {
        let mut workspaces = self.workspaces.iter();
        if workspaces.any(|it| it.is_outdated(&self.documents)) {
            self.afresh();
            return;
        }
        let closed: Vec<PathBuf> = self
            .held()
            .filter(|it| self.documents.get(it).is_none())
            .collect();
        self.read_again(&closed);
        let roots: Vec<PathBuf> = self.workspaces.iter().map(|it| it.root.clone()).collect();
        for root in roots {
            self.find_on_disk(&crate::folder::sources(&root));
        }
    }

    /// Puts the texts on disk in the place of what is known of these files; those that are gone are taken out.
    fn read_again(&mut self, paths: &[PathBuf]) {
        for path in paths {
            if self.workspaces.iter().all(|it| it.file(path).is_none()) {
                continue;
            }
            let text = on_disk(path);
            for workspace in &mut self.workspaces {
                match (workspace.file(path), &text) {
                    (Some(file), Ok(text)) => workspace.put(file, text.clone()),
                    (Some(_), Err(_)) => workspace.remove(path, &self.documents),
                    (None, _) => {}
                }
            }
        }
        self.checks.schedule_all();
    }

    /// Forgets everything but the documents and what was agreed, and reads it anew.
    pub fn afresh(&mut self) {
        self.workspaces.clear();
        self.checks.begin_again();
        let open: Vec<(PathBuf, Arc<str>)> = self
            .documents
            .iter()
            .map(|(path, it)| (path.clone(), it.text.clone()))
            .collect();
        for (path, text) in open {
            if library::module_of(&path).is_none() {
                self.take(&path, text);
            }
        }
        self.load_folders();
    }

    /// The source at an address, in the workspace that it belongs to. A `gsw.toml` has reports, and is nothing to ask about.
    pub fn view(&self, uri: &lsp::Uri) -> Option<View<'_>> {
        let path = self.path(uri).filter(|it| is_source(it))?;
        self.view_of(&path)
    }

    pub fn view_of(&self, path: &Path) -> Option<View<'_>> {
        let (workspace, file) = self.locate(path)?;
        Some(self.view_in(workspace, file))
    }

    /// A file of the workspace with that number.
    pub fn view_in(&self, workspace: usize, file: File) -> View<'_> {
        View {
            state: self,
            db: &self.workspaces[workspace].db,
            file,
        }
    }

    /// The number of the workspace that a file belongs to.
    pub fn locate(&self, path: &Path) -> Option<(usize, File)> {
        if let Some(module) = library::module_of(path) {
            let workspace = self.workspaces.first()?;
            return Some((0, gsw_ide::library_file(&workspace.db, &module)?));
        }
        let numbered = self.workspaces.iter().enumerate();
        let holding = numbered.filter_map(|(index, it)| Some((index, it, it.file(path)?)));
        // A file that several import belongs to the one whose folder is nearest.
        let nearest = holding.max_by_key(|(_, it, _)| {
            let depth = it.root.components().count();
            (path.starts_with(&it.root), depth)
        });
        nearest.map(|(index, _, file)| (index, file))
    }

    /// A place in a document as a workspace, a file of it and a byte, for questions that need the database to themselves. The library
    /// is not written, so nothing is asked there.
    pub fn place(&self, place: &lsp::TextDocumentPositionParams) -> Option<(usize, File, u32)> {
        let path = self.path(&place.text_document.uri)?;
        if library::module_of(&path).is_some() || !is_source(&path) {
            return None;
        }
        let (workspace, file) = self.locate(&path)?;
        let offset = self.view_in(workspace, file).offset(place.position);
        Some((workspace, file, offset))
    }

    /// The address of a file, as the client spells it where it has it open.
    pub fn uri(&self, path: &Path) -> Option<lsp::Uri> {
        if let Some(document) = self.documents.get(path) {
            return Some(document.uri.clone());
        }
        if path.starts_with("std") {
            return lsp::Uri::from_file_path(library::copy_of(path)?);
        }
        lsp::Uri::from_file_path(Disk.absolute(path))
    }

    /// The address of an existing file or folder; `None` where there is none yet.
    pub fn uri_of_existing(&self, path: &Path) -> Option<lsp::Uri> {
        let uri = self.uri(path)?;
        let is_there = self.documents.get(path).is_some() || uri.to_file_path()?.exists();
        is_there.then_some(uri)
    }
}
