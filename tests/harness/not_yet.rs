//! `docs/reference/not-yet.md` lists what the checker refuses, settings that do nothing, and requirements that nothing shows.

use std::fmt::Write;
use std::fs;

use gsw_infer::Missing;

use crate::program::root;

/// The settings that only people read, from the rows of the table.
fn unread_settings() -> Vec<String> {
    let table = fs::read_to_string(root().join("runtime/abi/src/setting.rs"));
    let table = table.expect("the table is there");
    let rows = table.lines().filter(|it| it.contains("read(people)"));
    let names = rows.filter_map(|it| it.trim().split([' ', ':']).nth(1));
    names.map(str::to_owned).collect()
}

/// What requirements say is not there, with its number.
fn unmet_requirements() -> Vec<(String, String)> {
    let page = fs::read_to_string(root().join("docs/requirements.md"));
    let page = page.expect("the page is there");
    let mut unmet = Vec::new();
    for row in page.lines().filter(|it| it.starts_with("| G")) {
        let number = row.split(" | ").next().unwrap_or_default();
        let last = row.trim_end_matches(" |").rsplit("not yet: ");
        let parts: Vec<&str> = last.collect();
        // The last one is the text before the first `not yet`.
        for what in parts.iter().rev().skip(1) {
            let what = what.trim_end_matches("<br>").trim();
            unmet.push((number.trim_start_matches("| ").to_owned(), what.to_owned()));
        }
    }
    unmet
}

fn page() -> String {
    let mut page = String::from(
        "# Not there yet

Made from what the compiler refuses, from the table of settings and from the [requirements](../requirements.md); a test keeps it current.

## Refused by the compiler

These parse, and `gswc check` reports them as `not-yet-supported`.

| what | until then |
|---|---|
",
    );
    for missing in Missing::ALL {
        let _ = writeln!(page, "| {} | {} |", missing.what(), missing.instead());
    }
    let settings = unread_settings();
    let settings: Vec<String> = settings.iter().map(|it| format!("`{it}`")).collect();
    let _ = write!(
        page,
        "
## Settings without an effect

They are checked, are for those who read the program, and change nothing: {}.

## Requirements that nothing meets yet

",
        settings.join(", ")
    );
    let unmet = unmet_requirements();
    page.push_str(match unmet.is_empty() {
        true => "None.\n",
        false => "| requirement | missing |\n|---|---|\n",
    });
    for (number, what) in unmet {
        let _ = writeln!(page, "| {number} | {what} |");
    }
    page
}

#[test]
fn the_page_of_what_is_missing_is_current() {
    let path = root().join("docs/reference/not-yet.md");
    let expected = page();
    if std::env::var_os("ACCEPT").is_some() {
        fs::write(&path, &expected).expect("the repository can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/reference/not-yet.md is not current; ACCEPT=1 cargo test --test harness not_yet writes it anew"
    );
}

#[test]
fn all_sources_of_the_page_are_read() {
    assert!(unread_settings().contains(&"description".to_owned()));
    assert!(!unread_settings().contains(&"tools".to_owned()));
    assert!(
        unmet_requirements()
            .iter()
            .all(|it| it.0.starts_with('G') && !it.1.is_empty())
    );
}
