//! Every code has a page whose examples show what they say.

use crate::literate::{compare_reports, write_case};
use crate::page::{cases, remarks};
use crate::program::gswc;

#[test]
fn pages_of_codes_show_their_code() {
    let mut wrong = Vec::new();
    let list = gswc(&["explain"]);
    for code in list.out.lines() {
        let page = gswc(&["explain", code]);
        if !page.out.starts_with(&format!("# {code}\n")) {
            wrong.push(format!("{code}.md does not start with its name"));
        }
        let cases = cases(&page.out);
        if !cases
            .iter()
            .any(|case| remarks(&case.source).iter().any(|it| it.2 == code))
        {
            wrong.push(format!("{code}.md shows no program with this diagnostic"));
        }
        for (index, case) in cases.iter().enumerate() {
            let file = write_case("codes", code, index, &case.source);
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
}
