//! The conformance programs and the library, checked without anything behind the front end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gsw_analysis::check_file;
use gsw_names::KnownItem;
use gsw_source::{Database, Diagnostic, File, Project};
use gsw_syntax::locate;

#[test]
fn refused_programs_are_refused_where_they_are_wrong() {
    let folder = root().join("../../tests/conformance/bad");
    let mut failures = Vec::new();
    for path in files(&folder, "gsw") {
        let program = std::fs::read_to_string(&path).expect("a program is text");
        let expected = std::fs::read_to_string(path.with_extension("expect"))
            .expect("it says what is expected");
        let (line, word) = expected
            .trim_end_matches('\n')
            .split_once('\t')
            .expect("a line, a tab and a word");
        let (db, file) = opened("main", &program);
        let found = check_file(&db, file);
        let says = |it: &Diagnostic| {
            let notes = it.notes.join(" ");
            line_of(&db, it).to_string() == line
                && format!("{} {} {notes}", it.code.name(), it.message).contains(word)
        };
        if !found.iter().any(says) || found.len() != 1 {
            failures.push(format!("{}: {found:#?}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn accepted_programs_have_no_mistakes() {
    let mut failures = Vec::new();
    for path in files(&root().join("../../tests/conformance/run"), "gsw") {
        let program = std::fs::read_to_string(&path).expect("a program is text");
        let (db, file) = opened("main", &program);
        let found = check_file(&db, file).into_iter();
        failures.extend(
            found.map(|it| format!("{}:{} {}", path.display(), line_of(&db, &it), it.message)),
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_library_has_no_mistakes() {
    let (db, files) = library();
    project(&db, files.clone(), "main");
    let mut failures = Vec::new();
    for (path, file) in &files {
        let found = check_file(&db, *file).into_iter();
        failures.extend(found.map(|it| format!("{path}:{} {}", line_of(&db, &it), it.message)));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_prelude_declares_what_the_compiler_knows() {
    let (db, files) = library();
    project(&db, files, "main");
    for known in KnownItem::ALL {
        let item = known.item(&db);
        assert!(item.is_some_and(|it| known.is(&db, it)), "{}", known.name());
    }
}

#[test]
fn an_intrinsic_names_a_runtime_call_and_effects() {
    let (db, mut modules) = library();
    let text = "\
        @intrinsic(\"list_length\")\nfn misspelled() -> int\n\
        @intrinsic(\"uuid\", \"randomness\")\nfn affected() -> string\n\
        @intrinsic(\"uuid\", \"random\")\nfn right() -> string\n";
    let file = File::new(&db, "std/odd.gsw".into(), text.into());
    modules.insert("std/odd".into(), file);
    project(&db, modules, "std/odd");
    let found = check_file(&db, file);
    let found: Vec<_> = found
        .iter()
        .map(|it| (line_of(&db, it), &*it.message))
        .collect();
    let message = "`@intrinsic` takes the name of a runtime call, and effects";
    assert_eq!(found, [(1, message), (3, message)]);
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn line_of(db: &Database, diagnostic: &Diagnostic) -> usize {
    let (file, span) = locate(db, diagnostic.place);
    let text = file.text(db);
    text.as_bytes()[..span.start as usize]
        .iter()
        .filter(|it| **it == b'\n')
        .count()
        + 1
}

/// A database with the library as its project.
fn library() -> (Database, BTreeMap<String, File>) {
    let db = Database::default();
    let modules: BTreeMap<String, File> = gsw_std::MODULES
        .iter()
        .map(|(path, text)| {
            (
                (*path).to_string(),
                File::new(&db, (*path).into(), (*text).into()),
            )
        })
        .collect();
    (db, modules)
}

/// A project of one file and the library.
fn opened(name: &str, program: &str) -> (Database, File) {
    let (db, mut modules) = library();
    let file = File::new(&db, format!("{name}.gsw").into(), program.into());
    modules.insert(name.into(), file);
    project(&db, modules, name);
    (db, file)
}

/// The files of a folder with this ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder stands in the repository")
        .map(|it| it.expect("its entries can be read").path())
        .filter(|it| it.extension().is_some_and(|it| it == ending))
        .collect();
    paths.sort();
    paths
}

fn project(db: &Database, modules: BTreeMap<String, File>, entry: &str) {
    Project::new(db, modules, entry.into());
}
