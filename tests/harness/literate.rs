//! Runs the pages of `tests/semantics` and `tests/run`, and the blocks of `docs`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::event_form;
use crate::page::{Case, remarks, written_cases};
use crate::program::{GSWC, Said, gswc, root, run_both_ways_with_input, run_with_input, text};

/// The kinds of events that no program of a page can bring about: what needs a provider that misbehaves, or whose model has
/// a window.
const NOT_IN_PAGES: &[&str] = &["cache_evict", "circuit", "model_retry", "results_cleared"];

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
    for folder in ["docs/guide", "docs/how-to", "docs/reference"] {
        if root().join(folder).is_dir() {
            check_folder(folder);
        }
    }
}

#[test]
fn pages_of_the_reference_say_what_they_show() {
    let mut wrong = Vec::new();
    let pages = ["docs/reference", "docs/how-to"];
    let cases = pages.map(|it| written_cases(it, &it.replace('/', "_shown_")));
    for (place, file, case) in cases.into_iter().flatten() {
        if case.expected("output").is_some() {
            let arguments = case.expected("arguments").unwrap_or_default();
            let mut words = vec!["run", text(&file), "--"];
            words.extend(arguments.lines());
            let input = case.expected("input").unwrap_or_default();
            let said = run_with_input(Path::new(GSWC), &words, input);
            wrong.extend(expect(&place, &case, &said));
        }
        if case.source.contains("\ntest \"") {
            let said = gswc(&["test", text(&file)]);
            if said.code != Some(0) {
                wrong.push(format!("{place}: {said:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_of_run_say_the_same_in_memory_and_built() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (place, file, case) in written_cases("tests/run", "run") {
        let arguments = case.expected("arguments").unwrap_or_default();
        let events = file.with_extension("jsonl");
        let mut words: Vec<_> = arguments.lines().collect();
        words.extend(["--events", text(&events)]);
        let input = case.expected("input").unwrap_or_default();
        let said = run_both_ways_with_input(&file, &words, input);
        wrong.extend(expect(&place, &case, &said));
        wrong.extend(event_form::check(&place, &events, &mut seen));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // G17
    let missing: Vec<_> = event_form::kinds().difference(&seen).cloned().collect();
    assert_eq!(
        missing, NOT_IN_PAGES,
        "kinds of events that no page of `tests/run` shows"
    );
}
