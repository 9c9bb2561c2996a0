//! The conformance programs: exact output of the good ones, refusal of the bad ones.

use std::path::{Path, PathBuf};

use crate::program::{gswc, root, run_both_ways, text};

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = root().join("tests/conformance").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the conformance programs are there")
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|it| it == "gsw"))
        .collect();
    files.sort();
    files
}

/// `.args` is one option, one space, and the rest of the line is its value.
fn arguments(file: &Path) -> Vec<String> {
    let Ok(line) = std::fs::read_to_string(file.with_extension("args")) else {
        return Vec::new();
    };
    line.trim_end().splitn(2, ' ').map(str::to_owned).collect()
}

#[test]
fn good_programs_print_exactly_what_is_expected() {
    let mut wrong = Vec::new();
    for file in programs("run") {
        let arguments = arguments(&file);
        let words: Vec<_> = arguments.iter().map(String::as_str).collect();
        let expected = std::fs::read_to_string(file.with_extension("out"))
            .expect("every program has its output");
        let said = run_both_ways(&file, &words);
        if said.code != Some(0) || said.out != expected {
            wrong.push(format!(
                "{}: expected {expected:?}, got {said:?}",
                file.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bad_programs_are_refused_where_they_are_wrong() {
    let mut wrong = Vec::new();
    for file in programs("bad") {
        let expected = std::fs::read_to_string(file.with_extension("expect"))
            .expect("every program has its refusal");
        let (line, word) = expected
            .trim_end_matches('\n')
            .split_once('\t')
            .expect("line, tab, word");
        let line: u64 = line.parse().expect("the number of a line");
        let said = gswc(&["check", "--format", "json", text(&file)]);
        let found = said.out.lines().any(|report| {
            let report: serde_json::Value = serde_json::from_str(report).expect("reports are JSON");
            report["severity"] == "error"
                && report["start"]["line"].as_u64() == Some(line)
                && (report["message"].to_string()
                    + &report["code"].to_string()
                    + &report["notes"].to_string())
                    .contains(word)
        });
        if said.code != Some(1) || !found {
            wrong.push(format!(
                "{}: no error on line {line} about {word:?} in {said:?}",
                file.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
