//! A set of files that are compiled together, with a database of its own: a project with a `gsw.toml`, a folder that the editor has
//! open, or the folder of a file that belongs to neither.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_source::{Database, File, Files, Project, Retained};
use salsa::{Durability, Setter};

use crate::documents::Documents;
use crate::folder::{is_among_sources, sources};

pub struct Workspace {
    pub root: PathBuf,
    reach: Reach,
    pub db: Database,
    /// How many declarations each document had that was checked since it was opened.
    open: HashMap<File, usize>,
}

/// A document that is open: an edit of it leaves all alone that was found out without looking at an open one.
pub const EDITED: Durability = Durability::LOW;
/// A file that is not open, as the loader of projects has them.
pub const ON_DISK: Durability = Durability::MEDIUM;

/// Which files of its folder a workspace holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    Folder,
    /// Those that were opened, and what they import.
    Imports,
}

/// Where a file belongs that no workspace holds yet.
pub fn home(path: &Path, folders: &[PathBuf], files: &dyn Files) -> (PathBuf, Reach) {
    let parent = path.parent().unwrap_or(Path::new("/")).to_owned();
    let project = gsw_project::find_configuration(path, files);
    if let Some(folder) = project.as_deref().and_then(Path::parent) {
        return (folder.to_owned(), Reach::Folder);
    }
    let around = folders.iter().filter(|it| path.starts_with(it));
    match around.max_by_key(|it| it.as_os_str().len()) {
        Some(folder) => (folder.clone(), Reach::Folder),
        None => (parent, Reach::Imports),
    }
}

impl Workspace {
    /// Reads the workspace at `root` around one of its files; `None` when nothing there can be read.
    pub fn open(root: PathBuf, reach: Reach, file: &Path, files: &Documents) -> Option<Self> {
        let mut db = Database::default();
        let mut paths = match reach {
            Reach::Folder => sources(&root),
            Reach::Imports => Vec::new(),
        };
        if is_source(file) {
            paths.push(file.to_owned());
        }
        let first = entry(&root, file, &paths, files)?;
        match reach {
            // What is in the folder is there; where imports lead out of it is seen when a file is checked.
            Reach::Folder => drop(gsw_project::open_folder(&mut db, &first, &paths, files).ok()?),
            Reach::Imports => {
                gsw_project::open_project(&mut db, &first, files).ok()?;
                gsw_project::add_files(&mut db, &paths, files);
            }
        }
        let mut workspace = Self {
            root,
            reach,
            db,
            open: HashMap::new(),
        };
        workspace.enter();
        Some(workspace)
    }

    /// Makes the file that `gsw.toml` names the entry, where it is there.
    fn enter(&mut self) {
        if let Some(project) = Project::try_get(&self.db)
            && let Some(home) = project.home(&self.db).clone()
            && *project.entry(&self.db) != home
            && project.modules(&self.db).contains_key(&home)
        {
            project.set_entry(&mut self.db).to(home);
        }
    }

    /// Whether a file on disk belongs to it that is neither open nor imported.
    fn reaches(&self, path: &Path) -> bool {
        match self.reach {
            Reach::Folder => is_among_sources(&self.root, path),
            Reach::Imports => false,
        }
    }

    /// Whether the sources in a folder on disk belong to it.
    pub fn reaches_into(&self, folder: &Path) -> bool {
        self.reaches(&folder.join("any.gsw"))
    }

    /// Whether what it holds besides sources, or lacks, is otherwise on disk: the `gsw.toml` and what it names, and skills.
    pub fn is_outdated(&self, files: &Documents) -> bool {
        let Some(project) = Project::try_get(&self.db) else {
            return false;
        };
        let configuration = self.root.join(gsw_project::CONFIGURATION);
        if project.configuration(&self.db).is_none() && files.is_file(&configuration) {
            return true;
        }
        let folders = project.skills(&self.db).values().flatten();
        let in_skills = folders.flat_map(|it| it.values().copied().flatten());
        let mut held = self.beside().into_iter().chain(in_skills);
        held.any(|it| {
            let text = files.read(it.path(&self.db));
            text.as_ref() != Ok(it.text(&self.db))
        })
    }

    /// Whether it names folders of skills, found or not.
    pub fn has_skills(&self) -> bool {
        Project::try_get(&self.db).is_some_and(|it| !it.skills(&self.db).is_empty())
    }

    /// The `gsw.toml`, and the table of prices that it names.
    fn beside(&self) -> Vec<File> {
        let Some(project) = Project::try_get(&self.db) else {
            return Vec::new();
        };
        let named = [project.configuration(&self.db), project.prices(&self.db)];
        named.into_iter().flatten().collect()
    }

    pub fn file(&self, path: &Path) -> Option<File> {
        let project = Project::try_get(&self.db)?;
        let modules = project.modules(&self.db);
        let beside = self.beside();
        let key = gsw_project::module_key(path);
        modules
            .get(&key)
            .copied()
            .filter(|_| is_source(path))
            .or_else(|| beside.into_iter().find(|it| it.path(&self.db) == path))
    }

    /// The file, which is not open, has this text now.
    pub fn put(&mut self, file: File, text: Arc<str>) {
        if *file.text(&self.db) != text {
            file.set_text(&mut self.db)
                .with_durability(ON_DISK)
                .to(text);
        }
    }

    /// The file has this text now, and is edited or is not; what it imports, or names as a `gsw.toml`, is read.
    pub fn set(&mut self, file: File, text: Arc<str>, durability: Durability, files: &Documents) {
        file.set_text(&mut self.db)
            .with_durability(durability)
            .to(text);
        gsw_project::follow_imports(&mut self.db, file, files);
        self.enter();
    }

    /// What is known of the declarations of a document that was just checked stays while it is open: an edit asks for all of them.
    pub fn hold(&mut self, file: File) {
        let count = gsw_ide::count_items(&self.db, file);
        if self.open.insert(file, count) != Some(count) {
            let open = self.open_items();
            gsw_ide::hold(&mut self.db, open);
        }
    }

    /// The document is closed.
    pub fn release(&mut self, file: File) {
        self.open.remove(&file);
    }

    /// Releases what checks have left behind.
    pub fn let_go(&mut self, retained: Retained) {
        let open = self.open_items();
        gsw_ide::let_go(&mut self.db, retained, open);
    }

    fn open_items(&self) -> usize {
        self.open.values().sum()
    }

    /// Reads what a file imports from outside of the folder.
    pub fn follow_file(&mut self, file: File, files: &Documents) {
        gsw_project::follow_file(&mut self.db, file, files);
    }

    /// Adds a document that is open.
    pub fn add_open(&mut self, path: &Path, files: &Documents) {
        if is_source(path) && self.file(path).is_none() {
            gsw_project::add_files(&mut self.db, &[path.to_owned()], files);
        }
    }

    /// Adds sources on disk that it reaches and does not hold yet.
    pub fn add(&mut self, paths: &[PathBuf], files: &Documents) {
        let fresh: Vec<PathBuf> = paths
            .iter()
            .filter(|it| is_source(it) && self.reaches(it) && self.file(it).is_none())
            .cloned()
            .collect();
        gsw_project::add_files(&mut self.db, &fresh, files);
    }

    /// Reads what imports lead to by now, once for all files.
    pub fn follow(&mut self, files: &Documents) {
        gsw_project::follow_all_imports(&mut self.db, files);
    }

    pub fn remove(&mut self, path: &Path, files: &Documents) {
        if let Some(file) = self.file(path) {
            self.release(file);
        }
        gsw_project::remove_file(&mut self.db, path, files);
    }

    /// Its files outside of the library, in order of path.
    pub fn own_files(&self) -> Vec<File> {
        gsw_ide::own_files(&self.db)
    }
}

/// Whether a path is that of a file of the language.
pub fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "gsw")
}

/// The file to begin with: what most projects call their entry, else the file that was opened, else the first that can be read.
fn entry(root: &Path, file: &Path, paths: &[PathBuf], files: &Documents) -> Option<PathBuf> {
    let first = [root.join("main.gsw"), file.to_owned()];
    let mut all = first.iter().chain(paths);
    all.find(|it| files.read(it).is_ok()).cloned()
}
