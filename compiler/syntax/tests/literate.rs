//! Runs the Markdown files of `tests/syntax`: `gsw` blocks are parsed, a `tree` block after one is its tree.
//!
//! Mistakes are announced on their line: `// error: [code] "part of the message"`, several for several.
//! `ACCEPT=1` rewrites the `tree` blocks.

use std::path::{Path, PathBuf};

use gsw_source::{Database, File, LineIndex};
use gsw_syntax::{dump_item, locate, parse_file};

/// The blocks of a Markdown file and what is between them, in order.
enum Part {
    Text(String),
    Block { language: String, content: String },
}

fn parts(markdown: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            parts.push(Part::Text(line.to_owned()));
            continue;
        };
        let content: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        parts.push(Part::Block {
            language: language.to_owned(),
            content: content.iter().map(|line| format!("{line}\n")).collect(),
        });
    }
    parts
}

/// What a block parses to: its tree, and each mistake as line, code and message.
struct Parsed {
    tree: String,
    mistakes: Vec<(u32, &'static str, String)>,
}

fn parse(text: &str) -> Parsed {
    let db = Database::default();
    let file = File::new(&db, "test.gsw".into(), text.into());
    let parsed = parse_file(&db, file);
    let index = LineIndex::new(text);
    let mistakes = parsed.diagnostics.iter().map(|diagnostic| {
        let (_, span) = locate(&db, diagnostic.place);
        let line = index.position(text, span.start).line;
        (line, diagnostic.code.name(), diagnostic.message.clone())
    });
    Parsed {
        tree: parsed
            .items
            .iter()
            .map(|item| dump_item(&item.item))
            .collect(),
        mistakes: mistakes.collect(),
    }
}

/// The announced mistakes: line, code and part of the message.
fn announced(text: &str) -> Vec<(u32, String, String)> {
    let mut announced = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        for note in line.split("// error: [").skip(1) {
            let (code, rest) = note.split_once(']').expect("a code in brackets");
            let message = rest.trim().trim_matches('"');
            announced.push((number, code.to_owned(), message.to_owned()));
        }
    }
    announced
}

/// What differs between the announced and the found mistakes.
fn differences(text: &str, parsed: &Parsed) -> Vec<String> {
    let mut found = parsed.mistakes.clone();
    let mut differences = Vec::new();
    for (line, code, message) in announced(text) {
        let place = found
            .iter()
            .position(|(found_line, found_code, found_message)| {
                *found_line == line && *found_code == code && found_message.contains(&message)
            });
        match place {
            Some(place) => drop(found.remove(place)),
            None => differences.push(format!("line {line}: no [{code}] {message:?}")),
        }
    }
    let unexpected = found.iter();
    differences.extend(
        unexpected
            .map(|(line, code, message)| format!("line {line}: unexpected [{code}] {message}")),
    );
    differences
}

/// Checks one file and gives it back with its trees as they are.
fn check(path: &Path, failures: &mut Vec<String>) -> String {
    let markdown = std::fs::read_to_string(path).expect("test data can be read");
    let mut heading = String::new();
    let mut tree = String::new();
    let mut output = String::new();
    for part in parts(&markdown) {
        match part {
            Part::Text(line) => {
                if line.starts_with('#') {
                    heading.clone_from(&line);
                }
                output.push_str(&line);
                output.push('\n');
            }
            Part::Block { language, content } => {
                let mut content = content;
                let mut fail =
                    |what: String| failures.push(format!("{}: {heading}: {what}", path.display()));
                if language == "gsw" {
                    let parsed = parse(&content);
                    differences(&content, &parsed)
                        .into_iter()
                        .for_each(&mut fail);
                    tree = parsed.tree;
                } else if language == "tree" && content != tree {
                    fail(format!("the tree is\n{tree}"));
                    content.clone_from(&tree);
                }
                output.push_str(&format!("```{language}\n{content}```\n"));
            }
        }
    }
    output
}

#[test]
fn markdown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/syntax");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of test data exists")
        .map(|entry| entry.expect("an entry can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    paths.sort();
    let mut failures = Vec::new();
    for path in paths {
        let output = check(&path, &mut failures);
        if std::env::var_os("ACCEPT").is_some() {
            std::fs::write(&path, output).expect("test data can be written");
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The pages of codes show what they explain.
#[test]
fn pages_of_codes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../source/src/codes");
    let mut failures = Vec::new();
    for code in [
        "invalid-character",
        "invalid-escape",
        "invalid-number",
        "unclosed-bracket",
        "unexpected-token",
        "unopened-bracket",
        "unterminated-string",
    ] {
        check(&folder.join(format!("{code}.md")), &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Whole programs parse without a word.
#[test]
fn conformance_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/run");
    for entry in std::fs::read_dir(folder).expect("the folder of programs exists") {
        let path = entry.expect("an entry can be read").path();
        if path.extension().is_some_and(|extension| extension == "gsw") {
            let text = std::fs::read_to_string(&path).expect("a program can be read");
            assert_eq!(parse(&text).mistakes, [], "{}", path.display());
        }
    }
}
