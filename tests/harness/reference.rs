//! The reference evaluator gives what the pages and the conformance programs expect.

use gsw_evaluator::{Verdict, evaluate};
use gsw_source::{Database, Disk};
use serde_json::{Map, Value};

use crate::page::written_cases;
use crate::program::root;

/// The value of one option as JSON; what is none is a text.
fn option(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| Value::from(value))
}

/// Compares, where the reference can say something; whether it could.
fn compare(
    place: &str,
    file: &std::path::Path,
    input: Map<String, Value>,
    expected: Option<&str>,
    wrong: &mut Vec<String>,
) -> bool {
    let mut db = Database::default();
    let entry = gsw_project::open_project(&mut db, file, &Disk).expect("the file was just written");
    match (
        evaluate(&db, entry, "main", &Value::Object(input)),
        expected,
    ) {
        (Verdict::Unknown(_) | Verdict::TooMuch(_), _) => return false,
        (Verdict::Value(json), Some(expected)) if expected.trim_end() == json => {}
        // `()` prints nothing.
        (Verdict::Value(json), Some("")) if json == "null" => {}
        (Verdict::Raised(name), None) if !name.is_empty() => {}
        (verdict, expected) => {
            wrong.push(format!("{place}: expected {expected:?}, got {verdict:?}"))
        }
    }
    true
}

#[test]
fn the_reference_gives_what_the_pages_of_run_expect() {
    let mut wrong = Vec::new();
    let (mut evaluated, mut all) = (0, 0);
    for (place, file, case) in written_cases("tests/run", "reference") {
        if case.expected("arguments").is_some() {
            continue;
        }
        let expected = match case.expected("failure") {
            Some(_) => None,
            None => Some(case.expected("output").unwrap_or_default()),
        };
        all += 1;
        evaluated += usize::from(compare(&place, &file, Map::new(), expected, &mut wrong));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What waits in ways that the reference lacks, asks models or works on files is not much more than the rest.
    assert!(
        evaluated * 5 > all * 2,
        "only {evaluated} of {all} were evaluated"
    );
}

#[test]
fn the_reference_gives_what_the_conformance_programs_expect() {
    let mut wrong = Vec::new();
    let folder = root().join("tests/conformance/run");
    let mut evaluated = 0;
    for entry in std::fs::read_dir(folder).expect("the conformance programs are there") {
        let file = entry.expect("a folder can be listed").path();
        if file.extension().is_none_or(|it| it != "gsw") {
            continue;
        }
        let mut input = Map::new();
        if let Ok(line) = std::fs::read_to_string(file.with_extension("args"))
            && let Some((name, value)) = line.trim_end().split_once(' ')
        {
            input.insert(
                name.trim_start_matches('-').replace('-', "_"),
                option(value),
            );
        }
        let expected = std::fs::read_to_string(file.with_extension("out"));
        let expected = expected.expect("every program has its output");
        let place = file.display().to_string();
        evaluated += usize::from(compare(&place, &file, input, Some(&expected), &mut wrong));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(evaluated > 0, "none was evaluated");
}
