//! The page of requirements names tests that exist.

use crate::program::root;

/// How a test of this name begins in a file.
fn beginning(path: &str, name: &str) -> String {
    match path.rsplit('.').next() {
        Some("rs") => format!("fn {name}()"),
        Some("md") => format!("## {name}\n"),
        _ => format!("test \"{name}\" {{"),
    }
}

/// What is wrong with the last column of a row.
fn wrong_in(cell: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for item in cell.split("<br>") {
        let named = item
            .strip_prefix('`')
            .and_then(|rest| rest.split_once("`: "));
        match named {
            None if item.starts_with("not yet: ") && item.len() > 9 => {}
            None => wrong.push(format!("`{item}` is neither a test nor `not yet`")),
            Some((path, name)) => {
                let text = std::fs::read_to_string(root().join(path)).unwrap_or_default();
                if !text.contains(&beginning(path, name)) {
                    wrong.push(format!("`{path}` has no test {name}"));
                }
            }
        }
    }
    wrong
}

#[test]
fn every_requirement_names_tests_that_exist() {
    let page = root().join("docs/requirements.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let rows = page.lines().filter(|it| it.starts_with("| G"));
    let mut wrong = Vec::new();
    let mut numbers = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        numbers.push(cells[0].trim_start_matches("| ").to_owned());
        let shown = cells.get(2).copied().unwrap_or_default();
        wrong.extend(wrong_in(shown.trim_end_matches(" |")));
    }
    let expected: Vec<String> = (1..=58).map(|it| format!("G{it}")).collect();
    assert_eq!(numbers, expected);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_test_that_does_not_exist_is_found_out() {
    let cell = "`tests/harness/requirements.rs`: nobody_wrote_this<br>not yet: this<br>else";
    let wrong = wrong_in(cell);
    assert_eq!(wrong.len(), 2, "{wrong:?}");
}
