//! `textDocument/codeAction`: changes of the text that an editor offers at a place.

mod extract;
mod formatted;
mod handle_errors;
mod inline;
mod missing_import;
mod organize_imports;
mod place;
mod prompt_test;
mod renaming;
mod report_fix;
mod revision;
mod sample;
mod step;
mod wrap;

use gsw_source::{Database, Db, Diagnostic, File, LocatedEdit, Severity, Span};

use gsw_syntax::item_ast;

use crate::cursor::item_at;
use crate::diagnostics::{Errors, diagnostics};
use crate::speculation::with_edits;
use formatted::Style;
use place::Place;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeAction {
    /// What it does, in the imperative.
    pub title: String,
    pub kind: ActionKind,
    /// None of them overlaps another.
    pub edits: Vec<LocatedEdit>,
    /// The report that it is a fix for.
    pub fixes: Option<Diagnostic>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionKind {
    /// The one fix of a report, which is certain.
    PreferredFix,
    /// A fix of which only the author knows whether it is meant.
    Fix,
    /// All fixes of a file at once that are certain.
    FixAll,
    /// Makes a declaration or variable of what is selected.
    Extract,
    /// Puts what is declared where it is used.
    Inline,
    /// Writes something around or after the text there.
    Rewrite,
    OrganizeImports,
}

/// The actions for `range` of the kinds that are `wanted`, those that mend something first. What changes the form of a program is
/// offered when the program compiles afterwards as it did before, which is found by trying.
#[must_use]
pub fn code_action(
    db: &mut Database,
    file: File,
    range: Span,
    wanted: impl Fn(ActionKind) -> bool,
) -> Vec<CodeAction> {
    let reports = diagnostics(db, file);
    let mut actions = fixes(db, range, &reports);
    if wanted(ActionKind::Fix) {
        let imports = missing_import::missing_imports(db, file, range, &reports, &actions);
        actions.extend(imports);
        actions.extend(report_fix::report_fixes(db, range, &reports));
    }
    actions.extend(possible(db, file, range, &reports));
    if wanted(ActionKind::Rewrite) {
        actions.extend(handle_errors::handle_errors(db, file, range));
        actions.extend(prompt_test::prompt_test(db, file, range));
    }
    actions.retain(|it| wanted(it.kind));
    // A certain fix names what nothing else does.
    let renamed = actions.into_iter().filter_map(|it| match it.kind {
        ActionKind::Fix => renaming::with_all_names(db, it),
        ActionKind::PreferredFix
        | ActionKind::FixAll
        | ActionKind::Extract
        | ActionKind::Inline
        | ActionKind::Rewrite
        | ActionKind::OrganizeImports => Some(it),
    });
    let actions: Vec<_> = renamed.collect();
    let (mut before, mut style) = (None, Style::default());
    let tried = actions.into_iter().filter_map(|it| {
        let before = match is_tried(it.kind) {
            true => Some(&*before.get_or_insert_with(|| Errors::of(db, file))),
            false => None,
        };
        tried(db, file, it, &mut style, before)
    });
    // What would leave the text as it is is nothing to do.
    tried.filter(|it| !it.edits.is_empty()).collect()
}

/// The action as it is offered: `None` where there are errors after it that were not there `before`.
fn tried(
    db: &mut Database,
    file: File,
    action: CodeAction,
    style: &mut Style,
    before: Option<&Errors>,
) -> Option<CodeAction> {
    let files = style.formatted_files(db, &action.edits);
    if before.is_none() && files.is_empty() {
        return Some(formatted::leading_to(db, action, &[]));
    }
    let texts = with_edits(db, &action.edits, |db| {
        let is_right = before.is_none_or(|it| Errors::of(db, file).beyond(it).is_none());
        is_right.then(|| formatted::texts(db, &files))
    })?;
    Some(formatted::leading_to(db, action, &texts))
}

/// Whether an action must leave a program that compiles; a fix mends one mistake and need not know of others.
const fn is_tried(kind: ActionKind) -> bool {
    match kind {
        ActionKind::Extract | ActionKind::Inline | ActionKind::Rewrite => true,
        ActionKind::PreferredFix
        | ActionKind::Fix
        | ActionKind::FixAll
        | ActionKind::OrganizeImports => false,
    }
}

/// The actions besides fixes of single reports that the text at `range` gives rise to.
fn possible(db: &dyn Db, file: File, range: Span, reports: &[Diagnostic]) -> Vec<CodeAction> {
    let mut actions = Vec::new();
    if let Some((item, _)) = item_at(db, file, range.start)
        && let Some(tree) = item_ast(db, item)
    {
        let place = Place::new(db, item, &tree, range);
        actions.extend(extract::extract(&place));
        actions.extend(step::step(&place));
        actions.extend(inline::inline(&place));
        actions.extend(wrap::wrap(&place));
    }
    actions.extend(organize_imports::organize_imports(db, file, reports));
    let all = all_fixes(db, file, reports);
    if !all.is_empty() {
        actions.push(CodeAction {
            title: "apply every fix of this file".into(),
            kind: ActionKind::FixAll,
            edits: all,
            fixes: None,
        });
    }
    actions
}

/// The fixes of the reports at `range`.
fn fixes(db: &dyn Db, range: Span, reports: &[Diagnostic]) -> Vec<CodeAction> {
    let mut actions = Vec::new();
    for report in reports {
        let located = report.located(|place| gsw_syntax::locate(db, place));
        if !stands_at(located.location.span, range) {
            continue;
        }
        let kind = match located.certain_fix() {
            Some(_) => ActionKind::PreferredFix,
            None => ActionKind::Fix,
        };
        for fix in located.fixes {
            actions.push(CodeAction {
                title: fix.title,
                kind,
                edits: fix.edits,
                fixes: Some(report.clone()),
            });
        }
    }
    actions
}

/// Whether a request about `range` means what is at `span`.
fn stands_at(span: Span, range: Span) -> bool {
    span.touches(range.start) || range.touches(span.start)
}

/// The edits of every report that has one fix which is certain, as far as they do not overlap.
fn all_fixes(db: &dyn Db, file: File, reports: &[Diagnostic]) -> Vec<LocatedEdit> {
    // What is unused in a program with errors may be used where the compiler lost its way.
    let has_errors = reports.iter().any(|it| it.severity == Severity::Error);
    let mut taken: Vec<LocatedEdit> = Vec::new();
    for report in reports {
        if has_errors && report.severity != Severity::Error {
            continue;
        }
        let located = report.located(|place| gsw_syntax::locate(db, place));
        let Some(fix) = located.certain_fix() else {
            continue;
        };
        let edits = &fix.edits;
        let fits = edits.iter().all(|it| {
            it.location.file == file
                && taken
                    .iter()
                    .all(|other| it == other || is_apart(other.location.span, it.location.span))
        });
        if fits {
            let fresh: Vec<_> = edits.iter().filter(|it| !taken.contains(it)).collect();
            taken.extend(fresh.into_iter().cloned());
        }
    }
    taken.sort_by_key(|it| it.location.span);
    taken
}

/// Edits that only touch could be meant for either order.
const fn is_apart(a: Span, b: Span) -> bool {
    a.end < b.start || b.end < a.start
}
