//! Every code has a page whose examples show what they say.

use gsw_source::Code;

use crate::literate::compare_reports;
use crate::page::{cases, remarks, write_project};
use crate::program::gswc;

/// Codes that no single small file can show, and the test that shows them.
const SHOWN_ELSEWHERE: &[&str] = &[
    // A comment, which can hold no remark: `reports::reports_read_exactly_as_pages_say`.
    "accidental-comment",
    // The same.
    "misplaced-doc",
    // Two files: `bad_input::import_cycles_are_shown_as_a_path`.
    "import-cycle",
    // Found when a program is lowered: `bad_input::instances_do_not_grow_for_ever`.
    "instance-too-deep",
    // A name of more than 200 bytes: `bad_input::long_names_are_refused`.
    "invalid-name",
    // Hundreds of arms: `compiler/semantics/tests/sizes.rs`.
    "match-too-complex",
    // Not of a file but of a command: `bad_input::a_program_without_main_cannot_run`.
    "missing-main",
    // Not of a program but of `gsw.toml`: `project::pages_of_projects_report_what_they_say`.
    "invalid-toml",
    "unknown-key",
    "wrong-value",
    // Not of a file but of a command: `bad_input::a_program_of_a_host_cannot_run_by_itself`.
    "needs-host",
    // More than 256 brackets: `bad_input::deep_nesting_is_reported_and_not_a_crash`.
    "nesting-too-deep",
];

#[test]
fn pages_of_codes_show_their_code() {
    let mut wrong = Vec::new();
    let list = gswc(&["explain"]);
    for code in Code::ALL.iter().map(|it| it.name()) {
        assert!(
            list.out.contains(&format!("\n  {code}")),
            "{code} is not listed"
        );
        let page = gswc(&["explain", code]);
        if !page.out.starts_with(&format!("# {code}\n")) {
            wrong.push(format!("{code}.md does not start with its name"));
        }
        if SHOWN_ELSEWHERE.contains(&code) {
            continue;
        }
        let cases = cases(&page.out);
        if !cases
            .iter()
            .any(|case| remarks(&case.source).iter().any(|it| it.2 == code))
        {
            wrong.push(format!("{code}.md shows no program with this diagnostic"));
        }
        // Each example is a `main.gsw` in a folder of its own, so that a page can name its files as a reader would.
        for (index, case) in cases.iter().enumerate() {
            let file = write_project("codes", code, index, case);
            wrong.extend(compare_reports(&format!("{code}.md"), &case.source, &file));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_unknown_code_is_a_usage_error() {
    let said = gswc(&["explain", "no-such-code"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("no-such-code"), "{}", said.err);
    let near = gswc(&["explain", "unknown-nmae"]);
    assert_eq!(
        near.err,
        "gswc: there is nothing called `unknown-nmae` to explain; did you mean `unknown-name`?\n"
    );
    let quoted = gswc(&["explain", "error[unknown-name]"]);
    assert!(quoted.out.starts_with("# unknown-name\n"), "{quoted:?}");
}
