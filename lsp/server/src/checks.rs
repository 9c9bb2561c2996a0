//! Which files are still to be checked, and which reports the client has. Files are checked one by one while nobody asks for anything,
//! so that no request and no edit waits for a whole project.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use tower_lsp::ls_types as lsp;

use crate::convert;
use crate::state::{Reporting, State};

#[derive(Default)]
pub struct Checks {
    /// Paths, the most urgent first.
    waiting: VecDeque<PathBuf>,
    /// Whether all the other files are to be checked after these.
    all: Rest,
    /// What was published about each file, by its hash; files without reports are left out.
    published: HashMap<PathBuf, u64>,
    /// Open documents of which nothing was published in their present version.
    fresh: BTreeSet<PathBuf>,
    /// Documents that were closed, whose reports are to be taken back or made anew.
    closed: Vec<(PathBuf, lsp::Uri)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Rest {
    #[default]
    Done,
    ToBeListed,
}

/// The reports about a file, for the client.
#[derive(Debug)]
pub struct Publication {
    pub uri: lsp::Uri,
    pub diagnostics: Vec<lsp::Diagnostic>,
    pub version: Option<i32>,
}

impl Checks {
    /// The document has another text: it is checked first, and then all the others, which it may concern.
    pub fn schedule(&mut self, path: &Path) {
        self.fresh.insert(path.to_owned());
        self.waiting.retain(|it| it != path);
        self.waiting.push_front(path.to_owned());
        self.all = Rest::ToBeListed;
    }

    pub fn schedule_all(&mut self) {
        self.all = Rest::ToBeListed;
    }

    pub fn close(&mut self, path: &Path, uri: lsp::Uri) {
        self.fresh.remove(path);
        self.closed.push((path.to_owned(), uri));
        self.all = Rest::ToBeListed;
    }

    /// Leaves everything undone until the next edit.
    pub fn give_up(&mut self) {
        self.waiting.clear();
        self.all = Rest::Done;
    }
}

/// The result of one piece of work.
pub enum Progress {
    Published(Publication),
    /// A file was checked and there is nothing new to say of it.
    Silent,
    Done,
}

impl State {
    /// Checks the next file.
    pub fn check_next(&mut self) -> Progress {
        if let Some((path, uri)) = self.checks.closed.pop() {
            return self.take_back(&path, uri);
        }
        if let Some(path) = self.checks.waiting.pop_front() {
            return match self.settings.reporting {
                Reporting::Pull if path.extension().is_some_and(|it| it == "gsw") => {
                    Progress::Silent
                }
                Reporting::Push | Reporting::Pull => self.check(path),
            };
        }
        match self.checks.all {
            Rest::Done => Progress::Done,
            Rest::ToBeListed => {
                self.checks.waiting = self.all_paths();
                self.checks.all = Rest::Done;
                Progress::Silent
            }
        }
    }

    /// All that can be checked, what is open first.
    fn all_paths(&self) -> VecDeque<PathBuf> {
        let open = self.documents.iter().map(|(path, _)| path.clone());
        let mut paths: VecDeque<PathBuf> = open.collect();
        let mut seen: BTreeSet<PathBuf> = paths.iter().cloned().collect();
        for workspace in &self.workspaces {
            let db = &workspace.db;
            let configured = gsw_ide::project_diagnostics(db)
                .into_iter()
                .map(|(file, _)| file);
            for file in configured.chain(workspace.own_files()) {
                let path = file.path(db).clone();
                if seen.insert(path.clone()) {
                    paths.push_back(path);
                }
            }
        }
        paths
    }

    fn check(&mut self, path: PathBuf) -> Progress {
        let Some(diagnostics) = self.diagnostics(&path) else {
            return Progress::Silent;
        };
        let is_fresh = self.checks.fresh.remove(&path);
        let hash = digest(&diagnostics);
        let known = self.checks.published.get(&path);
        let is_known = match known {
            Some(known) => *known == hash,
            None => diagnostics.is_empty(),
        };
        if is_known && !is_fresh {
            return Progress::Silent;
        }
        let Some(uri) = self.uri(&path) else {
            return Progress::Silent;
        };
        let version = self.documents.get(&path).map(|it| it.version);
        if diagnostics.is_empty() {
            self.checks.published.remove(&path);
        } else {
            self.checks.published.insert(path, hash);
        }
        Progress::Published(Publication {
            uri,
            diagnostics,
            version,
        })
    }

    /// The reports about a file, under a result id; `None` when no workspace holds it.
    pub fn diagnostics(&self, path: &Path) -> Option<Vec<lsp::Diagnostic>> {
        let view = self.view_of(path)?;
        if gsw_ide::is_library(view.db, view.file) {
            return Some(Vec::new());
        }
        let is_source = path.extension().is_some_and(|it| it == "gsw");
        let found = if is_source {
            gsw_ide::diagnostics(view.db, view.file)
        } else {
            let named = gsw_ide::project_diagnostics(view.db).into_iter();
            let mut own = named.filter(|(file, _)| *file == view.file);
            own.next().map(|(_, found)| found).unwrap_or_default()
        };
        let converted = found.iter().map(|it| convert::diagnostic(view, it));
        Some(converted.collect())
    }

    /// What the client shows of a document that it has closed: nothing, unless it is a file of a workspace.
    fn take_back(&mut self, path: &Path, uri: lsp::Uri) -> Progress {
        if self.documents.get(path).is_some() {
            return Progress::Silent;
        }
        let is_held = self.view_of(path).is_some();
        let reported = self.checks.published.remove(path);
        if is_held {
            self.checks.waiting.push_back(path.to_owned());
        }
        match (reported, self.settings.reporting) {
            (None, _) | (_, Reporting::Pull) => Progress::Silent,
            (Some(_), Reporting::Push) => Progress::Published(Publication {
                uri,
                diagnostics: Vec::new(),
                version: None,
            }),
        }
    }
}

/// What tells two lists of reports apart; the same for the same list in every session of one build.
pub fn digest(diagnostics: &[lsp::Diagnostic]) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{diagnostics:?}").hash(&mut hasher);
    hasher.finish()
}
