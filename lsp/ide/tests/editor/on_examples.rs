//! Every action, and renames, tried on programs of the repository: what an action makes of a formatted program is formatted and compiles, and brings no report where only the form
//! is to be another.

use std::path::Path;

use gsw_ide::{ActionKind, Renamable};
use gsw_source::{Severity, Span};

use crate::fixture::{Fixture, fixture};

/// Of the places of a program every so many-th is tried.
const STEP: usize = 331;

/// Of the programs of the pages every so many-th is tried.
const PAGE_STEP: usize = 5;

#[test]
fn actions_leave_formatted_programs_that_compile() {
    let mut it = fixture("");
    let mut tried = 0;
    for text in programs() {
        it.put(&text);
        // One that needs other files is no program here.
        if errors(&it) == 0 && gsw_ide::formatting(&it.db, it.file).is_empty() {
            tried += on_program(&mut it, &text);
        }
    }
    assert!(tried > 300, "{tried} actions");
}

#[test]
fn renamed_programs_compile_and_bring_no_report() {
    let mut it = fixture("");
    let mut tried = 0;
    for text in programs() {
        it.put(&text);
        if errors(&it) == 0 {
            tried += renames_in(&mut it, &text);
        }
    }
    assert!(tried > 300, "{tried} renames");
}

/// The examples, and some of the programs that are run.
fn programs() -> Vec<String> {
    let examples = files("../../examples", "gsw").into_iter();
    let mut found: Vec<String> = examples.collect();
    for page in files("../../tests/run", "md") {
        found.extend(blocks(&page).into_iter().step_by(PAGE_STEP));
    }
    found
}

/// The programs of a page.
pub fn blocks(page: &str) -> Vec<String> {
    let blocks = page.split("```gsw\n").skip(1);
    let texts = blocks.filter_map(|it| it.split("```").next());
    texts.map(str::to_owned).collect()
}

/// The texts of a folder's files with that ending.
pub fn files(folder: &str, ending: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("the repository has it");
    let mut paths: Vec<_> = entries.flatten().map(|it| it.path()).collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == ending));
    paths.sort();
    let texts = paths.iter().map(std::fs::read_to_string);
    texts.collect::<Result<_, _>>().expect("they are texts")
}

/// Where the words of a text begin.
pub fn starts_of_names(text: &str) -> Vec<usize> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let starts = text.char_indices().filter(|(at, first)| {
        let before = text[..*at].chars().next_back();
        is_part(*first) && !before.is_some_and(is_part)
    });
    starts.map(|(at, _)| at).collect()
}

/// A longer name of the same kind.
pub fn other_name(old: &str) -> String {
    if old.starts_with(char::is_lowercase) || old.starts_with('_') {
        format!("{old}_zq")
    } else if old.len() > 1 && !old.contains(char::is_lowercase) {
        format!("{old}_ZQ")
    } else {
        format!("{old}Zq")
    }
}

/// Gives every fifth name that can have another one such a name; how many it were.
fn renames_in(it: &mut Fixture, text: &str) -> usize {
    let before = reports(it);
    let mut tried = 0;
    for at in starts_of_names(text).into_iter().step_by(5) {
        let offset = u32::try_from(at).expect("a small text");
        let Ok(Renamable { name: old, .. }) = gsw_ide::prepare_rename(&it.db, it.file, offset)
        else {
            continue;
        };
        let new = other_name(&old);
        let Ok(edits) = gsw_ide::rename(&mut it.db, it.file, offset, &new) else {
            continue;
        };
        let after = it.edited(&edits);
        it.put(&after);
        assert_eq!(errors(it), 0, "{old}:\n{after}");
        assert!(reports(it) <= before, "{old}:\n{after}");
        it.put(text);
        tried += 1;
    }
    tried
}

/// How many actions were tried.
fn on_program(it: &mut Fixture, text: &str) -> usize {
    let before = reports(it);
    let starts = (0..text.len()).filter(|at| text.is_char_boundary(*at));
    let mut tried = 0;
    for at in starts.step_by(STEP) {
        let offset = u32::try_from(at).expect("a small text");
        let around = gsw_ide::selection_range(&it.db, it.file, offset);
        let small = around.into_iter().filter(|it| it.end - it.start < 300);
        // The cursor alone, and what an editor would select from there.
        let ranges = std::iter::once(Span::new(offset, offset)).chain(small.take(3));
        for range in ranges {
            let actions = gsw_ide::code_action(&mut it.db, it.file, range, is_refactoring);
            for action in actions {
                let after = it.edited(&action.edits);
                it.put(&after);
                let title = &action.title;
                let place: String = text[at..].chars().take(40).collect();
                assert_eq!(errors(it), 0, "{title} at {place}:\n{after}");
                if changes_form_alone(action.kind) {
                    let found = reports(it);
                    assert!(found <= before, "{title} at {place}:\n{after}");
                }
                let unformatted = gsw_ide::formatting(&it.db, it.file);
                assert!(unformatted.is_empty(), "{title} at {place}:\n{after}");
                it.put(text);
                tried += 1;
            }
        }
    }
    tried
}

const fn is_refactoring(kind: ActionKind) -> bool {
    match kind {
        ActionKind::Extract
        | ActionKind::Inline
        | ActionKind::Rewrite
        | ActionKind::OrganizeImports => true,
        ActionKind::PreferredFix | ActionKind::Fix | ActionKind::FixAll => false,
    }
}

/// Whether the program is to be the same, but for its form.
const fn changes_form_alone(kind: ActionKind) -> bool {
    match kind {
        ActionKind::Extract | ActionKind::Inline | ActionKind::OrganizeImports => true,
        ActionKind::Rewrite | ActionKind::PreferredFix | ActionKind::Fix | ActionKind::FixAll => {
            false
        }
    }
}

fn reports(it: &Fixture) -> usize {
    gsw_ide::diagnostics(&it.db, it.file).len()
}

pub fn errors(it: &Fixture) -> usize {
    let reports = gsw_ide::diagnostics(&it.db, it.file);
    let errors = reports.iter().filter(|it| it.severity == Severity::Error);
    errors.count()
}
