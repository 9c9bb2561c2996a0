//! What a run that fails leaves on a terminal and in a pipe: what failed, why, and how to look closer.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{run, scratch, text};
use crate::terminal::Session;

const FILES: &str = r#"
workflow main(files: int = 8) -> [int] {
  parallel for i in 0..files errors merge {
    step "read ${i}.txt" {
      if i % 4 == 1 { step "decode" { fail Failed("no text\nin ${i}") } }
      if i == 7 { fail Failed("empty") }
      i
    }
  }
}
workflow caught() -> string {
  let _ = step "try" { step "inner" { fail Failed("no") } } catch _ => 0
  sleep(400ms)
  "ok"
}
workflow stopped() -> [int] {
  parallel for i in 0..4 {
    if i == 3 {
      sleep(300ms)
      fail Failed("last")
    }
    if i > 0 { step "wait" { sleep(1h) } }
    i
  }
}
workflow value() -> json { { "a": [1, 2], "b": "c\u{1b}" } }
workflow words() -> string { "two\nlines" }
error Odd(a: int)
workflow declared() { step "odd" { fail Odd(a: 5) } }
"#;

fn program() -> PathBuf {
    let file = scratch("failures").join("files.gsw");
    std::fs::write(&file, FILES).expect("the target folder can be written");
    file
}

fn on_pipe(arguments: &[&str]) -> crate::program::Said {
    let file = program();
    let (workflow, rest) = arguments.split_first().expect("a workflow");
    let words = [&["run", text(&file), workflow, "--"], rest].concat();
    run(Path::new(env!("CARGO_BIN_EXE_gswc")), &words)
}

#[test]
fn lines_and_errors_name_what_failed_and_why() {
    let said = on_pipe(&["main"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    for line in [
        "✗ step decode (0 ms): Failed: no text␊in 1\n",
        "✗ step read 7.txt (0 ms): Failed: empty\n",
        "error: Many: 3 of 8 concurrent children failed in main\n  - read 1.txt > decode: no text\n    in 1\n  - read 5.txt > decode: no text\n    in 5\n  - read 7.txt: empty\n",
        "  in main > parallel\n  to look closer: run it with `-- --events run.jsonl`, then `gswc trace run.jsonl`\n",
    ] {
        assert!(said.err.contains(line), "{line}\n{}", said.err);
    }
    assert!(!said.err.contains('\u{1b}'), "{}", said.err);
    let events = scratch("failures").join("events.jsonl");
    let said = on_pipe(&["main", "--events", text(&events)]);
    let how = format!("  to look closer: `gswc trace {}`\n", text(&events));
    assert!(said.err.ends_with(&how), "{}", said.err);
    let said = on_pipe(&["main", "--quiet"]);
    assert!(said.err.ends_with("  in main > parallel\n"), "{}", said.err);
    assert!(said.err.starts_with("error: Many"), "{}", said.err);
}

#[test]
fn a_line_names_a_declared_error_once() {
    let said = on_pipe(&["declared"]);
    assert!(said.err.contains(" ms): Odd(a: 5)\n"), "{}", said.err);
    assert!(said.err.contains("error: Odd(a: 5)\n"), "{}", said.err);
}

#[test]
fn errors_as_json_have_the_paths_of_their_parts() {
    let said = on_pipe(&["main", "--json", "--quiet", "--files", "2000"]);
    let error: Value = serde_json::from_str(&said.err).expect("the error is JSON");
    assert_eq!(error["parts"][0]["name"], "read 1.txt > decode");
    assert_eq!(
        error["parts"][0]["path"],
        "main > parallel > item[1] > read 1.txt > decode"
    );
    let parts = error["parts"].as_array().map(Vec::len);
    let all = error["fields"]["errors"].as_array().map(Vec::len);
    assert_eq!((parts, all), (Some(100), Some(501)), "{said:?}");
    let said = on_pipe(&["main", "--quiet", "--files", "2000"]);
    assert!(said.err.contains("\n  - and 481 more\n"), "{}", said.err);
}

#[test]
fn a_result_is_pretty_in_a_pipe_when_that_is_asked_for() {
    let said = on_pipe(&["value", "--pretty"]);
    assert_eq!(said.out, "{\n  \"a\": [1, 2],\n  \"b\": \"c\\u001b\"\n}\n");
    assert_eq!(on_pipe(&["words", "--pretty"]).out, "two\nlines\n");
    assert_eq!(on_pipe(&["words"]).out, "\"two\\nlines\"\n");
    let said = on_pipe(&["words", "--pretty=yes"]);
    assert_eq!(said.code, Some(2), "{said:?}");
}

#[test]
fn a_terminal_counts_what_failed_and_not_what_is_around_it() {
    let file = program();
    let run = ["run", text(&file)];
    let mut session = Session::gswc((40, 100), &run, &[]);
    assert_eq!(session.finish(), 1);
    let shown = session.shown();
    assert!(shown.contains(" · 3 failed\n"), "{shown}");
    for line in ["  - read 5.txt > decode: no text", "  - read 7.txt: empty"] {
        assert!(shown.contains(line), "{shown}");
    }
    let raw = String::from_utf8_lossy(&session.raw).into_owned();
    assert!(raw.contains("\u{1b}[31merror: \u{1b}[0mMany"), "{raw}");

    let words = [&run[..], &["caught"]].concat();
    let mut session = Session::gswc((40, 100), &words, &[]);
    assert_eq!(session.finish(), 0);
    let shown = session.shown();
    assert!(shown.contains(" · 1 failed\n"), "{shown}");

    // Of four items one is done, one fails, and two are cancelled by that, with the step inside of each.
    let words = [&run[..], &["stopped"]].concat();
    let mut session = Session::gswc((40, 100), &words, &[("NO_COLOR", "1")]);
    assert_eq!(session.finish(), 1);
    let shown = session.shown();
    assert!(shown.contains("parallel 2/4 "), "{shown}");
    assert!(shown.contains("1 failed · 2 cancelled"), "{shown}");
    let raw = String::from_utf8_lossy(&session.raw).into_owned();
    assert!(raw.contains("error: Failed: last"), "{raw}");
}
