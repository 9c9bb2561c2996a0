//! Formatting changes no meaning, loses no comment, and is done after once.
//!
//! A `formatted` block of a page in `tests/format` is what the `gsw` block before it becomes. `ACCEPT=1` rewrites it.

use std::path::{Path, PathBuf};

use gsw_format::format_file;
use gsw_source::{Database, File};
use gsw_syntax::{dump_item, parse_file};

/// The tree of a program and its comments.
fn parts(db: &Database, text: &str) -> (String, Vec<String>) {
    let file = File::new(db, "test.gsw".into(), text.into());
    let parsed = parse_file(db, file);
    let tree = parsed
        .items
        .iter()
        .map(|item| dump_item(&item.item))
        .collect();
    let comment = |span: gsw_source::Span| {
        text[span.start as usize..span.end as usize]
            .trim_end()
            .to_owned()
    };
    let mut comments: Vec<String> = parsed.comments.iter().map(|it| comment(it.span)).collect();
    comments.sort();
    (tree, comments)
}

/// The formatted text; `None` when the program has mistakes.
fn format(db: &Database, text: &str) -> Option<String> {
    let file = File::new(db, "test.gsw".into(), text.into());
    format_file(db, file).ok()
}

fn check(name: &str, text: &str, failures: &mut Vec<String>) -> Option<String> {
    let db = Database::default();
    let once = format(&db, text)?;
    let Some(twice) = format(&db, &once) else {
        failures.push(format!("{name}: the result has mistakes:\n{once}"));
        return Some(once);
    };
    if once != twice {
        failures.push(format!(
            "{name}: twice is not once:\n{once}\n-----\n{twice}"
        ));
    }
    let ((tree, comments), (new_tree, new_comments)) = (parts(&db, text), parts(&db, &once));
    if tree != new_tree {
        failures.push(format!(
            "{name}: the tree changed:\n{tree}\n-----\n{new_tree}\n-----\n{once}"
        ));
    }
    if comments != new_comments {
        failures.push(format!("{name}: comments changed:\n{once}"));
    }
    Some(once)
}

/// The files with that ending in a folder of the repository.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map(|entries| {
            entries
                .map(|entry| entry.expect("an entry can be read").path())
                .collect()
        })
        .unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|it| it == ending));
    files.sort();
    files
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("test data can be read")
}

#[test]
fn programs_keep_their_meaning() {
    let mut failures = Vec::new();
    for folder in [
        "tests/conformance/run",
        "tests/conformance/bad",
        "std",
        "std/std",
        "examples",
    ] {
        for path in files(folder, "gsw") {
            check(&path.display().to_string(), &read(&path), &mut failures);
        }
    }
    for folder in ["tests/syntax", "tests/semantics", "tests/run"] {
        for path in files(folder, "md") {
            for (number, block) in read(&path).split("```gsw\n").skip(1).enumerate() {
                let text = block.split("```").next().unwrap_or_default();
                check(
                    &format!("{} block {number}", path.display()),
                    text,
                    &mut failures,
                );
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n=====\n"));
}

/// No page, since an editor's grammar reads a path as one word.
#[test]
fn a_comment_in_the_path_of_an_import_stands_behind_it() {
    let db = Database::default();
    let formatted = format(&db, "import std/ // files\n  fs\n");
    assert_eq!(formatted.as_deref(), Some("import std/fs\n// files\n"));
}

#[test]
fn pages() {
    let mut failures = Vec::new();
    for path in files("tests/format", "md") {
        let page = read(&path);
        let mut formatted = String::new();
        let mut output = String::new();
        for (number, part) in page.split("```").enumerate() {
            let mut part = part.to_owned();
            if let Some(text) = part.strip_prefix("gsw\n").filter(|_| number % 2 == 1) {
                formatted =
                    check(&path.display().to_string(), text, &mut failures).unwrap_or_default();
            } else if part.starts_with("formatted\n") && part != format!("formatted\n{formatted}") {
                failures.push(format!("{}: formatted is\n{formatted}", path.display()));
                part = format!("formatted\n{formatted}");
            }
            output.push_str(if number > 0 { "```" } else { "" });
            output.push_str(&part);
        }
        if std::env::var_os("ACCEPT").is_some() {
            std::fs::write(&path, output).expect("test data can be written");
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n=====\n"));
}
