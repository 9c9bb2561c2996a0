//! Programs with the diagnostics they get, written beside the lines: the pages of all codes, and of `tests/semantics`.
//!
//! A block marked `gsw` is a program. `// error: [code] "part of message"` (or `warning`) on a line asks for exactly that on
//! this line; an error that is reported without being asked for fails the test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gsw_semantics::check_file;
use gsw_source::{Database, Diagnostic, File, Project, Severity};
use gsw_syntax::locate;

/// What a line asks for, or what was reported on it.
#[derive(Debug)]
struct Report {
    line: usize,
    severity: &'static str,
    code: String,
    message: String,
}

#[test]
fn pages_of_codes_say_what_is_reported() {
    check_folder(&root().join("../source/src/codes"));
}

#[test]
fn programs_get_the_diagnostics_beside_their_lines() {
    check_folder(&root().join("../../tests/semantics"));
}

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
        let found = check_file(&db, file).iter();
        failures.extend(
            found.map(|it| format!("{}:{} {}", path.display(), line_of(&db, it), it.message)),
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
        let found = check_file(&db, *file).iter();
        failures.extend(found.map(|it| format!("{path}:{} {}", line_of(&db, it), it.message)));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn check_folder(folder: &Path) {
    let mut failures = Vec::new();
    for path in files(folder, "md").into_iter().filter(|it| !is_beyond(it)) {
        let page = std::fs::read_to_string(&path).expect("a page is text");
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let name = format!("{stem}.md");
        for (index, (line, program)) in programs(&page).into_iter().enumerate() {
            failures.extend(
                check_program(&format!("{stem}_{index}"), &program)
                    .into_iter()
                    .map(|it| format!("{name}:{line}: {it}")),
            );
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Whether a page is of a code that only lowering reports.
fn is_beyond(page: &Path) -> bool {
    page.file_stem().is_some_and(|it| it == "instance-too-deep")
}

/// The `gsw` blocks of a page, each with the line where it starts.
fn programs(page: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in page.lines().enumerate() {
        match &mut open {
            None if line.trim() == "```gsw" => open = Some((index + 1, String::new())),
            None => {}
            Some(_) if line.trim() == "```" => found.extend(open.take()),
            Some((_, text)) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    found
}

fn check_program(name: &str, program: &str) -> Vec<String> {
    let (db, file) = opened(name, program);
    let mut found: Vec<Report> = check_file(&db, file)
        .iter()
        .map(|it| report(&db, it))
        .collect();
    let mut failures = Vec::new();
    for asked in program
        .lines()
        .enumerate()
        .flat_map(|(index, line)| asked(index + 1, line))
    {
        let fits = |it: &Report| {
            it.line == asked.line
                && it.severity == asked.severity
                && it.code == asked.code
                && it.message.contains(&asked.message)
        };
        match found.iter().position(fits) {
            Some(index) => {
                found.remove(index);
            }
            None => failures.push(format!("not reported: {asked:?}")),
        }
    }
    let unasked = found.iter().filter(|it| it.severity == "error");
    failures.extend(unasked.map(|it| format!("reported: {it:?}")));
    failures
}

fn asked(line: usize, text: &str) -> Vec<Report> {
    let mut found = Vec::new();
    for severity in ["error", "warning"] {
        let mark = format!("// {severity}: [");
        for (start, _) in text.match_indices(&mark) {
            let rest = &text[start + mark.len()..];
            let (code, rest) = rest.split_once(']').expect("`]` closes the code");
            let message = rest.split('"').nth(1).unwrap_or_default();
            found.push(Report {
                line,
                severity,
                code: code.into(),
                message: message.into(),
            });
        }
    }
    found
}

fn report(db: &Database, diagnostic: &Diagnostic) -> Report {
    Report {
        line: line_of(db, diagnostic),
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "hint",
        },
        code: diagnostic.code.name().into(),
        message: diagnostic.message.clone(),
    }
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
