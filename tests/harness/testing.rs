//! `gswc test`: mocks, virtual time, what failing tests say, and the tests of the examples.

use crate::program::{Said, gswc, root, text};

/// What `gswc test` said without how long it took.
fn tested(words: &[&str]) -> Said {
    let mut said = gswc(words);
    if let Some((front, time)) = said.out.rsplit_once(" in ")
        && time.ends_with(" s\n")
    {
        said.out = format!("{front}\n");
    }
    said
}

#[test]
fn tests_say_what_stands_beside_them() {
    for name in ["mocks", "assertions", "permissions"] {
        let said = tested(&["test", &format!("tests/testing/{name}.gsw")]);
        let path = root().join(format!("tests/testing/{name}.out"));
        if std::env::var_os("ACCEPT").is_some() {
            std::fs::write(&path, &said.out).expect("test data can be written");
        }
        let expected = std::fs::read_to_string(&path).expect("it stands beside the program");
        assert_eq!(said.out, expected, "{}", said.err);
        assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
    }
}

#[test]
fn examples_pass_their_tests() {
    all_pass("examples");
}

#[test]
fn what_is_to_pass_passes() {
    all_pass("tests/testing/passing");
}

fn all_pass(folder: &str) {
    for entry in std::fs::read_dir(root().join(folder)).expect("the folder is there") {
        let path = entry.expect("a folder can be listed").path();
        if path.extension().is_none_or(|it| it != "gsw") {
            continue;
        }
        let said = tested(&["test", text(&path)]);
        assert_eq!(
            said.code,
            Some(0),
            "{}: {}{}",
            path.display(),
            said.out,
            said.err
        );
        let source = std::fs::read_to_string(&path).expect("it was just run");
        let count = source
            .lines()
            .filter(|it| it.starts_with("test \""))
            .count();
        assert!(said.out.ends_with(&format!("{count} passed, 0 failed\n")));
    }
}

#[test]
fn a_filter_takes_the_tests_whose_names_contain_it() {
    let said = gswc(&[
        "test",
        "tests/testing/mocks.gsw",
        "--filter",
        "virtual",
        "--format",
        "json",
    ]);
    assert_eq!(said.code, Some(0));
    let lines: Vec<serde_json::Value> = said
        .out
        .lines()
        .map(|it| serde_json::from_str(it).expect("each line is JSON"))
        .collect();
    assert_eq!(lines[0]["test"], "time is virtual");
    assert_eq!(lines[0]["ending"], "passed");
    assert_eq!(lines[1]["passed"], 1);
    assert!(lines[1]["left_out"].as_u64() > Some(5) && lines[1]["duration"].is_f64());
    assert_eq!(lines.len(), 2);
}

#[test]
fn the_report_for_servers_is_xml_with_a_case_for_each_test() {
    let said = gswc(&["test", "tests/testing/mocks.gsw", "--format", "junit"]);
    assert_eq!(said.code, Some(1));
    let tree = roxmltree::Document::parse(&said.out).expect("the report is XML");
    let top = tree.root_element();
    let number = |node: roxmltree::Node, name: &str| {
        let number: f64 = node
            .attribute(name)
            .unwrap_or("?")
            .parse()
            .expect("a number");
        number
    };
    assert_eq!(top.tag_name().name(), "testsuites");
    let suite = top.first_element_child().expect("a suite for the file");
    assert_eq!(
        (suite.tag_name().name(), suite.attribute("name")),
        ("testsuite", Some("tests/testing/mocks.gsw"))
    );
    let cases: Vec<_> = suite.children().filter(|it| it.is_element()).collect();
    let failed = cases.iter().filter(|it| it.first_element_child().is_some());
    let counts = (cases.len() as f64, failed.count() as f64);
    assert_eq!((number(suite, "tests"), number(suite, "failures")), counts);
    assert_eq!((number(top, "tests"), number(top, "failures")), counts);
    for case in cases {
        assert_eq!(case.tag_name().name(), "testcase");
        assert!(case.attribute("name").is_some() && number(case, "time") >= 0.0);
        if let Some(failure) = case.first_element_child() {
            let message = failure.attribute("message").expect("a failure has one");
            assert!(message.starts_with("error: "), "{message}");
            assert!(failure.text().is_some_and(|it| it.contains(message)));
        }
    }
}

#[test]
fn only_effects_can_be_mocked() {
    let file = crate::program::scratch("testing").join("plain.gsw");
    let program =
        "fn one() -> int { 1 }\ntest \"t\" {\n  mock one() -> 2\n  assert one() == 2\n}\n";
    std::fs::write(&file, program).expect("scratch can be written");
    let said = gswc(&["test", text(&file)]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("`one` cannot be mocked"), "{}", said.err);
}
