//! From an entry file to a project: reads it, and what it imports, until nothing is missing.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use gsw_source::{Database, File, Files, Folder, INSTRUCTIONS, LARGEST_SKILL, Project, normal};
use gsw_syntax::{TokenKind, Value};
use salsa::{Durability, Setter};

use crate::configuration::file_configuration;
use crate::unread::Unread;

/// The file that makes a folder a project.
pub const CONFIGURATION: &str = "gsw.toml";

/// Reads the file at `entry` and everything it imports into `db` and makes them its project. Modules are named by their absolute
/// path without the ending, so that an import may lead anywhere; what cannot be read is left out, and reported where it is imported.
///
/// # Errors
/// When the entry file itself cannot be read: a sentence for the user.
pub fn open_project(db: &mut Database, entry: &Path, files: &dyn Files) -> Result<File, String> {
    load(db, entry, files, CHANGES_SELDOM)
}

/// The same for whoever looks once: no text is set to another one afterwards, nor is a file added. What a query has asked is
/// not noted then, which takes time and memory.
///
/// # Errors
/// As for [`open_project`].
pub fn read_project(db: &mut Database, entry: &Path, files: &dyn Files) -> Result<File, String> {
    load(db, entry, files, Durability::NEVER_CHANGE)
}

/// Files on disk, beside those that are being edited: an edit of these says nothing of what was found out about the others.
const CHANGES_SELDOM: Durability = Durability::MEDIUM;

fn load(
    db: &mut Database,
    entry: &Path,
    files: &dyn Files,
    durability: Durability,
) -> Result<File, String> {
    let mut loader = Loader::new(db, files, durability);
    let (key, file) = loader.enter(entry)?;
    let loaded = loader.follow();
    settle(db, entry, key, loaded, files, durability)?;
    Ok(file)
}

/// Makes what was loaded the project of `db`.
fn settle(
    db: &mut Database,
    entry: &Path,
    key: String,
    loaded: Loaded,
    files: &dyn Files,
    durability: Durability,
) -> Result<(), String> {
    let Loaded {
        modules,
        skills,
        unread,
    } = loaded;
    let unreadable = unread.unreadable();
    let named = configuration(db, entry, files, durability)?;
    match Project::try_get(db) {
        Some(project) => {
            project.set_modules(db).to(modules);
            project.set_entry(db).to(key);
            project.set_skills(db).to(skills);
            project.set_unreadable(db).to(unreadable);
            project.set_configuration(db).to(named.configuration);
            project.set_prices(db).to(named.prices);
            project.set_home(db).to(named.home);
        }
        None => {
            // The database knows it, as the only one.
            let _ = Project::builder(modules, key)
                .skills(skills)
                .unreadable(unreadable)
                .configuration(named.configuration)
                .prices(named.prices)
                .home(named.home)
                .durability(durability)
                .new(db);
        }
    }
    Ok(())
}

/// The same with all of these files, whose imports are not looked at: an editor follows them later, file by file, since that parses
/// each one.
///
/// # Errors
/// As for [`open_project`].
pub fn open_folder(
    db: &mut Database,
    entry: &Path,
    paths: &[PathBuf],
    files: &dyn Files,
) -> Result<File, String> {
    let mut loader = Loader::new(db, files, CHANGES_SELDOM);
    let (key, file) = loader.enter(entry)?;
    loader.add_all(paths);
    let loaded = loader.added;
    settle(db, entry, key, loaded, files, CHANGES_SELDOM)?;
    Ok(file)
}

/// The `gsw.toml` beside `file` or in a folder above, as a path that begins where `file` does.
#[must_use]
pub fn find_configuration(file: &Path, files: &dyn Files) -> Option<PathBuf> {
    let absolute = files.absolute(file);
    let above = absolute.ancestors().skip(1).count();
    let mut folder = file.parent()?.to_owned();
    for _ in 0..above {
        let path = folder.join(CONFIGURATION);
        if files.is_file(&path) {
            return Some(path);
        }
        folder = match folder.components().next_back() {
            Some(Component::Normal(_)) => folder.parent().unwrap_or(Path::new("")).to_owned(),
            _ => folder.join(".."),
        };
    }
    None
}

/// The `gsw.toml` of a project, and what it names.
#[derive(Default)]
struct Configured {
    configuration: Option<File>,
    prices: Option<File>,
    home: Option<String>,
}

/// Reads the `gsw.toml` of `entry` and what it names.
fn configuration(
    db: &mut Database,
    entry: &Path,
    files: &dyn Files,
    durability: Durability,
) -> Result<Configured, String> {
    let Some(path) = find_configuration(entry, files) else {
        return Ok(Configured::default());
    };
    let text = files
        .read(&path)
        .map_err(|why| format!("`{}` {why}", path.display()))?;
    let file = lasting(db, path, text, durability);
    let (home, table) = named(db, file, files);
    let text = table.and_then(|it| files.read(&it).ok().map(|text| (it, text)));
    Ok(Configured {
        configuration: Some(file),
        prices: text.map(|(path, text)| lasting(db, path, text, durability)),
        home: Some(home),
    })
}

/// The module of the entry that a `gsw.toml` names, and the path of its table of prices.
fn named(db: &Database, configuration: File, files: &dyn Files) -> (String, Option<PathBuf>) {
    let folder = configuration.path(db).parent().unwrap_or(Path::new(""));
    let said = &file_configuration(db, configuration).configuration;
    let prices = said.models.prices.as_ref();
    (
        module_key(&files.absolute(&folder.join(&said.entry))),
        prices.map(|it| normal(&folder.join(&it.path))),
    )
}

fn lasting(db: &Database, path: PathBuf, text: Arc<str>, durability: Durability) -> File {
    File::builder(path, text).durability(durability).new(db)
}

/// Reads what `file` imports by now and the project lacks, and `gsw.toml` with the files that it names when it has changed. An
/// editor calls this after an edit.
pub fn follow_imports(db: &mut Database, file: File, files: &dyn Files) {
    let Some(project) = Project::try_get(db) else {
        return;
    };
    refresh_configuration(db, project, files);
    follow_file(db, file, files);
}

/// Like the function above without reading `gsw.toml`, for a file that was added and has not changed since.
pub fn follow_file(db: &mut Database, file: File, files: &dyn Files) {
    let Some(project) = Project::try_get(db) else {
        return;
    };
    let shown = file.path(db).clone();
    let mut loader = Loader::new(db, files, CHANGES_SELDOM);
    loader.waiting.push((file, shown));
    loader.follow_in(project);
}

/// Reads files that nothing imports, and what they import, into the project. What cannot be read is left out.
pub fn add_files(db: &mut Database, paths: &[PathBuf], files: &dyn Files) {
    let Some(project) = Project::try_get(db) else {
        return;
    };
    let mut loader = Loader::new(db, files, CHANGES_SELDOM);
    loader.add_all(paths);
    loader.follow_in(project);
}

/// Reads what any file of the project imports by now and the project lacks: files have come that imports led nowhere without.
pub fn follow_all_imports(db: &mut Database, files: &dyn Files) {
    let Some(project) = Project::try_get(db) else {
        return;
    };
    let known: Vec<(File, PathBuf)> = project
        .modules(db)
        .iter()
        .filter(|(key, _)| !key.starts_with("std/"))
        .map(|(_, file)| (*file, file.path(db).clone()))
        .collect();
    let mut loader = Loader::new(db, files, CHANGES_SELDOM);
    loader.waiting = known;
    loader.follow_in(project);
}

/// Takes a file that is no longer there out of the project: imports of it are reported from now on.
pub fn remove_file(db: &mut Database, path: &Path, files: &dyn Files) {
    let Some(project) = Project::try_get(db) else {
        return;
    };
    let key = module_key(&files.absolute(path));
    if !project.modules(db).contains_key(&key) {
        return;
    }
    let mut modules = project.modules(db).clone();
    modules.remove(&key);
    project.set_modules(db).to(modules);
    // It may be there and be no text any more.
    if let Err(why) = files.read(path) {
        let mut unread = Unread::default();
        unread.note(key, why, path, files);
        unread.enter(db, project);
    }
}

fn refresh_configuration(db: &mut Database, project: Project, files: &dyn Files) {
    let known = [project.configuration(db), project.prices(db)];
    for file in known.into_iter().flatten() {
        // A file that cannot be read at the moment is most likely being written.
        if let Ok(text) = files.read(file.path(db))
            && *file.text(db) != text
        {
            file.set_text(db).to(text);
        }
    }
    let Some(configuration) = project.configuration(db) else {
        return;
    };
    let (home, prices) = named(db, configuration, files);
    if project.home(db).as_ref() != Some(&home) {
        project.set_home(db).to(Some(home));
    }
    let known = project.prices(db).map(|it| it.path(db).clone());
    if known != prices {
        let text = prices.and_then(|it| files.read(&it).ok().map(|text| (it, text)));
        let file = text.map(|(path, text)| lasting(db, path, text, CHANGES_SELDOM));
        if project.prices(db) != file {
            project.set_prices(db).to(file);
        }
    }
}

/// The name of the module in the file at this absolute path.
#[must_use]
pub fn module_key(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => parts.push(String::new()),
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
        }
    }
    let key = parts.join("/");
    key.strip_suffix(".gsw").unwrap_or(&key).to_owned()
}

struct Loaded {
    modules: BTreeMap<String, File>,
    skills: BTreeMap<String, Result<Folder, String>>,
    unread: Unread,
}

struct Loader<'a> {
    db: &'a mut Database,
    files: &'a dyn Files,
    /// What the project has beyond this, which most edits add nothing to, is not copied.
    known: Option<Project>,
    added: Loaded,
    /// Files whose imports are still to be read, with the path they are shown by.
    waiting: Vec<(File, PathBuf)>,
    /// The durability of the inputs that are added.
    durability: Durability,
}

impl<'a> Loader<'a> {
    /// Starts from the modules that the project has, or from the standard library.
    fn new(db: &'a mut Database, files: &'a dyn Files, durability: Durability) -> Self {
        let known = Project::try_get(db);
        let library: &[_] = match known {
            Some(_) => &[],
            None => gsw_std::MODULES,
        };
        let modules = library.iter().map(|(path, text)| {
            let shown = PathBuf::from(format!("{path}.gsw"));
            let file = lasting(db, shown, Arc::from(*text), Durability::NEVER_CHANGE);
            ((*path).to_owned(), file)
        });
        let added = Loaded {
            modules: modules.collect(),
            skills: BTreeMap::new(),
            unread: Unread::default(),
        };
        Self {
            db,
            files,
            known,
            added,
            waiting: Vec::new(),
            durability,
        }
    }

    /// Adds the file to begin with, and returns its name.
    fn enter(&mut self, entry: &Path) -> Result<(String, File), String> {
        let text = self.files.read(entry);
        let text = text.map_err(|why| format!("`{}` {why}", entry.display()))?;
        let key = module_key(&self.files.absolute(entry));
        let file = self.add(key.clone(), entry.to_owned(), text);
        Ok((key, file))
    }

    /// Adds the files that are not there yet and can be read.
    fn add_all(&mut self, paths: &[PathBuf]) {
        for path in paths {
            let key = module_key(&self.files.absolute(path));
            if !self.has(&key)
                && let Ok(text) = self.files.read(path)
            {
                self.add(key, path.clone(), text);
            }
        }
    }

    /// Whether there is a module of this name.
    fn has(&self, key: &str) -> bool {
        let known = self
            .known
            .is_some_and(|it| it.modules(self.db).contains_key(key));
        known || self.added.modules.contains_key(key)
    }

    /// Reads what is imported, until nothing is missing; returns all that there is then.
    fn follow(mut self) -> Loaded {
        self.read_waiting();
        let Some(project) = self.known else {
            return self.added;
        };
        let mut all = Loaded {
            modules: project.modules(self.db).clone(),
            skills: project.skills(self.db).clone(),
            unread: self.added.unread,
        };
        all.modules.extend(self.added.modules);
        all.skills.extend(self.added.skills);
        all
    }

    /// The same, into the project, where it has changed.
    fn follow_in(mut self, project: Project) {
        self.read_waiting();
        let Loaded {
            modules,
            skills,
            unread,
        } = self.added;
        let db = self.db;
        unread.enter(db, project);
        if !modules.is_empty() {
            let mut all = project.modules(db).clone();
            all.extend(modules);
            project.set_modules(db).to(all);
        }
        let before = project.skills(db);
        if skills.iter().any(|(key, it)| before.get(key) != Some(it)) {
            let mut all = before.clone();
            all.extend(skills);
            project.set_skills(db).to(all);
        }
    }

    fn read_waiting(&mut self) {
        while !self.waiting.is_empty() {
            let waiting = std::mem::take(&mut self.waiting);
            for (file, shown) in waiting {
                self.read_imports(file, &shown);
            }
        }
    }

    fn add(&mut self, key: String, shown: PathBuf, text: Arc<str>) -> File {
        let file = lasting(self.db, shown.clone(), text, self.durability);
        self.added.unread.note_readable(key.clone());
        self.added.modules.insert(key, file);
        self.waiting.push((file, shown));
        file
    }

    fn read_imports(&mut self, file: File, shown: &Path) {
        let imports = gsw_syntax::imported_paths(self.db, file).iter();
        let imports: Vec<_> = imports
            .filter(|path| path.starts_with("./") || path.starts_with("../"))
            .cloned()
            .collect();
        let folder = shown.parent().unwrap_or(Path::new(""));
        self.read_skills(file, folder);
        for import in imports {
            let path = normal(&folder.join(&import)).with_extension("gsw");
            let key = module_key(&self.files.absolute(&path));
            if self.has(&key) {
                continue;
            }
            match self.files.read(&path) {
                Ok(text) => drop(self.add(key, path, text)),
                Err(why) => self.added.unread.note(key, why, &path, self.files),
            }
        }
    }

    /// Reads the folders that `skills` name in `file`, those of the project that it has already included.
    fn read_skills(&mut self, file: File, folder: &Path) {
        for path in skill_paths(file.text(self.db)) {
            let path = normal(&folder.join(path));
            let path = match path.as_os_str().is_empty() {
                true => PathBuf::from("."),
                false => path,
            };
            let key = module_key(&self.files.absolute(&path));
            let known = self.known.and_then(|it| it.skills(self.db).get(&key));
            let known = self.added.skills.get(&key).or(known).cloned();
            let known = known.and_then(Result::ok).unwrap_or_default();
            let found = self.folder(&path, &known);
            self.added.skills.insert(key, found);
        }
    }

    /// Reads the files of the skills in a folder, and of others none: a folder that was named by mistake may hold anything.
    fn folder(&mut self, path: &Path, known: &Folder) -> Result<Folder, String> {
        let paths = self.files.below(path)?;
        let is_skill = paths.iter().any(|it| it == INSTRUCTIONS);
        let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
        let mut found = Folder::new();
        for below in paths
            .iter()
            .filter(|it| is_skill || is_of_skill(it, &paths))
        {
            // All that is in one skill is counted together.
            let skill = below.split('/').next().filter(|_| !is_skill);
            let size = sizes
                .entry(skill.unwrap_or_default().to_owned())
                .or_default();
            // Not read to the end: it is refused for its size.
            if *size > LARGEST_SKILL {
                continue;
            }
            let inner = path.join(below);
            let text = self.files.read(&inner).ok();
            *size += text.as_ref().map_or(0, |it| it.len());
            let file = text.map(|text| {
                let unchanged = known.get(below).copied().flatten();
                let unchanged = unchanged.filter(|it| *it.text(self.db) == text);
                unchanged.unwrap_or_else(|| lasting(self.db, inner, text, self.durability))
            });
            found.insert(below.clone(), file);
        }
        Ok(found)
    }
}

/// Whether a path leads into a folder that is a skill itself.
fn is_of_skill(path: &str, all: &[String]) -> bool {
    let folder = path.split_once('/').map(|(folder, _)| folder);
    folder.is_some_and(|it| all.binary_search(&format!("{it}/{INSTRUCTIONS}")).is_ok())
}

/// The folders that lists after `skills` name in a file. By its tokens, since such lists stand also in calls, deep in code; one
/// that means something else costs a look at a folder that is not there.
fn skill_paths(text: &str) -> Vec<String> {
    if !text.contains("skills") {
        return Vec::new();
    }
    let lexed = gsw_syntax::lex(text);
    let mut paths = Vec::new();
    for (at, token) in lexed.tokens.iter().enumerate() {
        let follows = |offset: usize, kind| {
            let next = lexed.tokens.get(at + offset);
            next.is_some_and(|it| it.kind == kind)
        };
        let is_list = token.kind == TokenKind::Identifier
            && text.get(token.span.start as usize..token.span.end as usize) == Some("skills")
            && follows(1, TokenKind::Colon)
            && follows(2, TokenKind::BracketOpen);
        if !is_list {
            continue;
        }
        let elements = lexed.tokens[at + 3..].iter();
        let elements = elements.take_while(|it| it.kind != TokenKind::BracketClose);
        let texts = elements.filter(|it| it.kind == TokenKind::String);
        paths.extend(
            texts.filter_map(|it| match lexed.values.get(it.value as usize)? {
                Value::Text(path) => Some(path.to_string()),
                Value::Int(_) | Value::Float(_) | Value::Duration(_) => None,
            }),
        );
    }
    paths
}
