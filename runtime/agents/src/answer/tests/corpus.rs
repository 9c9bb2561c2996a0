//! Answers as data: pages of schemas, answers, and what each is read as. `ACCEPT=1` renews the notes about an answer, never what it
//! is read as.
//!
//! `=== schema NAME` begins a schema, `=== whole NAME` a value of it that damaged answers are to give, `=== NAME: what it shows` an
//! answer, which ends before `--- ` and what it is read as: JSON, `whole` or `refused`. Then come its repairs, dropped items or issues.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::read;
use crate::settings::Exactness;

struct Case {
    schema: String,
    exactness: Exactness,
    /// As it is written in the page.
    written: String,
    /// JSON, or a word.
    expected: String,
}

/// One part of a page, with its heading.
struct Part {
    heading: String,
    text: String,
}

fn parts(page: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for line in page.lines() {
        match line.strip_prefix("=== ") {
            Some(heading) => parts.push(Part {
                heading: heading.into(),
                text: String::new(),
            }),
            None => {
                if let Some(part) = parts.last_mut() {
                    part.text.push_str(line);
                    part.text.push('\n');
                }
            }
        }
    }
    parts
}

fn case(part: &Part) -> Case {
    let (schema, _) = part
        .heading
        .split_once(": ")
        .unwrap_or_else(|| panic!("no name: {}", part.heading));
    let (schema, exactness) = match schema.split_once(' ') {
        None => (schema, Exactness::Lenient),
        Some((schema, "exact")) => (schema, Exactness::Exact),
        Some((schema, "keep_valid")) => (schema, Exactness::KeepValid),
        Some((_, other)) => panic!("`{other}` is no setting of `answer`"),
    };
    let (written, said) = part
        .text
        .split_once("\n--- ")
        .or_else(|| {
            let said = part.text.strip_prefix("--- ")?;
            Some(("", said))
        })
        .unwrap_or_else(|| panic!("no end: {}", part.heading));
    Case {
        schema: schema.into(),
        exactness,
        written: written.into(),
        expected: said.lines().next().unwrap_or_default().into(),
    }
}

/// Characters that cannot be seen are written by their numbers: `<U+00A0>`.
fn unescaped(text: &str) -> String {
    let mut pieces = text.split("<U+");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (code, rest) = piece.split_once('>').expect("the end of a character");
        let code = u32::from_str_radix(code, 16).expect("the number of a character");
        plain.push(char::from_u32(code).expect("a character"));
        plain.push_str(rest);
    }
    plain
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers")
}

/// A page as it should be, and what is wrong with what its answers are read as.
fn renewed(page: &str) -> (String, Vec<String>) {
    let before = page.find("=== ").unwrap_or(page.len());
    let mut renewed = page[..before].to_owned();
    let (mut schemas, mut wholes) = (BTreeMap::new(), BTreeMap::new());
    let mut wrong = Vec::new();
    for part in parts(page) {
        let _ = writeln!(renewed, "=== {}", part.heading);
        let json = || -> Value {
            serde_json::from_str(&part.text).unwrap_or_else(|it| panic!("{}: {it}", part.heading))
        };
        if let Some(name) = part.heading.strip_prefix("schema ") {
            schemas.insert(name.to_owned(), json());
            renewed.push_str(&part.text);
            continue;
        }
        if let Some(name) = part.heading.strip_prefix("whole ") {
            wholes.insert(name.to_owned(), json());
            renewed.push_str(&part.text);
            continue;
        }
        let case = case(&part);
        let schema = &schemas[&case.schema];
        let expected = match case.expected.as_str() {
            "refused" => None,
            "whole" => Some(wholes[&case.schema].clone()),
            json => Some(
                serde_json::from_str(json).unwrap_or_else(|it| panic!("{}: {it}", part.heading)),
            ),
        };
        let (found, said) = outcome(&case, schema);
        if found != expected {
            let found = found.map_or("refused".into(), |it| it.to_string());
            wrong.push(format!(
                "{}: {} is read as {found}: {said}",
                part.heading, case.written
            ));
        }
        let _ = write!(renewed, "{}\n--- {}\n{said}\n", case.written, case.expected);
    }
    (renewed.trim_end().to_owned() + "\n", wrong)
}

fn outcome(case: &Case, schema: &Value) -> (Option<Value>, String) {
    let mut said = String::new();
    let found = match read(&unescaped(&case.written), schema, case.exactness) {
        Ok(reading) => {
            for repair in reading.repairs {
                let _ = writeln!(said, "{repair}");
            }
            for issue in reading.dropped {
                let _ = writeln!(said, "dropped {}", issue.message);
            }
            Some(reading.value)
        }
        Err(issues) => {
            for issue in issues {
                let _ = writeln!(said, "{}", issue.message);
            }
            None
        }
    };
    (found, said)
}

#[test]
fn answers_are_read_as_the_pages_say() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut pages: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the folder of the pages")
        .map(|it| it.expect("a page").path())
        .filter(|it| it.extension().is_some_and(|it| it == "txt"))
        .collect();
    pages.sort();
    for path in pages {
        let page = std::fs::read_to_string(&path).expect("a page");
        let (renewed, misread) = renewed(&page);
        count += page.matches("\n--- ").count();
        wrong.extend(misread);
        if renewed == page {
            continue;
        }
        if std::env::var_os("ACCEPT").is_some() {
            std::fs::write(&path, renewed).expect("the page is written");
            continue;
        }
        let differs = page.lines().zip(renewed.lines()).find(|it| it.0 != it.1);
        wrong.push(format!("{}: {differs:?} (ACCEPT=1)", path.display()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 200, "{count} answers are too few");
}
