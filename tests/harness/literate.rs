//! Runs the pages of `tests/semantics` and `tests/run`, and the blocks of `docs`.

use std::path::Path;

use crate::page::{Case, remarks, written_cases};
use crate::program::{Said, gswc, root, run_both_ways, text};

/// What `gswc check` reports for a program: line, severity, code, message.
pub fn reports(file: &Path) -> Vec<(usize, String, String, String)> {
    let said = gswc(&["check", "--format", "json", text(file)]);
    let field = |report: &serde_json::Value, name: &str| {
        report[name].as_str().unwrap_or_default().to_owned()
    };
    said.out
        .lines()
        .map(|line| {
            let report: serde_json::Value = serde_json::from_str(line).expect("reports are JSON");
            let start = report["start"]["line"].as_u64().unwrap_or_default() as usize;
            (
                start,
                field(&report, "severity"),
                field(&report, "code"),
                field(&report, "message"),
            )
        })
        .collect()
}

/// Compares reports with the remarks in the source, both ways.
pub fn compare_reports(place: &str, source: &str, file: &Path) -> Vec<String> {
    let mut found = reports(file);
    let mut wrong = Vec::new();
    for (line, severity, code, part) in remarks(source) {
        let position = found
            .iter()
            .position(|it| it.0 == line && it.1 == severity && it.2 == code && it.3.contains(part));
        match position {
            Some(position) => {
                found.remove(position);
            }
            None => wrong.push(format!(
                "{place}: no {severity} [{code}] {part:?} on line {line}; there are {found:?}"
            )),
        }
    }
    wrong.extend(
        found
            .iter()
            .filter(|it| it.1 == "error")
            .map(|it| format!("{place}: not expected: {it:?}")),
    );
    wrong
}

fn check_folder(folder: &str) {
    let mut wrong = Vec::new();
    for (place, file, case) in written_cases(folder, &folder.replace('/', "_")) {
        wrong.extend(compare_reports(&place, &case.source, &file));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn expect(place: &str, case: &Case, said: &Said) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(output) = case.expected("output")
        && said.out != output
    {
        wrong.push(format!("{place}: expected {output:?}, got {said:?}"));
    }
    if let Some(part) = case.expected("failure") {
        let missing: Vec<_> = part
            .lines()
            .filter(|line| !said.err.contains(line))
            .collect();
        if !missing.is_empty() || said.code == Some(0) {
            wrong.push(format!("{place}: {missing:?} missing in {said:?}"));
        }
    } else if said.code != Some(0) {
        wrong.push(format!("{place}: failed: {said:?}"));
    }
    wrong
}

#[test]
fn pages_of_semantics_report_what_they_say() {
    check_folder("tests/semantics");
}

#[test]
fn pages_of_docs_compile() {
    for folder in ["docs/guide", "docs/reference"] {
        if root().join(folder).is_dir() {
            check_folder(folder);
        }
    }
}

#[test]
fn pages_of_run_say_the_same_in_memory_and_built() {
    let mut wrong = Vec::new();
    for (place, file, case) in written_cases("tests/run", "run") {
        let arguments = case.expected("arguments").unwrap_or_default();
        let words: Vec<_> = arguments.lines().collect();
        let said = run_both_ways(&file, &words);
        wrong.extend(expect(&place, &case, &said));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
