//! Sorts the imports of a file and the names in them, makes one of several of a module, and leaves out those that nothing uses. A
//! comment stays with its import: what follows it on its line, and the lines right before it. What has a comment is not left out,
//! since the comment would go as well.

use gsw_source::{Code, Db, Diagnostic, File, ItemKind, LocatedEdit, Severity, Span};
use gsw_syntax::ast::{Import, ImportedName, ItemBody};
use gsw_syntax::{file_item_ids, item_ast, parse_file};

use super::{ActionKind, CodeAction};
use crate::cursor::in_file;

/// The action, when it would change something.
pub fn organize_imports(db: &dyn Db, file: File, reports: &[Diagnostic]) -> Option<CodeAction> {
    // What is unused in a program with errors may be used where the compiler lost its way.
    if reports.iter().any(|it| it.severity == Severity::Error) {
        return None;
    }
    let found = found(db, file)?;
    let whole = found.first()?.whole().to(found.last()?.whole());
    let unused: Vec<Span> = reports
        .iter()
        .filter(|it| it.code == Code::UNUSED_IMPORT)
        .flat_map(|it| &it.fixes)
        .flat_map(|it| &it.edits)
        .map(|it| gsw_syntax::locate(db, it.place).1)
        .collect();
    let text = file.text(db);
    let mut entries: Vec<Entry> = Vec::new();
    for it in &found {
        let Some(entry) = it.entry(text, &unused) else {
            continue;
        };
        let same = entries.iter_mut().find(|other| other.can_join(&entry));
        match same {
            Some(other) => other.join(entry),
            None => entries.push(entry),
        }
    }
    // The library first, then the files of the project.
    entries.sort_by_key(|it| (!it.path.starts_with("std/"), it.path.clone(), it.line()));
    let mut lines: Vec<String> = entries.iter().map(Entry::lines).collect();
    lines.dedup();
    let wanted = lines.join("\n");
    let now = text.get(whole.start as usize..whole.end as usize)?;
    // Lines keep the ends that they have in the file.
    let is_same = wanted.replace("\r\n", "\n") == now.replace("\r\n", "\n");
    (!is_same).then(|| CodeAction {
        title: "organize imports".into(),
        kind: ActionKind::OrganizeImports,
        edits: vec![LocatedEdit::new(file, whole, wanted)],
        fixes: None,
    })
}

/// An import as it is in the file, with its comments.
struct Found {
    import: Import,
    /// Its bytes in the file, and where its item begins, from which its own spans count.
    span: Span,
    start: u32,
    /// The comments on lines of their own before it.
    before: Vec<Span>,
    behind: Option<Span>,
    inside: Inside,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Plain,
    Comments,
}

/// The imports of a file; `None` where something else is among them.
fn found(db: &dyn Db, file: File) -> Option<Vec<Found>> {
    let text = file.text(db);
    let comments = &parse_file(db, file).comments;
    let mut found: Vec<Found> = Vec::new();
    let mut others = false;
    for item in file_item_ids(db, file).iter().copied() {
        let tree = item_ast(db, item)?;
        let ItemBody::Import(import) = &tree.body else {
            others |= item.kind(db) != ItemKind::Import;
            continue;
        };
        if others {
            return None;
        }
        let span = in_file(db, item, tree.span);
        let own = comments.iter().map(|it| it.span);
        let before: Vec<Span> = match found.last() {
            Some(last) => {
                let end = last.whole().end;
                let between = own.clone();
                let between = between.filter(|it| end <= it.start && it.end <= span.start);
                between.collect()
            }
            None => right_before(text, own.clone(), span.start),
        };
        let mut after = own.clone().filter(|it| span.end <= it.start);
        let behind = after.next().filter(|it| {
            let between = text.get(span.end as usize..it.start as usize);
            between.is_some_and(|it| !it.contains('\n'))
        });
        let inside = match own.clone().any(|it| span.holds(it)) {
            true => Inside::Comments,
            false => Inside::Plain,
        };
        found.push(Found {
            import: import.clone(),
            span,
            start: in_file(db, item, Span::default()).start,
            before,
            behind,
            inside,
        });
    }
    Some(found)
}

/// The comments in the lines right before byte `at`. What the file begins with is about the file, and so is what stands above an
/// empty line.
fn right_before(text: &str, comments: impl Iterator<Item = Span>, at: u32) -> Vec<Span> {
    let above: Vec<Span> = comments.filter(|it| it.end <= at).collect();
    let mut found = Vec::new();
    let mut next = at;
    for it in above.into_iter().rev() {
        let of = |start: u32, end: u32| text.get(start as usize..end as usize).unwrap_or_default();
        let between = of(it.end, next);
        let is_near = between.trim().is_empty() && between.matches('\n').count() == 1;
        if !is_near || of(it.start, it.end).starts_with("//!") {
            break;
        }
        found.push(it);
        next = it.start;
    }
    let is_head = text
        .get(..next as usize)
        .unwrap_or_default()
        .trim_start_matches('\u{feff}');
    if is_head.trim().is_empty() {
        return Vec::new();
    }
    found.reverse();
    found
}

impl Found {
    /// All of it, comments included.
    fn whole(&self) -> Span {
        let first = self.before.first().copied().unwrap_or(self.span);
        first.to(self.behind.unwrap_or(self.span))
    }

    /// What is to be written of it, without what is unused; `None` when that is all.
    fn entry(&self, text: &str, unused: &[Span]) -> Option<Entry> {
        let of = |span: Span| {
            let text = text.get(span.start as usize..span.end as usize);
            text.unwrap_or_default().to_owned()
        };
        let is_commented =
            !self.before.is_empty() || self.behind.is_some() || self.inside == Inside::Comments;
        let is_unused = |span: Span| {
            let span = span.shifted(self.start);
            !is_commented && unused.iter().any(|it| it.holds(span))
        };
        if is_unused(self.import.path_span) {
            return None;
        }
        let names = self
            .import
            .names
            .as_ref()
            .filter(|_| self.inside == Inside::Plain);
        let names = names.map(|them| {
            let kept = them.iter().filter(|it| !is_unused(it.name.span));
            let mut kept: Vec<String> = kept.map(written).collect();
            kept.sort();
            kept
        });
        let is_as_before = self.import.names.as_ref().is_some_and(|them| {
            let them: Vec<String> = them.iter().map(written).collect();
            names.as_ref() == Some(&them)
        });
        Some(Entry {
            path: self.import.path.to_string(),
            before: self.before.iter().map(|it| of(*it)).collect(),
            behind: self.behind.map(of),
            names: names.clone(),
            // A list over several lines that is in order stays as it is written.
            text: (is_as_before || names.is_none()).then(|| of(self.span).trim().to_owned()),
        })
    }
}

fn written(it: &ImportedName) -> String {
    match &it.alias {
        Some(alias) => format!("{} as {}", it.name.name, alias.name),
        None => it.name.name.to_string(),
    }
}

/// An import as it is to be written.
struct Entry {
    path: String,
    before: Vec<String>,
    behind: Option<String>,
    /// The names in its braces, in order; `None` without braces, or with comments in them.
    names: Option<Vec<String>>,
    /// Its text, where that stays.
    text: Option<String>,
}

impl Entry {
    /// Whether both are lists of names from one module, and neither has a comment of its own.
    fn can_join(&self, other: &Self) -> bool {
        let is_list = |it: &Self| it.names.is_some() && it.before.is_empty() && it.behind.is_none();
        self.path == other.path && is_list(self) && is_list(other)
    }

    fn join(&mut self, other: Self) {
        let names = self.names.iter_mut().zip(other.names);
        for (own, others) in names {
            own.extend(others);
            own.sort();
            own.dedup();
        }
        self.text = None;
    }

    fn line(&self) -> String {
        match (&self.text, &self.names) {
            (Some(text), _) => text.clone(),
            (None, Some(names)) => format!("import {}.{{{}}}", self.path, names.join(", ")),
            (None, None) => format!("import {}", self.path),
        }
    }

    fn lines(&self) -> String {
        let mut lines = self.before.clone();
        lines.push(match &self.behind {
            Some(comment) => format!("{} {comment}", self.line()),
            None => self.line(),
        });
        lines.join("\n")
    }
}
