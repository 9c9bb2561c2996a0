//! Text that is not written by hand: the checker answers soon and never panics, and what it accepts means the same to the
//! reference evaluator and to compiled code.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gsw_source::{Database, File, Project, Severity};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_oneof, proptest};
use salsa::Setter;

use crate::differential::assert_same_meaning;
use crate::page::cases;
use crate::program::root;

/// No text of a few thousand characters takes so long, also on a busy machine.
const LONG: Duration = Duration::from_secs(30);

/// Words that mean something, and some that do not.
const WORDS: &[&str] = &[
    "workflow main() -> int {",
    "fn f<T>(x: T) -> T {",
    "type R {",
    "enum E {",
    "error X(",
    "agent a {",
    "prompt p(",
    "import std/fs",
    "let",
    "var",
    "state",
    "match",
    "if",
    "else",
    "for",
    "in",
    "while",
    "return",
    "fail",
    "catch",
    "defer {",
    "spawn",
    "await",
    "parallel",
    "step \"s\"",
    "retry 2",
    "timeout 1s",
    "limit",
    "errors settle",
    "by",
    "with",
    "where",
    "emit",
    "true",
    "none",
    "it",
    "self",
    "x",
    "f",
    "T",
    "int",
    "string",
    "json",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "=>",
    "->",
    "=",
    "==",
    "+",
    "-",
    "*",
    "/",
    "..",
    "..=",
    "?",
    "??",
    "?.",
    ".",
    ",",
    ":",
    ";",
    "|",
    "!",
    "\"",
    "\"a ${",
    "}\"",
    "\"\"\"",
    "r#\"",
    "//",
    "///",
    "@alias(\"b\")",
    "1",
    "2.5",
    "0x",
    "1e",
    "30s",
    "'",
    "\\",
    "ü",
    "\u{1F600}",
    "\n",
    "\n",
    "\n",
];

/// The checker with one program after another; what is unchanged is kept.
struct Checker {
    db: Database,
    file: File,
}

impl Checker {
    fn new() -> Self {
        let db = Database::default();
        let library = gsw_std::MODULES.iter().map(|(path, text)| {
            (
                (*path).to_owned(),
                File::new(&db, (*path).into(), (*text).into()),
            )
        });
        let mut modules: BTreeMap<String, File> = library.collect();
        let file = File::new(&db, "main.gsw".into(), "".into());
        modules.insert("main".into(), file);
        Project::new(&db, modules, "main".into());
        Self { db, file }
    }

    /// Whether a text has no errors.
    fn accepts(&mut self, text: &str) -> bool {
        self.file.set_text(&mut self.db).to(text.into());
        let begin = Instant::now();
        let found = gsw_analysis::check_project(&self.db);
        assert!(begin.elapsed() < LONG, "it takes {:?}", begin.elapsed());
        found.iter().all(|it| it.severity != Severity::Error)
    }
}

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder stands in the repository");
    for entry in entries {
        let path = entry.expect("a folder can be listed").path();
        let is_hidden = path
            .file_name()
            .is_some_and(|it| it.to_string_lossy().starts_with('.'));
        if path.is_dir() && !is_hidden && !path.ends_with("target") {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|it| it == ending) {
            found.push(path);
        }
    }
}

/// Every program of the repository.
fn programs() -> Vec<String> {
    let mut paths = Vec::new();
    files(&root(), "gsw", &mut paths);
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("a program is text");
    let mut programs: Vec<String> = paths.iter().map(read).collect();
    let mut pages = Vec::new();
    files(&root(), "md", &mut pages);
    programs.extend(
        pages
            .iter()
            .flat_map(|it| cases(&read(it)).into_iter().map(|it| it.source)),
    );
    programs.sort();
    programs
}

/// Programs that end soon and touch nothing outside.
fn runnable() -> Vec<String> {
    let mut pages = Vec::new();
    files(&root().join("tests/run"), "md", &mut pages);
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("a page is text");
    let all = pages
        .iter()
        .flat_map(|it| cases(&read(it)).into_iter().map(|it| it.source));
    let mut programs: Vec<String> = all.filter(|it| !it.contains("import std")).collect();
    programs.extend((1..20).map(|seed| gsw_generator::generate(seed, 2)));
    programs
}

/// Runs of letters and digits, and every other character by itself.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let is_letter = |it: char| it.is_alphanumeric() || it == '_';
    for letter in text.chars() {
        match words.last_mut() {
            Some(last) if is_letter(letter) && last.ends_with(is_letter) => last.push(letter),
            _ => words.push(letter.to_string()),
        }
    }
    words
}

/// One change: what is done, where, and with which other place.
type Edit = (u8, prop::sample::Index, prop::sample::Index);

fn edited(program: &str, other: &str, edits: &[Edit]) -> String {
    let (mut words, other) = (words(program), words(other));
    for (what, at, to) in edits {
        if words.is_empty() || other.is_empty() {
            break;
        }
        let (at, from) = (at.index(words.len()), to.index(other.len()));
        let to = to.index(words.len());
        match what % 6 {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[to].clone()),
            2 => words.swap(at, to),
            // Words of a kind, so that more of what comes out has a meaning.
            3 | 4 => replace_alike(&mut words, at, to),
            _ => words[at] = other[from].clone(),
        }
    }
    words.concat()
}

fn replace_alike(words: &mut [String], at: usize, to: usize) {
    let sort = |word: &str| {
        word.chars()
            .next()
            .map(|it| (it.is_alphabetic(), it.is_numeric(), it.is_uppercase()))
    };
    let kind = sort(&words[at]);
    let found = (0..words.len())
        .map(|it| (it + to) % words.len())
        .find(|it| sort(&words[*it]) == kind);
    if let Some(found) = found {
        words[at] = words[found].clone();
    }
}

fn one<'a>(programs: &'a [String], index: &prop::sample::Index) -> &'a str {
    &programs[index.index(programs.len())]
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec(
        (
            any::<u8>(),
            any::<prop::sample::Index>(),
            any::<prop::sample::Index>(),
        ),
        1..5,
    )
}

fn config(cases: u32) -> ProptestConfig {
    let written = std::env::var("GSW_SOUP")
        .ok()
        .and_then(|it| it.parse().ok());
    ProptestConfig {
        cases: written.unwrap_or(cases),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

#[test]
fn soup_is_refused_and_nothing_worse() {
    let checker = RefCell::new(Checker::new());
    let word = prop_oneof![
        8 => prop::sample::select(WORDS).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
        1 => prop::collection::vec(any::<u8>(), 0..12).prop_map(|it| String::from_utf8_lossy(&it).into_owned()),
    ];
    let separator = prop_oneof![4 => Just(" "), 1 => Just(""), 1 => Just("\n")];
    let text = prop::collection::vec((word, separator), 0..80).prop_map(|them| {
        them.into_iter()
            .map(|(word, separator)| word + separator)
            .collect::<String>()
    });
    proptest!(config(500), |(text in text)| {
        checker.borrow_mut().accepts(&text);
    });
}

#[test]
fn edited_programs_are_checked_and_nothing_worse() {
    let checker = RefCell::new(Checker::new());
    let programs = programs();
    let place = any::<prop::sample::Index>;
    proptest!(config(500), |(program in place(), other in place(), edits in edits())| {
        let text = edited(one(&programs, &program), one(&programs, &other), &edits);
        checker.borrow_mut().accepts(&text);
    });
}

#[test]
fn edited_programs_that_are_accepted_keep_their_meaning_in_compiled_code() {
    let checker = RefCell::new(Checker::new());
    let programs = runnable();
    let place = any::<prop::sample::Index>;
    proptest!(config(500), |(program in place(), other in place(), edits in edits())| {
        let text = edited(one(&programs, &program), one(&programs, &other), &edits);
        if checker.borrow_mut().accepts(&text) {
            assert_same_meaning(&text);
        }
    });
}
