//! What is said of runs that are kept: what they wait for and until when, how they failed, and what does not fit a new version.

use std::process::Command;

use crate::kept_runs::Kept;
use crate::program::{Said, text};

const WAITS: &str = r#"
import std/fs
external payment(order: string) -> int by "order:${order}" timeout 2d
external plain(order: string) -> int
human approve(order: string) -> bool timeout 2d { user "Ship ${order}?" }
workflow main(order: string) -> [int] {
  let (a, b) = (spawn payment(order), spawn plain(order))
  [await a, await b]
}
workflow asks(order: string) -> bool { approve(order) }
workflow sleeps() { sleep(2h + 123ms) }
workflow fails(order: string) -> string { fs.write("done.txt", order); fail Failed("no ${order}") }
workflow many() -> [int] { parallel for i in 0..30 { payment("${i}") } }
"#;

/// The parts of a text in this order.
fn has_in_order(said: &str, parts: &[&str]) {
    let mut rest = said;
    for part in parts {
        let (_, behind) = rest
            .split_once(part)
            .unwrap_or_else(|| panic!("{part}\n{said}"));
        rest = behind;
    }
}

/// A time that people read has no parts of a second.
fn has_whole_seconds(said: &str) {
    for (at, _) in said.match_indices("T") {
        let time: String = said[at..].chars().take("T09:30:00Z".len()).collect();
        let digits = time.bytes().filter(u8::is_ascii_digit).count();
        assert!(digits < 6 || time.ends_with('Z'), "{time}: {said}");
    }
}

#[test]
fn a_run_that_is_left_says_until_when_and_by_what_it_is_answered() {
    let kept = Kept::new("told-waits");
    let program = kept.build("flow", WAITS);
    let program = text(&program);
    let said = kept.run("flow", &["--order", "7 a"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    let id = &kept.ids("flow")[0][..12];
    has_in_order(
        &said.err,
        &[
            "answer by 2",
            &format!("Z: {program} runs answer --key 'order:7 a' payment JSON\n"),
            &format!("answer: {program} runs answer {id} plain JSON\n"),
            "then resume it: ",
        ],
    );
    has_whole_seconds(&said.err);
    let shown = kept.run("flow", &["runs", "show", id]);
    has_in_order(
        &shown.out,
        &[
            "due by 2",
            &format!("answer it: {program} runs answer --key 'order:7 a' payment JSON\n"),
            &format!("answer it: {program} runs answer {id} plain JSON\n"),
        ],
    );
    has_whole_seconds(&shown.out);
    // As it is said, with a value.
    let said = kept.run(
        "flow",
        &["runs", "answer", "--key", "order:7 a", "payment", "5"],
    );
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = kept.run("flow", &["many"]);
    has_in_order(&said.err, &["answer by 2", "and 20 more: ", " runs show "]);
}

#[test]
fn a_long_sleep_is_told_in_whole_seconds() {
    let kept = Kept::new("told-sleeps");
    kept.build("flow", WAITS);
    let said = kept.run("flow", &["sleeps", "--idle", "0s"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    has_in_order(&said.err, &["the run waits for sleep of 2h until 2", "Z\n"]);
    has_whole_seconds(&said.err);
    let listed = kept.run("flow", &["runs"]);
    has_in_order(&listed.out, &["sleep of 2h until 2"]);
    has_whole_seconds(&listed.out);
    has_whole_seconds(
        &kept
            .run("gswc", &["runs", "show", &kept.ids("flow")[0]])
            .out,
    );
}

/// To run it once more would repeat what it has done.
#[test]
fn a_run_that_has_failed_and_is_kept_is_shown_and_not_run_again() {
    let kept = Kept::new("told-fails");
    let program = kept.build("flow", WAITS);
    let program = text(&program);
    let said = kept.run("flow", &["fails", "--order", "7"]);
    let id = &kept.ids("flow")[0][..12];
    let look = format!("  to look closer: `{program} runs show {id}`\n");
    assert!(said.err.ends_with(&look), "{said:?}");
    // The next one is not kept, and has its events already.
    let again = kept.run("flow", &["fails", "--order", "7", "--store", "off"]);
    let look = "  to look closer: run it with `--events run.jsonl`, then `gswc trace run.jsonl`\n";
    assert!(again.err.ends_with(look), "{again:?}");
    let again = kept.run("flow", &["fails", "--order", "7", "--events", "e.jsonl"]);
    assert!(again.err.ends_with("`gswc trace e.jsonl`\n"), "{again:?}");
}

/// One that has ended cannot be answered, which is no wrong use of the command.
#[test]
fn an_answer_to_a_run_that_has_ended_has_the_exit_code_of_other_commands() {
    let kept = Kept::new("told-ended");
    kept.build("flow", WAITS);
    assert_eq!(kept.run("flow", &["asks", "--order", "7"]).code, Some(5));
    let id = &kept.ids("flow")[0];
    let answer = |name: &str| -> Said { kept.run("flow", &["runs", "answer", id, name, "true"]) };
    assert_eq!(answer("another").code, Some(2));
    assert_eq!(kept.run("flow", &["runs", "cancel", id]).code, Some(0));
    let said = answer("approve");
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.err.contains("has ended"), "{said:?}");
}

#[test]
fn who_answers_has_a_name_without_a_login() {
    let kept = Kept::new("told-by");
    let program = kept.build("flow", WAITS);
    assert_eq!(kept.run("flow", &["asks", "--order", "7"]).code, Some(5));
    let id = &kept.ids("flow")[0];
    let mut command = Command::new(program);
    command.args(["runs", "answer", id, "approve", "true"]);
    command.env("GSW_STORE", &kept.store);
    let said = command.env_remove("USER").env_remove("LOGNAME").output();
    assert!(said.expect("it can be started").status.success());
    let again = kept.run("flow", &["runs", "answer", id, "approve", "true"]);
    has_in_order(&again.err, &["was answered before by `"]);
    assert!(!again.err.contains("somebody"), "{again:?}");
}

const OLD: &str = r#"
human ok() -> bool { user "ok?" }
workflow main(n: int) -> string { if ok() { "${n}" } else { "no" } }
"#;

#[test]
fn a_version_whose_input_is_another_says_which_parameter_does_not_fit() {
    let kept = Kept::new("told-input");
    kept.build("flow", OLD);
    assert_eq!(kept.run("flow", &["--n", "3"]).code, Some(5));
    let id = &kept.ids("flow")[0];
    kept.build("flow", &OLD.replace("n: int", r#"n: "a" | "b""#));
    let said = kept.run("flow", &["runs", "resume", id]);
    assert_eq!(said.code, Some(4), "{said:?}");
    has_in_order(
        &said.err,
        &[
            "now: the input that the run began with does not fit: `n`: ",
            "expected \"a\" | \"b\", found 3",
        ],
    );
}

/// The version that began the runs is gone, wherever the new one is.
#[test]
fn a_version_that_was_written_over_is_compared_with_nothing() {
    let new = OLD.replace("{ user \"ok?\" }", "{ user \"really?\" }");
    let kept = Kept::new("told-overwritten");
    let program = kept.build("flow", OLD);
    let source = kept.path("flow.gsw");
    assert_eq!(kept.run("flow", &["--n", "3"]).code, Some(5));
    let run = ["run", "flow.gsw", "--", "--n", "4"];
    assert_eq!(kept.run("gswc", &run).code, Some(5));
    let compat = |file: &str| kept.run("gswc", &["compat", file, "--runs", "runs.db"]);
    let said = compat("flow.gsw");
    assert!(
        !said.out.contains("no longer"),
        "nothing has changed: {said:?}"
    );
    kept.build("flow", &new);
    let said = compat("flow.gsw");
    for path in [program, source] {
        let gone = format!(
            "`{}` is no longer the version that began 1 run, ",
            text(&path)
        );
        assert!(said.out.contains(&gone), "{said:?}");
    }
    assert!(!said.out.contains("workflow main: same"), "{said:?}");
    assert!(
        said.out
            .ends_with("0 of 2 runs that have not ended go on\n"),
        "{said:?}"
    );
}
