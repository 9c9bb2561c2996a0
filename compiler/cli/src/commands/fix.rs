//! `gswc fix`: applies the fixes of diagnostics, in memory and repeatedly until none is left, then writes the files.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_codegen::{Access, replace};
use gsw_service::Exit;
use gsw_source::{Applicability, Database, Diagnostic, Disk, File, Files, LocatedFix, Severity};
use gsw_syntax::file_syntax_diagnostics;

use crate::overlay::Overlay;
use crate::report::Format;
use crate::{project, report};

#[derive(clap::Args)]
pub struct Fix {
    /// The entry file or a project folder; by default the project in the current folder.
    pub file: Option<PathBuf>,
    /// List what would be fixed, and exit with 1 if there is anything; change nothing.
    #[arg(long)]
    pub check: bool,
}

/// A fix can bring up the next problem so often; texts that come back end the search before.
const MOST_ROUNDS: usize = 200;

/// An edit of a file: what is replaced, and by what.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// A fix that was applied.
struct Applied {
    path: PathBuf,
    /// The line at which it begins, when it was applied.
    line: usize,
    code: &'static str,
    title: String,
}

/// A fix that may be applied.
struct Mend {
    applied: Applied,
    mistake: Mistake,
    /// What it does, in one or several files; never empty.
    edits: Vec<(PathBuf, Edit)>,
}

/// Everything that one command does.
struct Fixer {
    overlay: Overlay,
    entry: PathBuf,
    applied: Vec<Applied>,
    /// Edits after which a file had more syntax errors than before.
    refused: BTreeSet<(PathBuf, Edit)>,
    /// The texts that there have been, so that two fixes that undo each other end.
    seen: BTreeSet<BTreeMap<PathBuf, String>>,
}

/// Applies the fixes of a program's diagnostics and reports what remains.
pub fn fix(arguments: &Fix) -> Exit {
    let entry = match project::entry(arguments.file.as_deref()) {
        Ok(file) => file,
        Err(exit) => return exit,
    };
    let mut fixer = Fixer::new(entry);
    for _ in 0..MOST_ROUNDS {
        match fixer.round() {
            Ok(Round::Changed) => {}
            Ok(Round::Done) => break,
            Err(failure) => return report::failure(&failure),
        }
    }
    if arguments.check {
        return fixer.list();
    }
    if let Err(failure) = fixer.write() {
        return report::failure(&failure);
    }
    fixer.remaining()
}

/// A mistake by where it begins and what is said of it: what is still there after a fix for it, that fix was not for.
type Mistake = (PathBuf, usize, &'static str, String);

/// Where what stood in a file stands after edits of it, which are sorted.
struct Moves(BTreeMap<PathBuf, Vec<Edit>>);

impl Moves {
    /// Where something that began at `position` may begin now: what an edit has replaced, anywhere in what replaces it.
    fn range(&self, path: &Path, position: usize) -> RangeInclusive<usize> {
        let (mut added, mut removed) = (0, 0);
        for edit in self.0.get(path).into_iter().flatten() {
            if edit.start > position {
                break;
            }
            if edit.end >= position {
                let start = edit.start + added - removed;
                return start..=start + edit.text.len();
            }
            added += edit.text.len();
            removed += edit.end - edit.start;
        }
        let now = position + added - removed;
        now..=now
    }
}

/// Which mistakes of before are still there. The same said of a place further on is a mistake of its own, which may have been
/// hidden by the first: two named arguments with `=` are reported one after the other.
fn left(moves: &Moves, after: &Database, found: &[Diagnostic]) -> impl Fn(&Mistake) -> bool {
    let found: Vec<Mistake> = found.iter().map(|it| mistake(after, it)).collect();
    move |(path, start, code, message)| {
        let range = moves.range(path, *start);
        found
            .iter()
            .any(|it| it.0 == *path && range.contains(&it.1) && it.2 == *code && it.3 == *message)
    }
}

/// Whether a round has changed anything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Changed,
    Done,
}

impl Fixer {
    fn new(entry: PathBuf) -> Self {
        Self {
            overlay: Overlay::default(),
            entry,
            applied: Vec::new(),
            refused: BTreeSet::new(),
            seen: BTreeSet::new(),
        }
    }

    fn open(&self) -> Result<(Database, Vec<Diagnostic>), String> {
        let mut db = Database::default();
        gsw_project::open_project(&mut db, &self.entry, &self.overlay)?;
        let diagnostics = gsw_analysis::check_project(&db);
        Ok((db, diagnostics))
    }

    /// Applies every fix that does not conflict with another.
    fn round(&mut self) -> Result<Round, String> {
        let (db, diagnostics) = self.open()?;
        // What is unused in a program with errors may be used where the compiler lost its way.
        let has_errors = diagnostics.iter().any(|it| it.severity == Severity::Error);
        let wanted = diagnostics
            .iter()
            .filter(|it| !has_errors || it.severity == Severity::Error);
        let offered = self.mends(&db, wanted);
        let offers = offered.len();
        let mends = self.readable(&db, offered);
        let edits = by_file(&mends);
        let before: Vec<(PathBuf, Option<Arc<str>>)> = edits
            .keys()
            .map(|it| (it.clone(), self.overlay.text(it)))
            .collect();
        if !self.apply(&edits) {
            // What did not fit beside a refused fix is tried in the next round.
            return Ok(match mends.len() < offers {
                true => Round::Changed,
                false => Round::Done,
            });
        }
        let (after, found) = self.open()?;
        let is_broken = found.iter().any(|it| it.severity == Severity::Error);
        let moves = Moves(edits);
        let is_left = left(&moves, &after, &found);
        // What mends a warning breaks nothing: a program that compiled still does.
        let useless = |it: &&Mend| match has_errors {
            true => is_left(&it.mistake),
            false => is_broken,
        };
        let useless: Vec<_> = mends.iter().filter(useless).collect();
        if !useless.is_empty() {
            let edits = useless.iter().flat_map(|it| it.edits.clone()).collect();
            self.take_back(before, edits);
            return Ok(Round::Changed);
        }
        self.applied.extend(mends.into_iter().map(|it| it.applied));
        Ok(match self.seen.insert(self.overlay.changed().clone()) {
            true => Round::Changed,
            false => Round::Done,
        })
    }

    /// The certain fixes of these diagnostics that can be applied together.
    fn mends<'a>(
        &self,
        db: &Database,
        diagnostics: impl Iterator<Item = &'a Diagnostic>,
    ) -> Vec<Mend> {
        let mut taken: BTreeMap<PathBuf, Vec<Edit>> = BTreeMap::new();
        let mut mends = Vec::new();
        for diagnostic in diagnostics {
            let located = diagnostic.located(|place| gsw_syntax::locate(db, place));
            let Some(fix) = located.certain_fix() else {
                continue;
            };
            let Some(edits) = self.edits_of(db, fix).filter(|it| fits(&taken, it)) else {
                continue;
            };
            let (path, edit) = &edits[0];
            let text = self.overlay.text(path).unwrap_or_default();
            let applied = Applied {
                path: path.clone(),
                line: text[..edit.start].lines().count().max(1),
                code: diagnostic.code.name(),
                title: fix.title.clone(),
            };
            for (path, edit) in &edits {
                taken.entry(path.clone()).or_default().push(edit.clone());
            }
            mends.push(Mend {
                applied,
                mistake: mistake(db, diagnostic),
                edits,
            });
        }
        mends
    }

    /// The fixes after which every file is as readable as before. Where all together make one worse, they are tried one after the
    /// other, and those that make it worse are refused.
    fn readable(&mut self, db: &Database, offered: Vec<Mend>) -> Vec<Mend> {
        if !self.makes_worse(db, &by_file(&offered)) {
            return offered;
        }
        let mut mends = Vec::new();
        for mend in offered {
            mends.push(mend);
            if self.makes_worse(db, &by_file(&mends))
                && let Some(refused) = mends.pop()
            {
                self.refused.extend(refused.edits);
            }
        }
        mends
    }

    fn makes_worse(&self, db: &Database, edits: &BTreeMap<PathBuf, Vec<Edit>>) -> bool {
        edits.iter().any(|(path, edits)| {
            let before = self.overlay.text(path);
            before.is_some_and(|it| is_worse(db, path, &it, &edited(&it, edits)))
        })
    }

    /// Brings the texts of before back, and refuses these edits from now on.
    fn take_back(&mut self, before: Vec<(PathBuf, Option<Arc<str>>)>, edits: Vec<(PathBuf, Edit)>) {
        for (path, text) in before {
            if let Some(text) = text {
                self.overlay.change(path, text.to_string());
            }
        }
        self.refused.extend(edits);
    }

    /// The edits of a fix by file; `None` where it is not for files of the user, or was refused.
    fn edits_of(&self, db: &Database, fix: &LocatedFix) -> Option<Vec<(PathBuf, Edit)>> {
        let edits = fix.edits.iter().map(|it| {
            let path = it.location.file.path(db).clone();
            let (start, end) = (
                it.location.span.start as usize,
                it.location.span.end as usize,
            );
            let text = self.overlay.text(&path)?;
            // What the library's modules are made of is no file of the user.
            let is_here = *text == **it.location.file.text(db) && text.get(start..end).is_some();
            let text = it.text.clone();
            let edit = (path, Edit { start, end, text });
            (is_here && !self.refused.contains(&edit)).then_some(edit)
        });
        let edits: Option<Vec<_>> = edits.collect();
        edits.filter(|it| !it.is_empty())
    }

    /// Applies edits to the texts in memory; whether any text is another one now.
    fn apply(&mut self, edits: &BTreeMap<PathBuf, Vec<Edit>>) -> bool {
        let mut is_changed = false;
        for (path, edits) in edits {
            let Some(before) = self.overlay.text(path) else {
                continue;
            };
            let after = edited(&before, edits);
            is_changed |= *before != *after;
            self.overlay.change(path.clone(), after);
        }
        is_changed
    }

    /// Prints what would be done.
    fn list(&self) -> Exit {
        let lines = self.applied.iter().map(|it| {
            format!(
                "{}:{}: {}: {}\n",
                it.path.display(),
                it.line,
                it.code,
                it.title
            )
        });
        let printed = report::output(&lines.collect::<String>());
        if self.applied.is_empty() {
            printed
        } else {
            Exit::Raised
        }
    }

    /// Writes the changed files, unless one was changed on disk meanwhile.
    fn write(&self) -> Result<(), String> {
        for path in self.overlay.changed().keys() {
            let now = Disk
                .read(path)
                .map_err(|why| format!("`{}` {why}", path.display()))?;
            if self.overlay.original(path).as_deref() != Some(&*now) {
                return Err(format!(
                    "`{}` was changed while it was being fixed; nothing was written, run `gswc fix` again",
                    path.display()
                ));
            }
        }
        for (path, text) in self.overlay.changed() {
            replace(path, text.as_bytes(), Access::Usual)
                .map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
            let count = self.applied.iter().filter(|it| it.path == *path).count();
            let fixes = if count == 1 { "fix" } else { "fixes" };
            report::output(&format!("{}: {count} {fixes}\n", path.display()));
        }
        Ok(())
    }

    /// Reports what no fix was for.
    fn remaining(&self) -> Exit {
        match self.open() {
            Ok((db, diagnostics)) => report::report(&db, &diagnostics, Format::Auto),
            Err(failure) => report::failure(&failure),
        }
    }
}

fn mistake(db: &Database, diagnostic: &Diagnostic) -> Mistake {
    let located = diagnostic.located(|place| gsw_syntax::locate(db, place));
    let file = located.location.file;
    (
        file.path(db).clone(),
        located.location.span.start as usize,
        diagnostic.code.name(),
        diagnostic.message.clone(),
    )
}

/// Whether edits overlap neither one another nor those that are taken. Edits that only touch could be meant for either order,
/// so they wait for the next round; the very same edit of two diagnostics is done once.
fn fits(taken: &BTreeMap<PathBuf, Vec<Edit>>, wanted: &[(PathBuf, Edit)]) -> bool {
    let is_apart = |a: &Edit, b: &Edit| a == b || a.end < b.start || b.end < a.start;
    wanted.iter().enumerate().all(|(index, (path, edit))| {
        let others = taken.get(path).into_iter().flatten();
        let own = wanted[..index].iter().filter(|it| it.0 == *path);
        others
            .chain(own.map(|it| &it.1))
            .all(|it| is_apart(it, edit))
    })
}

/// The edits of fixes by file, sorted; the very same edit of two fixes once.
fn by_file(mends: &[Mend]) -> BTreeMap<PathBuf, Vec<Edit>> {
    let mut edits: BTreeMap<PathBuf, Vec<Edit>> = BTreeMap::new();
    for (path, edit) in mends.iter().flat_map(|it| &it.edits) {
        edits.entry(path.clone()).or_default().push(edit.clone());
    }
    for it in edits.values_mut() {
        it.sort();
        it.dedup();
    }
    edits
}

/// The text after edits that are sorted and do not overlap.
fn edited(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        out.push_str(&text[done..edit.start]);
        out.push_str(&edit.text);
        done = edit.end;
    }
    out.push_str(&text[done..]);
    out
}

/// Whether edits have made a text harder to read: it has more syntax errors than before, and not only such as were hidden by the
/// first and are mended next, as the arms of a `switch` are once it is a `match`.
fn is_worse(db: &Database, path: &Path, before: &str, after: &str) -> bool {
    // The mistakes of `gsw.toml` are found elsewhere.
    if path.extension().is_none_or(|it| it != "gsw") {
        return false;
    }
    let errors = |text: &str| {
        let file = File::new(db, path.to_owned(), Arc::from(text));
        file_syntax_diagnostics(db, file)
    };
    let after = errors(after);
    let is_mended = |it: &Diagnostic| {
        let mut fixes = it.fixes.iter();
        fixes.any(|it| it.applicability == Applicability::Certain)
    };
    after.len() > errors(before).len() && !after.iter().all(is_mended)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use gsw_source::{Database, Files};

    use super::{Applied, Edit, Fixer, Mend, edited, fits};

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        let text = text.to_owned();
        Edit { start, end, text }
    }

    #[test]
    fn edits_are_applied_in_order_of_place() {
        let edits = [edit(0, 1, "A"), edit(3, 3, "-"), edit(4, 6, "")];
        assert_eq!(edited("abcdef", &edits), "Abc-d");
    }

    #[test]
    fn edits_that_overlap_or_touch_wait() {
        let path = PathBuf::from("main.gsw");
        let taken = BTreeMap::from([(path.clone(), vec![edit(2, 4, "x")])]);
        let fits_at = |start, end| fits(&taken, &[(path.clone(), edit(start, end, "y"))]);
        assert!(fits_at(0, 1) && fits_at(5, 5));
        assert!(!fits_at(3, 3) && !fits_at(4, 4) && !fits_at(0, 9) && !fits_at(1, 2));
        assert!(fits(&taken, &[(path.clone(), edit(2, 4, "x"))]));
        let own = [(path.clone(), edit(6, 8, "")), (path, edit(7, 7, "z"))];
        assert!(!fits(&taken, &own));
    }

    fn mend(path: &std::path::Path, edit: Edit, title: &str) -> Mend {
        let code = "unknown-name";
        Mend {
            applied: Applied {
                path: path.to_owned(),
                line: 1,
                code,
                title: title.to_owned(),
            },
            mistake: (path.to_owned(), edit.start, code, title.to_owned()),
            edits: vec![(path.to_owned(), edit)],
        }
    }

    #[test]
    fn a_fix_that_breaks_a_file_is_refused_alone() {
        let path = std::env::temp_dir().join(format!("gsw-fix-{}.gsw", std::process::id()));
        let text = "fn f() -> int { totla }\n";
        std::fs::write(&path, text).expect("the temporary folder can be written");
        let mut fixer = Fixer::new(path.clone());
        let read = fixer.overlay.read(&path);
        std::fs::remove_file(&path).expect("it was just written");
        assert_eq!(read.as_deref(), Ok(text));
        let earlier = mend(&path, edit(0, 0, ""), "of an earlier round");
        fixer.applied.push(earlier.applied);

        let (good, broken) = (edit(16, 21, "total"), edit(8, 14, "(("));
        let offered = vec![
            mend(&path, broken.clone(), "broken"),
            mend(&path, good, "good"),
        ];
        let kept = fixer.readable(&Database::default(), offered);
        let titles: Vec<_> = kept.iter().map(|it| it.applied.title.as_str()).collect();
        assert_eq!(titles, ["good"]);
        assert_eq!(fixer.applied.len(), 1, "the fix of before stays applied");
        assert!(fixer.refused.contains(&(path.clone(), broken)));
        assert_eq!(fixer.refused.len(), 1);
    }
}
