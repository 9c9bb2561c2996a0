//! Which files are still to be checked, and which reports the client has. Files are checked one by one while no request comes, so
//! that no request and no edit waits for a whole project.
//!
//! A document that was edited comes first. The others, which the edit may concern, follow when nothing has come for a moment: what a file
//! imports before the file itself, so that each check is a small one.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gsw_source::{Code, File, Retained};
use tower_lsp::ls_types as lsp;

use crate::addresses::is_elsewhere;
use crate::convert;
use crate::documents::small;
use crate::state::{Ability, Reporting, State, View};
use crate::walk::Walk;
use crate::workspace::is_source;

#[derive(Default)]
pub struct Checks {
    /// Documents, the last edited first.
    urgent: VecDeque<PathBuf>,
    rest: Rest,
    /// Whether everything was checked once.
    depth: Depth,
    /// Until then: the files of which all is read that they import, and what that imports.
    read_below: HashSet<PathBuf>,
    /// What was published about each file, by its hash; files without reports are left out.
    published: HashMap<PathBuf, u64>,
    /// Open documents of which nothing was published in their present version.
    fresh: BTreeSet<PathBuf>,
    /// Documents that were closed, whose reports are to be taken back or made anew.
    closed: Vec<(PathBuf, lsp::Uri)>,
    /// How much of the first check was reported to be done, in percent, while it is not all.
    progress: Option<u32>,
}

/// What is to be done about the files that are not edited.
#[derive(Default)]
enum Rest {
    #[default]
    Done,
    /// All of them are checked when nothing has come for a moment.
    WhenQuiet,
    ToBeListed,
    Listed(Walk, Afterwards),
}

/// What follows a walk through all files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Afterwards {
    Nothing,
    /// Another one, when nothing has come for a moment: a document was edited meanwhile, which may concern files that came before.
    /// Somebody who types would else begin it again with each key, and never see its end.
    Another,
}

/// How much is reported of a document that is checked first.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Depth {
    /// What needs no other file's bodies: the project is not read yet.
    #[default]
    First,
    Whole,
}

impl Depth {
    /// How much stays of what a check has found out. Everything is found out in the first one, little in those after an edit.
    const fn retained(self) -> Retained {
        match self {
            Self::First => Retained::Few,
            Self::Whole => Retained::Many,
        }
    }
}

/// How many files are checked before a user notices. A guess.
pub const FEW: usize = 64;
/// How many files are checked one after the other, at most; then what is not likely to be needed again is dropped.
pub const BATCH: usize = 32;
/// How long files are checked while requests may wait, which a user does not notice. A guess.
pub const TURN: Duration = Duration::from_millis(10);

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
        self.urgent.retain(|it| it != path);
        self.urgent.push_front(path.to_owned());
        self.rest = match (self.depth, std::mem::take(&mut self.rest)) {
            (Depth::First, Rest::Listed(walk, _)) => Rest::Listed(walk, Afterwards::Another),
            // Nothing is known of the others that typing could spoil.
            (Depth::First, Rest::Done | Rest::WhenQuiet | Rest::ToBeListed) => Rest::ToBeListed,
            (Depth::Whole, _) => Rest::WhenQuiet,
        };
    }

    pub fn schedule_all(&mut self) {
        self.rest = Rest::ToBeListed;
    }

    pub fn close(&mut self, path: &Path, uri: lsp::Uri) {
        self.fresh.remove(path);
        self.closed.push((path.to_owned(), uri));
        self.rest = Rest::ToBeListed;
    }

    /// Nothing has come for a moment.
    pub fn is_quiet(&mut self) {
        if matches!(self.rest, Rest::WhenQuiet) {
            self.rest = Rest::ToBeListed;
        }
    }

    /// Nothing is known any more.
    pub fn begin_again(&mut self) {
        self.depth = Depth::First;
        self.read_below.clear();
        self.rest = Rest::ToBeListed;
    }

    /// Leaves everything undone until the next edit.
    pub fn give_up(&mut self) {
        self.urgent.clear();
        self.progress = None;
        self.rest = Rest::Done;
    }
}

/// The result of one piece of work.
pub enum Progress {
    Published(Publication),
    /// This much of the first check is done, in percent.
    Loading(u32),
    /// The first check, of which it was said how far it is, has ended.
    Loaded,
    /// Something was done and there is nothing new to say.
    Silent,
    /// The rest is for a moment in which nothing comes.
    Paused,
    Done,
}

impl State {
    pub fn check_next(&mut self) -> Progress {
        if let Some((path, uri)) = self.checks.closed.pop() {
            return self.take_back(&path, uri);
        }
        if let Some(path) = self.checks.urgent.pop_front() {
            if self.checks.depth == Depth::First && self.is_large() {
                return self.check(path, Depth::First);
            }
            self.read_below(&path);
            return self.check(path, Depth::Whole);
        }
        match &self.checks.rest {
            Rest::Done => Progress::Done,
            Rest::WhenQuiet => Progress::Paused,
            Rest::ToBeListed => {
                self.forget_gone();
                let walk = Walk::new(self.all_paths());
                self.checks.rest = Rest::Listed(walk, Afterwards::Nothing);
                Progress::Silent
            }
            Rest::Listed(walk, afterwards) if walk.is_over() => {
                let afterwards = *afterwards;
                self.let_go(self.checks.depth.retained());
                self.checks.rest = match afterwards {
                    Afterwards::Nothing => Rest::Done,
                    Afterwards::Another => Rest::WhenQuiet,
                };
                self.checks.depth = Depth::Whole;
                self.checks.read_below.clear();
                match self.checks.progress.take() {
                    Some(_) => Progress::Loaded,
                    None => Progress::Silent,
                }
            }
            Rest::Listed(..) => self.walk(),
        }
    }

    /// Takes back the reports of files that no workspace holds any more, such as deleted ones.
    fn forget_gone(&mut self) {
        let said = self.checks.published.keys();
        let gone: Vec<PathBuf> = said
            .filter(|it| self.view_of(it).is_none() && self.documents.get(it).is_none())
            .cloned()
            .collect();
        for path in gone {
            if let Some(uri) = self.uri(&path) {
                self.checks.closed.push((path, uri));
            }
        }
    }

    /// Whether checking all that a document imports takes longer than an editor should wait.
    fn is_large(&self) -> bool {
        self.workspaces.iter().any(|it| it.own_files().len() > FEW)
    }

    /// One step further: the imports of a file, or a check.
    fn walk(&mut self) -> Progress {
        let Rest::Listed(mut walk, afterwards) = std::mem::take(&mut self.checks.rest) else {
            return Progress::Silent;
        };
        walk.step(|it| match self.is_asked_for(it) {
            true => Vec::new(),
            false => self.imported(it),
        });
        let next = walk.take();
        let is_much = walk.has_left_another(BATCH);
        self.checks.rest = Rest::Listed(walk, afterwards);
        let Some(path) = next else {
            return self.loaded();
        };
        if is_much {
            self.let_go(self.checks.depth.retained());
        }
        match self.is_asked_for(&path) {
            true => Progress::Silent,
            false => self.check(path, Depth::Whole),
        }
    }

    /// Whether the client has asked for the reports of a file already.
    fn is_asked_for(&self, path: &Path) -> bool {
        self.settings.reporting == Reporting::Pull && self.checks.read_below.contains(path)
    }

    /// How far the first check of a large project is, where it is further than what was reported.
    fn loaded(&mut self) -> Progress {
        let Rest::Listed(walk, _) = &self.checks.rest else {
            return Progress::Silent;
        };
        let is_shown = self.settings.support.progress == Ability::Present
            && self.settings.reporting == Reporting::Push
            && self.checks.depth == Depth::First
            && walk.files() > FEW;
        let percentage = walk.percentage();
        if !is_shown || self.checks.progress.is_some_and(|it| it >= percentage) {
            return Progress::Silent;
        }
        self.checks.progress = Some(percentage);
        Progress::Loading(percentage)
    }

    /// The files that a file imports, which are read if they are outside of its folder.
    pub fn imported(&mut self, path: &Path) -> Vec<PathBuf> {
        let Some((workspace, file)) = self.locate(path) else {
            return Vec::new();
        };
        let workspace = &mut self.workspaces[workspace];
        if self.checks.depth == Depth::First {
            workspace.follow_file(file, &self.documents);
        }
        let imported = gsw_ide::imported_files(&workspace.db, file).into_iter();
        imported.map(|it| it.path(&workspace.db).clone()).collect()
    }

    /// Reads what a file imports from outside of its folder, and what that imports, unless all was read before.
    pub fn read_below(&mut self, path: &Path) {
        if self.checks.depth == Depth::Whole {
            return;
        }
        let mut waiting = vec![path.to_owned()];
        while let Some(path) = waiting.pop() {
            if self.checks.read_below.insert(path.clone()) {
                waiting.extend(self.imported(&path));
            }
        }
    }

    /// Releases what the checks of closed files have left behind.
    pub fn let_go(&mut self, retained: Retained) {
        for workspace in &mut self.workspaces {
            workspace.let_go(retained);
        }
    }

    /// All that can be checked, what is open last: it is taken from the end.
    fn all_paths(&self) -> Vec<PathBuf> {
        let open = self.documents.iter().map(|(path, _)| path.clone());
        let open: Vec<PathBuf> = open.collect();
        let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
        for workspace in &self.workspaces {
            let db = &workspace.db;
            let configured = gsw_ide::project_diagnostics(db)
                .into_iter()
                .map(|(file, _)| file);
            let all = configured.chain(workspace.own_files());
            paths.extend(all.map(|it| it.path(db).clone()));
        }
        paths.retain(|it| !open.contains(it));
        paths.into_iter().rev().chain(open).collect()
    }

    fn check(&mut self, path: PathBuf, depth: Depth) -> Progress {
        if self.settings.reporting == Reporting::Pull && is_source(&path) {
            return Progress::Silent;
        }
        let found = match depth {
            Depth::First => self.first_diagnostics(&path),
            Depth::Whole => self.diagnostics(&path),
        };
        let Some(diagnostics) = found else {
            return Progress::Silent;
        };
        self.hold_open(&path);
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

    /// A document that is open and was just checked is likely to be edited.
    pub fn hold_open(&mut self, path: &Path) {
        if self.documents.get(path).is_some()
            && is_source(path)
            && let Some((workspace, file)) = self.locate(path)
        {
            self.workspaces[workspace].hold(file);
        }
    }

    /// Finds out on all cores what is wrong with the first of these files, for as many of them as can be looked at until then, and
    /// says how many those are.
    pub fn diagnose_ahead(&self, paths: &[PathBuf], until: Instant) -> usize {
        let located = paths
            .iter()
            .map_while(|it| self.locate(it).filter(|_| is_source(it)));
        let located: Vec<(usize, File)> = located.collect();
        let Some((first, _)) = located.first() else {
            return 0;
        };
        let own = located.iter().take_while(|(index, _)| index == first);
        let files: Vec<File> = own.map(|(_, file)| *file).collect();
        gsw_ide::diagnose_ahead(&self.workspaces[*first].db, &files, until)
    }

    /// The reports about a file, under a result id; `None` when no workspace holds it.
    pub fn diagnostics(&self, path: &Path) -> Option<Vec<lsp::Diagnostic>> {
        if let Some(document) = self.documents.get(path)
            && let Err(why) = small(document.text.clone())
        {
            return Some(vec![not_looked_at(&why)]);
        }
        let view = self.view_of(path)?;
        if gsw_ide::is_library(view.db, view.file) {
            return Some(Vec::new());
        }
        let found = if is_source(path) {
            let mut found = gsw_ide::diagnostics(view.db, view.file);
            if is_elsewhere(path) {
                found.retain(|it| it.code != Code::UNKNOWN_MODULE);
            }
            found
        } else {
            let named = gsw_ide::project_diagnostics(view.db).into_iter();
            let mut own = named.filter(|(file, _)| *file == view.file);
            own.next().map(|(_, found)| found).unwrap_or_default()
        };
        let converted = found.iter().map(|it| convert::diagnostic(view, it));
        Some(converted.collect())
    }

    /// Those that are known before the whole project is.
    fn first_diagnostics(&self, path: &Path) -> Option<Vec<lsp::Diagnostic>> {
        let is_own = |it: &View<'_>| is_source(path) && !gsw_ide::is_library(it.db, it.file);
        let Some(view) = self.view_of(path).filter(is_own) else {
            return self.diagnostics(path);
        };
        let found = gsw_ide::first_diagnostics(view.db, view.file);
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
            self.checks.urgent.push_back(path.to_owned());
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

/// The one report about a document that is too large.
fn not_looked_at(why: &str) -> lsp::Diagnostic {
    lsp::Diagnostic {
        severity: Some(lsp::DiagnosticSeverity::WARNING),
        source: Some(convert::SOURCE.to_owned()),
        message: format!("this file {why}"),
        ..lsp::Diagnostic::default()
    }
}

/// A digest that distinguishes lists of reports; equal for equal lists in every session of one build.
pub fn digest(diagnostics: &[lsp::Diagnostic]) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{diagnostics:?}").hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tower_lsp::ls_types as lsp;

    use super::Progress;
    use crate::state::State;

    #[test]
    fn the_first_check_comes_to_its_end_while_somebody_types() {
        let folder = std::env::temp_dir().join(format!("gsw-typing-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("it can be made");
        for index in 0..40 {
            let path = folder.join(format!("m{index}.gsw"));
            std::fs::write(path, "fn f() -> int { \"\" }\n").expect("it can be written");
        }
        let mut state = State::default();
        state.settings.folders.push(folder.clone());
        state.load_folders();
        let uri = lsp::Uri::from_file_path(folder.join("m0.gsw")).expect("it is absolute");
        state.open(uri.clone(), 1, "fn f() -> int { 1 }\n".into());
        let mut reported = BTreeSet::new();
        for version in 2..200 {
            let text = format!("fn f() -> int {{ \"{version}\" }}\n");
            let document = lsp::VersionedTextDocumentIdentifier {
                uri: uri.clone(),
                version,
            };
            let whole = lsp::TextDocumentContentChangeEvent {
                range: None,
                range_length: None,
                text,
            };
            state.change(&document, vec![whole]);
            // No moment between two keys is long enough for more.
            for _ in 0..4 {
                if let Progress::Published(it) = state.check_next() {
                    reported.insert(it.uri.to_string());
                }
            }
        }
        std::fs::remove_dir_all(&folder).expect("it is there");
        assert_eq!(reported.len(), 40);
    }
}
