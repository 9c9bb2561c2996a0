//! Compiles programs that models write while another program runs: one text, without a disk, beneath that program's rights.
//!
//! The rights are given as a project's: its `gsw.toml` grants what the program that runs may do, so the checker itself reports
//! whatever a written `permissions` block, or a call without one, wants beyond that.

#![warn(clippy::wildcard_enum_match_arm)]

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_abi::permission::Permitted;
use gsw_codegen::Options;
use gsw_project::CONFIGURATION;
use gsw_source::{Database, Diagnostic, Files, Severity, with_stack};

/// What a written program is called, also in reports.
const ENTRY: &str = "written.gsw";
/// The compiler's work is recursive over syntax trees of at most a thousand levels.
const STACK: usize = 64 << 20;
/// The most reports that are given back, the first ones: a model that mends them sends the whole text again.
const MOST_REPORTS: usize = 10;
/// The most bytes of these reports.
const MOST_TEXT: usize = 8 << 10;

/// The image of a program with a workflow `main`; the same for the same text and rights.
///
/// # Errors
/// What is wrong with it, worded for its author.
pub fn image(source: &str, permissions: &Permitted) -> Result<Vec<u8>, String> {
    // A text that brings the compiler down must not bring down the program that runs.
    let compiled = catch_unwind(AssertUnwindSafe(|| {
        with_stack(STACK, || compile(source, permissions))
    }));
    compiled.unwrap_or_else(|_| Err("the compiler has failed; this is a bug in it".into()))
}

fn compile(source: &str, permissions: &Permitted) -> Result<Vec<u8>, String> {
    let mut db = Database::default();
    let files = Alone {
        source: source.into(),
        configuration: configuration(permissions).into(),
    };
    gsw_project::open_project(&mut db, Path::new(ENTRY), &files)?;
    let mut found = gsw_analysis::check_project(&db);
    found.retain(|it| it.severity == Severity::Error);
    if found.is_empty() {
        found.extend(gsw_analysis::missing_main(&db));
    }
    if !found.is_empty() {
        return Err(shown(&db, &found));
    }
    let module = gsw_flow::lower_program(&db).map_err(|found| shown(&db, &found))?;
    gsw_codegen::compile(&module, &Options::default()).map_err(|error| error.to_string())
}

/// The first reports, as `gswc check` prints them.
fn shown(db: &Database, found: &[Diagnostic]) -> String {
    let located = found
        .iter()
        .take(MOST_REPORTS)
        .map(|it| it.located(|place| gsw_syntax::locate(db, place)));
    let text = gsw_source::render_plain(db, &located.collect::<Vec<_>>());
    let mut text = without_project(&text);
    if text.len() > MOST_TEXT {
        let end = (0..=MOST_TEXT).rev().find(|it| text.is_char_boundary(*it));
        text.truncate(end.unwrap_or_default());
        text.push_str("…\n");
    }
    if let Some(further @ 1..) = found.len().checked_sub(MOST_REPORTS) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "and {further} more");
    }
    text
}

/// A report worded for an author who knows of no project: the permissions are those of the program around it, and cannot be
/// extended.
fn without_project(text: &str) -> String {
    let of_project = format!("`[permissions]` of `{CONFIGURATION}`");
    let lines = text
        .lines()
        .map(|it| it.replace(&of_project, "the program that runs this"));
    let kept = lines.filter(|it| !it.contains(CONFIGURATION));
    kept.flat_map(|it| [it, "\n".into()]).collect()
}

/// A `gsw.toml` that grants this.
fn configuration(permissions: &Permitted) -> String {
    let mut text = format!("entry = {}\n[permissions]\n", quoted(ENTRY));
    for (permission, listed) in permissions {
        let listed: Vec<String> = listed.iter().map(|it| quoted(it)).collect();
        let _ = writeln!(text, "{permission} = [{}]", listed.join(", "));
    }
    text
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(character);
            }
            it if it.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(it));
            }
            it => quoted.push(it),
        }
    }
    quoted.push('"');
    quoted
}

/// One program and its configuration; there is no disk.
struct Alone {
    source: Arc<str>,
    configuration: Arc<str>,
}

impl Files for Alone {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        if path == Path::new(ENTRY) {
            return Ok(Arc::clone(&self.source));
        }
        if path == Path::new(CONFIGURATION) {
            return Ok(Arc::clone(&self.configuration));
        }
        Err(
            "does not exist: a written program is one file, and imports modules of `std` alone"
                .into(),
        )
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Path::new("/").join(path)
    }

    fn below(&self, _folder: &Path) -> Result<Vec<String>, String> {
        Err("does not exist: a written program has no folders".into())
    }
}

#[cfg(test)]
mod tests {
    use gsw_abi::permission::{Permission, Permitted};

    use super::image;

    fn rights() -> Permitted {
        [(Permission::FsRead, vec!["./notes".into()])].into()
    }

    fn wrong(source: &str) -> String {
        image(source, &rights()).expect_err("it is refused")
    }

    #[test]
    fn a_program_that_checks_is_always_the_same_image() {
        let source = "import std/fs\nworkflow main() -> string { fs.read(\"notes/a\") }\n";
        let first = image(source, &rights()).expect("it checks");
        assert_eq!(image(source, &rights()).expect("it checks"), first);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let said = wrong("workflow main() -> int { \"no\" }\n");
        assert!(said.contains("written.gsw:1:"), "{said}");
        assert!(wrong("fn f() -> int { 1 }\n").contains("main"));
        assert!(wrong("import ./secrets\nworkflow main() -> int { 1 }\n").contains("no module"));
    }

    #[test]
    fn rights_only_narrow() {
        let block = "workflow main() -> int { 1 }\npermissions { exec: [\"sh\"] }\n";
        assert!(wrong(block).contains("exec"));
        let wider = "workflow main() -> int { 1 }\npermissions { fs.read: [\"./notes/../..\"] }\n";
        assert!(wrong(wider).contains("fs.read"));
        let call = "import std/fs\nworkflow main() { fs.write(\"a\", \"b\") }\n";
        assert!(wrong(call).contains("fs.write"));
        let none = &Permitted::new();
        let reads = "import std/fs\nworkflow main() -> string { fs.read(\"a\") }\n";
        assert!(
            image(reads, none).is_err(),
            "where nothing is granted nothing is permitted"
        );
    }

    #[test]
    fn nothing_that_is_written_brings_it_down() {
        for source in [
            "",
            "\u{0}",
            "workflow",
            &"(".repeat(60_000),
            &"workflow main() {}\n".repeat(2_000),
        ] {
            assert!(image(source, &rights()).is_err());
        }
    }
}
