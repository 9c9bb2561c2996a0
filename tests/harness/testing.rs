//! `gswc test`: mocks, virtual time, what failing tests say, and the tests of the examples.

use std::process::{Command, Stdio};

use fake_provider::Script;
use serde_json::{Value, json};

use crate::cassettes::Stage;
use crate::program::{Said, gswc, gswc_in, root, scratch, text};
use crate::wire::{when, with_provider};

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
    for name in [
        "mocks",
        "assertions",
        "permissions",
        "turns",
        "rows",
        "scripts",
        "snapshots",
        "logs",
    ] {
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

/// A folder with a file that does not compile before one that does.
fn half_broken(name: &str) -> std::path::PathBuf {
    let folder = scratch("half_broken").join(name);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    for (file, text) in [
        ("a.gsw", "test \"adds\" { assert 1 + == 2 }\n"),
        ("b.gsw", "test \"holds\" { assert 1 + 1 == 2 }\n"),
    ] {
        std::fs::write(folder.join(file), text).expect("the target folder can be written");
    }
    folder
}

#[test]
fn a_file_that_does_not_compile_is_a_failure_beside_the_results_of_the_others() {
    let folder = half_broken("formats");
    let said = |format: &str| {
        let said = gswc_in(&folder, &["test", "a.gsw", "b.gsw", "--format", format]);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.starts_with("a.gsw:1:"), "{said:?}");
        said.out
    };
    let text = said("text");
    let expected =
        "a.gsw\nFAIL  the file can be tested\n      it does not compile\nb.gsw\nok    holds\n";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("1 passed, 1 failed"), "{text}");

    let lines = said("json");
    let lines: Vec<Value> = lines
        .lines()
        .map(|it| serde_json::from_str(it).expect("each line is JSON"))
        .collect();
    assert_eq!(
        (&lines[0]["file"], &lines[0]["ending"]),
        (&json!("a.gsw"), &json!("failed"))
    );
    let message = lines[0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("a.gsw:1:"), "{message}");
    assert_eq!(
        (&lines[1]["file"], &lines[1]["ending"]),
        (&json!("b.gsw"), &json!("passed"))
    );

    let xml = said("junit");
    let tree = roxmltree::Document::parse(&xml).expect("the report is XML");
    let failures = tree.descendants().filter(|it| it.has_tag_name("failure"));
    let texts: Vec<_> = failures.filter_map(|it| it.text()).collect();
    assert!(texts.len() == 1 && texts[0].contains("a.gsw:1:"), "{xml}");
    assert!(xml.contains("name=\"holds\""), "{xml}");
}

#[test]
fn what_models_answered_is_kept_though_another_file_does_not_compile() {
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" }
prompt rate(dish: string) -> int by clerk { user "Rate ${dish}." }
test "rates" cassette "tape.jsonl" { assert rate("soup") == 4 }
"#;
    let stage = Stage::new("half_broken", source);
    let broken = half_broken("recorded").join("a.gsw");
    let script = Script {
        replies: vec![when("soup", json!("4"))],
    };
    let (said, _) = with_provider(script, |url| {
        let program = stage.program();
        let words = ["test", text(&program), text(&broken), "--record"];
        stage.live(url, &words)
    });
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("tape.jsonl: 1 recorded"), "{said:?}");
    assert!(stage.file("tape.jsonl").is_file());
}

#[test]
fn files_are_named_as_they_are_reached_from_the_current_folder() {
    let folder = crate::program::scratch("test_names");
    let inner = folder.join("src/inner");
    std::fs::create_dir_all(&inner).expect("the target folder can be written");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("the target folder can be written");
    };
    write("gsw.toml", "name = \"names\"\nentry = \"src/a.gsw\"\n");
    write(
        "src/a.gsw",
        "import ./inner/b\nworkflow main() -> int { b.two() }\ntest \"a\" { assert b.two() == 1 }\n",
    );
    write(
        "src/inner/b.gsw",
        "fn two() -> int { 2 }\ntest \"b\" { assert two() == 2 }\n",
    );
    write("test.gsw", "test \"c\" { assert true }\n");
    let said = crate::program::gswc_in(&inner, &["test"]);
    let named = said.out.lines().filter(|it| it.ends_with(".gsw"));
    assert_eq!(
        named.collect::<Vec<_>>(),
        ["../a.gsw", "b.gsw", "../../test.gsw"],
        "{said:?}"
    );
    assert!(said.out.contains("at ../a.gsw:3:12\n"), "{said:?}");
    write("src/inner/b.gsw", "fn two() -> int { \"2\" }\n");
    let said = crate::program::gswc_in(&inner, &["check"]);
    assert!(
        said.err.starts_with("../inner/b.gsw:1:19: error"),
        "{said:?}"
    );
}

#[test]
fn a_filter_that_takes_no_test_is_a_mistake() {
    let said = gswc(&[
        "test",
        "tests/testing/mocks.gsw",
        "--filter",
        "no such test",
    ]);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(
        said.err
            .contains("no test has `no such test` in its name; there are 14"),
        "{}",
        said.err
    );
}

#[test]
fn a_filter_takes_single_rows_and_whole_shares() {
    let rows = "tests/testing/rows.gsw";
    let said = tested(&["test", rows, "--filter", "lengths [\"ab\""]);
    assert!(
        said.out.ends_with("1 passed, 0 failed, 47 left out\n"),
        "{said:?}"
    );
    let said = tested(&["test", rows, "--filter", "a share of the rows"]);
    assert!(
        said.out
            .contains("ok    a share of the rows (3 of 4 runs)\n"),
        "{said:?}"
    );
}

#[test]
fn one_test_is_run_by_its_name() {
    let file = scratch("only").join("o.gsw");
    let tests = "test \"a\" { assert true }\ntest \"ab\" { assert false }\ntest \"say \\\"a\\\"\" for n in [1, 2] { assert n > 0 }\n";
    std::fs::write(&file, tests).expect("scratch can be written");
    let said = |name: &str| gswc(&["test", text(&file), "--only", name]);
    for (name, wanted) in [
        ("a", "1 passed, 0 failed, 3 left out in "),
        ("say \"a\"", "2 passed, 0 failed, 2 left out in "),
        ("say \"a\" 2", "1 passed, 0 failed, 3 left out in "),
        ("ab", "0 passed, 1 failed, 3 left out in "),
    ] {
        let said = said(name);
        assert!(said.out.contains(wanted), "{name}: {said:?}");
    }
    let none = said("b");
    assert_eq!(none.code, Some(2));
    assert!(
        none.err.contains("no test is called `b`; there are 4"),
        "{none:?}"
    );
}

/// What is accepted is kept beside the file, once and for all rows, and what is no longer taken goes away.
#[test]
fn snapshots_are_accepted_and_stale_ones_removed() {
    let folder = scratch("snapshots");
    let (file, kept) = (folder.join("s.gsw"), folder.join("s.gsw.snap"));
    let _ = std::fs::remove_file(&kept);
    let write = |program: &str| std::fs::write(&file, program).expect("scratch can be written");
    write(
        "test \"a\" for n in [1, 2] repeat 2 { assert snapshot({ \"n\": n }) }\ntest \"b\" { assert snapshot(\"x\\ny\") }\n",
    );
    let said = tested(&["test", text(&file)]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.out.contains("snapshot 1 is new") && !kept.exists(),
        "{said:?}"
    );
    let said = tested(&["test", text(&file), "--accept"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("s.gsw.snap: 3 accepted, 0 removed\n"),
        "{said:?}"
    );
    let written = std::fs::read_to_string(&kept).expect("it was just accepted");
    assert!(
        written.contains("\"a 2\" 1\n  {\n    \"n\": 2\n  }\n"),
        "{written}"
    );
    assert!(written.contains("\"b\" 1 text\n  x\n  y\n"), "{written}");
    assert_eq!(tested(&["test", text(&file)]).code, Some(0));

    write("test \"a\" for n in [1] { assert snapshot({ \"n\": n + 1 }) }\n");
    let said = tested(&["test", text(&file)]);
    assert!(
        said.out.contains("-   \"n\": 1\n") && said.out.contains("+   \"n\": 2\n"),
        "{said:?}"
    );
    assert!(said.out.contains("\"b\" 1 is used by no test"), "{said:?}");
    let said = tested(&["test", text(&file), "--accept"]);
    assert!(said.out.contains("1 accepted, 2 removed"), "{said:?}");
    write("test \"a\" { assert true }\n");
    assert_eq!(tested(&["test", text(&file), "--accept"]).code, Some(0));
    assert!(!kept.exists(), "nothing is left to keep");

    std::fs::write(&kept, "<<<<<<< ours\n").expect("scratch can be written");
    let said = tested(&["test", text(&file)]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.err.contains("line 1: this is not a snapshot file"),
        "{said:?}"
    );
}

/// Values nest deeper than `serde_json` reads by itself.
#[test]
fn what_nests_deep_is_kept_compared_and_a_row() {
    let folder = scratch("deep_snapshots");
    let (file, kept) = (folder.join("d.gsw"), folder.join("d.gsw.snap"));
    let _ = std::fs::remove_file(&kept);
    let write = |inner: usize| {
        let program = format!(
            "fn deep(n: int) -> json {{ json.parse(\"[\".repeat(200) + \"${{n}}\" + \"]\".repeat(200)) }}
test \"kept\" {{ assert snapshot(deep({inner})) }}
test \"rows\" for row in [deep(5)] {{ assert row == deep(5) }}
"
        );
        std::fs::write(&file, program).expect("scratch can be written");
    };
    write(1);
    let said = tested(&["test", text(&file), "--accept"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(tested(&["test", text(&file)]).code, Some(0));
    write(2);
    let said = tested(&["test", text(&file)]);
    assert_eq!(
        said.code,
        Some(1),
        "another value is another snapshot: {said:?}"
    );
}

const SORTING: &str = r#"
agent clerk { model: "openai/gpt-5" retry: 0 }
prompt label(text: string) -> "spam" | "ham" by clerk { user "Label: ${text}" }
human approve(text: string) -> bool { user "Send ${text}?" }
test "sorts" for (text, want) in [("win money", "spam"), ("hello", "ham"), ("buy this", "spam")] pass 0.6 {
  assert label(text) == want
}
test "mocks hold" { mock label(_) -> "ham"; assert label("win money") == "ham" }
test "people are not asked" { approve("x") }
"#;

#[test]
fn live_tests_ask_models_and_score_them() {
    let file = scratch("live").join("sorting.gsw");
    std::fs::write(&file, SORTING).expect("scratch can be written");
    let script = Script {
        replies: vec![
            when("win money", json!("\"spam\"")),
            when("hello", json!("\"spam\"")),
            when("buy this", json!("\"spam\"")),
        ],
    };
    let (said, asked) = with_provider(script, |url| {
        let output = Command::new(env!("CARGO_BIN_EXE_gswc"))
            .args(["test", text(&file), "--live", "--json"])
            .args(["--model", "anthropic/claude-sonnet-5-5,sim/default"])
            .current_dir(root())
            .stdin(Stdio::null())
            .env_remove("GSW_MODEL")
            .env("GSW_CACHE", "off")
            .env("ANTHROPIC_API_KEY", "key-of-tests")
            .env("ANTHROPIC_BASE_URL", url)
            .output();
        Said::from(output.expect("gswc can be started"))
    });
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(
        asked.len(),
        3,
        "what is mocked asks nobody, and neither does the simulator"
    );
    let lines: Vec<Value> = said
        .out
        .lines()
        .map(|it| serde_json::from_str(it).expect("each line is JSON"))
        .collect();
    let by_claude: Vec<&Value> = lines
        .iter()
        .filter(|it| it["model"] == "anthropic/claude-sonnet-5-5")
        .collect();
    assert_eq!(by_claude[0]["runs"], json!({ "passed": 2, "all": 3 }));
    assert_eq!(by_claude[0]["ending"], "passed");
    assert_eq!(by_claude[1]["ending"], "passed");
    let message = by_claude[2]["message"].as_str();
    assert!(
        message.is_some_and(|it| it.contains("no `mock` answers")),
        "{message:?}"
    );
    let scores = &lines.last().expect("the numbers come last")["models"];
    let claude = &scores[0];
    assert_eq!((&claude["passed"], &claude["runs"]), (&json!(3), &json!(5)));
    assert_eq!(claude["share"], 0.6);
    assert!(
        claude["tokens"].as_u64() > Some(0) && claude["cost_usd"].as_f64() > Some(0.0),
        "{claude}"
    );
    assert!(claude["median"].as_f64().is_some(), "{claude}");
    assert_eq!(
        (&scores[1]["model"], &scores[1]["runs"]),
        (&json!("sim/default"), &json!(5))
    );
}

#[test]
fn models_are_named_for_live_tests_alone() {
    let said = gswc(&["test", "tests/testing/mocks.gsw", "--model", "sim/default"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("--live"), "{}", said.err);
    let said = gswc(&[
        "test",
        "tests/testing/mocks.gsw",
        "--live",
        "--accept",
        "--model",
        "a/b,c/d",
    ]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("give only one `--model`"), "{}", said.err);
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
