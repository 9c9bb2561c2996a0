//! All that is wrong with a file or a project, in the order of places.

use std::ops::ControlFlow;

use gsw_infer::{
    expansion_diagnostics, infer_item, item_not_yet_supported, kind_text, requirement_diagnostics,
};
use gsw_names::{
    import_diagnostics, imports, is_std, item_signature, module_file, module_scope,
    name_diagnostics, recursion_diagnostic, shared_names, type_declaration,
};
use gsw_project::{configuration_diagnostics, with_levels};
use gsw_source::{
    Code, Db, Diagnostic, Edit, File, ItemId, ItemKind, Place, Project, Severity, Span, look_ahead,
};
use gsw_syntax::{file_item_ids, file_syntax_diagnostics, item_ast, item_offset, locate};

use crate::constant_failure::constant_diagnostics;
use crate::errors;
use crate::exhaustiveness::pattern_diagnostics;
use crate::lints::{
    accidental_comments, lint_diagnostics, misplaced_docs, unused_imports, unused_private,
};
use crate::permission_block::permission_diagnostics;
use crate::rules::{head_diagnostics, rule_diagnostics};
use crate::summary::error_diagnostics;
use crate::trust::trust_diagnostics;

/// Everything that is wrong with `file`, in the order of places.
///
/// No query, because what evaluates constants is none.
#[must_use]
pub fn check_file(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let mut found = file_diagnostics(db, file).clone();
    let constants = constant_diagnostics(db, file, &found);
    if !constants.is_empty() {
        found.extend(constants);
        found.sort_by_key(|it| locate(db, it.place).1);
    }
    found
}

/// The diagnostics of `file` that need no look into the bodies of other files: its syntax, and, where every import leads somewhere,
/// the types in it. An editor shows this while it still reads the rest.
#[must_use]
pub fn first_diagnostics(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let mut found = file_syntax_diagnostics(db, file).to_vec();
    let mut imported = imports(db, file).into_iter();
    let is_whole = imported.all(|(_, it)| module_file(db, file, &it.path).is_some());
    if found.is_empty() && is_whole {
        for item in file_item_ids(db, file).iter().copied() {
            found.extend_from_slice(&item_signature(db, item).diagnostics);
            found.extend_from_slice(&infer_item(db, item).diagnostics);
        }
    }
    sorted(db, with_levels(db, found))
}

/// What is wrong with `file` beside the values of its constants: errors first found at the same place win over what follows there.
#[salsa::tracked(returns(ref))]
fn file_diagnostics(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let mut found = file_syntax_diagnostics(db, file).to_vec();
    let can_be_read = found.is_empty();
    let broken: Vec<(Span, ItemId)> = found
        .iter()
        .flat_map(|it| std::iter::once(it.place).chain(it.labels.iter().map(|it| it.place)))
        .filter_map(|it| broken_item(db, file, it))
        .collect();
    let mut inside = item_diagnostics(db, file).clone();
    inside.extend_from_slice(trust_diagnostics(db, file));
    inside.retain(|it| !follows(db, it, &broken));
    drop_doubts(&mut inside);
    drop_warnings_of_errors(&mut inside);
    found.extend(inside);
    found.extend(import_diagnostics(db, file));
    found.extend(name_diagnostics(db, file));
    found.extend(shared_names(db, file));
    // What cannot be read may use or document them.
    if can_be_read {
        found.extend(unused_imports(db, file));
        found.extend(unused_private(db, file));
        found.extend(misplaced_docs(db, file));
    }
    found.extend(accidental_comments(db, file));
    sorted(db, with_levels(db, found))
}

/// What is wrong inside of the items of `file`: what an edit of a file that it does not import leaves alone.
#[salsa::tracked(returns(ref))]
fn item_diagnostics(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for item in file_item_ids(db, file).iter().copied() {
        found.extend_from_slice(check_item(db, item));
    }
    found.extend(error_diagnostics(db, file));
    found
}

/// What is wrong with the project's `gsw.toml` and with every file of the project outside of the library, file by file.
#[must_use]
pub fn check_project(db: &dyn Db) -> Vec<Diagnostic> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let files = project.modules(db).values().copied();
    let own: Vec<File> = files.filter(|it| !is_std(db, *it)).collect();
    check_ahead(db, &own, || ControlFlow::Continue(()));
    let of_files = own.into_iter().flat_map(|it| check_file(db, it));
    configuration_diagnostics(db)
        .into_iter()
        .chain(of_files)
        .collect()
}

/// Finds out on all cores most of what [`check_file`] says of these files, as long as it `may_go_on`. How many of them, from the
/// first.
pub fn check_ahead(
    db: &dyn Db,
    files: &[File],
    may_go_on: impl Fn() -> ControlFlow<()> + Sync,
) -> usize {
    look_ahead(db, files, |db, file| {
        file_diagnostics(db, file);
        may_go_on()
    })
}

/// A report when the program has no workflow `main`, for commands that are about to run or build it.
pub fn missing_main(db: &dyn Db) -> Option<Diagnostic> {
    let project = Project::try_get(db)?;
    let entry = *project.modules(db).get(project.entry(db))?;
    let main = module_scope(db, entry).items.get("main");
    if main.is_some_and(|it| it.kind(db) == ItemKind::Workflow) {
        return None;
    }
    let place = Place::File {
        file: entry,
        span: Span::new(0, 0),
    };
    let workflows = module_scope(db, entry).items.values();
    let names: Vec<String> = workflows
        .filter(|it| it.kind(db) == ItemKind::Workflow)
        .map(|it| it.name(db).to_string())
        .collect();
    let other = main.map(|it| kind_text(it.kind(db)));
    Some(errors::missing_main(place, &names, other))
}

/// The item that has a mistake of syntax, with the place of the mistake in the file. A bracket that is not closed is a
/// mistake from where it is opened.
fn broken_item(db: &dyn Db, file: File, mistake: Place) -> Option<(Span, ItemId)> {
    let span = locate(db, mistake).1;
    let items = file_item_ids(db, file);
    // In the order of the text: it is the last one that begins before it, or the one before, which may end there.
    let after = items.partition_point(|it| item_offset(db, *it) <= span.start);
    let mut near = items[after.saturating_sub(2)..after].iter().copied();
    near.find(|item| {
        let end = item_ast(db, *item).map_or(0, |it| it.span.end);
        let own = Span::new(0, end).shifted(item_offset(db, *item));
        own.touches(span.start)
    })
    .map(|item| (span, item))
}

/// Whether a report most likely only follows from a mistake of syntax in the same item: what could not be read declares no
/// names and has no type. What ends before the mistake does not depend on it.
fn follows(db: &dyn Db, report: &Diagnostic, broken: &[(Span, ItemId)]) -> bool {
    let Place::Item { item, .. } = report.place else {
        return false;
    };
    let span = locate(db, report.place).1;
    let text = item.file(db).text(db);
    let is_one_line = |one: u32, other: u32| {
        let range = one.min(other) as usize..one.max(other) as usize;
        text.get(range).is_some_and(|it| !it.contains('\n'))
    };
    let mut mistakes = broken.iter().filter(|(_, it)| *it == item);
    mistakes.any(|(mistake, _)| {
        report.severity != Severity::Error
            || span.end > mistake.start
            || is_one_line(span.start, mistake.start)
    })
}

/// What is wrong with an item by itself: what an edit of another one leaves alone.
#[salsa::tracked(returns(deref))]
fn check_item(db: &dyn Db, item: ItemId) -> Box<[Diagnostic]> {
    let mut found = Vec::new();
    found.extend_from_slice(&item_signature(db, item).diagnostics);
    if matches!(
        item.kind(db),
        ItemKind::Record | ItemKind::Enum | ItemKind::Alias | ItemKind::Error
    ) {
        found.extend_from_slice(&type_declaration(db, item).diagnostics);
        found.extend(recursion_diagnostic(db, item));
    }
    let misplaced = head_diagnostics(db, item);
    found.extend(permission_diagnostics(db, item));
    found.extend(item_not_yet_supported(db, item));
    let inferred = infer_item(db, item);
    let unmet = requirement_diagnostics(db, item);
    let of_bodies = inferred.bodies.iter();
    let broken_rules: Vec<Diagnostic> = of_bodies.flat_map(|it| rule_diagnostics(db, it)).collect();
    let mistakes = inferred.diagnostics.iter().cloned();
    found.extend(
        mistakes.filter(|it| !is_consequence(it, &unmet) && !is_of_lost_return(it, &broken_rules)),
    );
    found.extend(unmet);
    found.extend(expansion_diagnostics(db, item));
    for body in &inferred.bodies {
        found.extend(pattern_diagnostics(db, body));
    }
    found.extend(broken_rules);
    // What is wrong hides what is used.
    let head = &item_signature(db, item).diagnostics;
    if !inferred
        .diagnostics
        .iter()
        .chain(head)
        .chain(&misplaced)
        .any(|it| it.severity == Severity::Error)
    {
        found.extend(lint_diagnostics(db, item, inferred));
    }
    found.extend(misplaced);
    found.into()
}

/// A list of errors that lacks one or names something else is most likely mistaken: that one of them is never
/// raised is reported once that is fixed.
fn drop_doubts(found: &mut Vec<Diagnostic>) {
    let item = |it: &Diagnostic| match it.place {
        Place::Item { item, .. } => Some(item),
        Place::File { .. } => None,
    };
    let doubtful: Vec<_> = found
        .iter()
        .filter(|it| matches!(it.code, Code::UNDECLARED_ERROR | Code::NOT_AN_ERROR))
        .map(item)
        .collect();
    found.retain(|it| it.code != Code::NEVER_RAISED || !doubtful.contains(&item(it)));
    // What a constant asks of a run most likely is also what it waits for.
    let outside: Vec<_> = found
        .iter()
        .filter(|it| it.code == Code::NOT_CONSTANT)
        .map(item)
        .collect();
    found.retain(|it| it.code != Code::CANNOT_WAIT || !outside.contains(&item(it)));
}

/// Whether a value only has the wrong type because a call inside of it is not possible at all.
fn is_consequence(report: &Diagnostic, unmet: &[Diagnostic]) -> bool {
    let Place::Item { span: whole, .. } = report.place else {
        return false;
    };
    report.code == Code::TYPE_MISMATCH
        && unmet.iter().any(|it| match it.place {
            Place::Item { span, .. } => whole.start < span.start && span.end < whole.end,
            Place::File { .. } => false,
        })
}

/// Whether the value of a `return` that may not stand there has the wrong type: it would have another place.
fn is_of_lost_return(report: &Diagnostic, broken: &[Diagnostic]) -> bool {
    let Place::Item { span: value, .. } = report.place else {
        return false;
    };
    let is_around = |it: &Diagnostic| {
        let around = match it.place {
            Place::Item { span, .. } => span.holds(value),
            Place::File { .. } => false,
        };
        it.code == Code::CANNOT_LEAVE && around
    };
    report.code == Code::TYPE_MISMATCH && broken.iter().any(is_around)
}

/// A warning whose mend is that of an error is about the same mistake.
fn drop_warnings_of_errors(found: &mut Vec<Diagnostic>) {
    let of_errors = found.iter().filter(|it| it.severity == Severity::Error);
    let edits = of_errors.flat_map(|it| it.fixes.iter().flat_map(|it| it.edits.iter()));
    let places: Vec<Place> = edits.map(|it| it.place).collect();
    let is_same = |it: &Edit| places.contains(&it.place);
    found.retain(|it| {
        let mut edits = it.fixes.iter().flat_map(|it| it.edits.iter());
        it.severity == Severity::Error || !edits.any(is_same)
    });
}

/// In the order of places, each once, and at one place no second report of a kind.
fn sorted(db: &dyn Db, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut placed: Vec<((Span, Severity, Code), Diagnostic)> = found
        .into_iter()
        .map(|it| ((locate(db, it.place).1, it.severity, it.code), it))
        .collect();
    placed.sort_by_key(|(key, _)| *key);
    placed.dedup_by_key(|(key, _)| *key);
    let unreachable: Vec<Span> = placed
        .iter()
        .filter(|((_, _, code), _)| *code == Code::UNREACHABLE_ARM)
        .map(|((span, _, _), _)| *span)
        .collect();
    placed.retain(|((span, _, code), _)| {
        *code != Code::IMPOSSIBLE_CATCH || !unreachable.contains(span)
    });
    placed.into_iter().map(|(_, it)| it).collect()
}
