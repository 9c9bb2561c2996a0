//! Runs while a process carries them: what they give up, what they look at, where their events go, and who may end them.

use std::time::{Duration, Instant};

use gsw_journal::record::Record;
use gsw_journal::store::{NewRun, Store};
use serde_json::Value;

use crate::killed::{Kept, await_text, signal};
use crate::program::Said;

fn ended(name: &str, kept: &Kept, words: &[&str]) -> Said {
    const HANGS: Duration = Duration::from_secs(240);
    let mut child = kept.start(words);
    let begun = Instant::now();
    while child.try_wait().expect("a child can be asked").is_none() {
        if begun.elapsed() > HANGS {
            let _ = child.kill();
            panic!("{name}: it never ends");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("it has ended").into()
}

/// A command begins on another thread than its run, when its intent is on the disk.
#[test]
fn a_time_that_is_over_while_something_begins_ends_it() {
    let source = r#"
import std/exec
workflow main() -> [string] {
  var slow: [string] = []
  for i in 0..100 {
    let begun = now()
    timeout 1ms * (1 + i % 8) { let _ = exec.run(["sleep", "30"]) } catch { _ => () }
    if now() - begun > 20s { slow += ["${i}"] }
  }
  slow
}
"#;
    let kept = Kept::new("begins", source);
    let said = ended("begins", &kept, &[]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "[]"), "{said:?}");
}

#[test]
fn any_number_of_runs_of_other_processes_are_looked_at_at_once() {
    let source = r#"
import std/runs
human approve(x: string) -> bool { user "ok ${x}?" }
workflow asks() -> bool {
  state seen: int = 1
  approve("a")
}
workflow main(id: string, n: int = 400) -> int {
  let run = runs.get(id) ?? fail Failed("none")
  let all = parallel for _i in 0..n { run.state() }
  all.len()
}
"#;
    let kept = Kept::new("looked", source);
    assert_eq!(kept.run(&["asks"]).code, Some(5));
    let id = kept.listed()["id"].as_str().expect("a text").to_owned();
    let said = ended("looked", &kept, &["--id", &id]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "400"), "{said:?}");
}

#[test]
fn who_is_refused_a_run_leaves_the_events_of_who_carries_it() {
    let source = r#"
import std/fs
workflow main() -> string {
  fs.write("x", "1")
  for i in 0..100 {
    if fs.exists("ends") { return "fine" }
    step "s${i}" { sleep(200ms) }
  }
  "late"
}
"#;
    let kept = Kept::new("events", source);
    let words = ["--resume", "--events", "run.jsonl"];
    let first = kept.start(&words);
    await_text(&kept.folder.join("run.jsonl"), "\"s1\"");
    let refused = kept.run(&words);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(!refused.err.contains("warning"), "{refused:?}");
    std::fs::write(kept.folder.join("ends"), "").expect("it can be written");
    let said: Said = first.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(0), "{said:?}");
    let events = kept.read("run.jsonl");
    let lines: Vec<Value> = events
        .lines()
        .map(|it| serde_json::from_str(it).unwrap_or_else(|_| panic!("no line: {it}")))
        .collect();
    assert!(lines[0].get("program").is_some(), "{}", lines[0]);
    assert!(events.contains("\"s0\""), "{events}");
}

const ASKS: &str = r#"
import std/fs
human approve(x: string) -> bool { user "ok ${x}?" }
workflow main(x: int = 0) -> int { x }
workflow uno() -> bool {
  defer { fs.append("ended.log", "uno\n") }
  approve("a")
}
"#;

#[test]
fn a_program_that_cannot_resume_a_run_leaves_it_as_it_was() {
    let kept = Kept::new("refused", ASKS);
    assert_eq!(kept.run(&["uno"]).code, Some(5));
    let before = kept.listed();
    assert_eq!(before["status"], "parked");
    let id = before["id"].as_str().expect("a text");
    // The program in its place has no such workflow.
    let other = Kept::new("refused-other", "workflow main(x: int = 0) -> int { x }");
    std::fs::remove_file(&kept.program).expect("it is there");
    std::fs::copy(&other.program, &kept.program).expect("it can be copied");
    let said = kept.run(&["runs", "resume", id]);
    assert_eq!(said.code, Some(4), "{said:?}");
    let after = kept.listed();
    for what in ["status", "waiting"] {
        assert_eq!(after[what], before[what], "{after}");
    }
}

/// The wish comes first: who dies on the way to it, or is too late for the run, has told whoever carries it next.
#[test]
fn a_run_that_is_to_end_knows_it_although_who_said_so_cannot_resume_it() {
    let kept = Kept::new("told", ASKS);
    assert_eq!(kept.run(&["uno"]).code, Some(5));
    let id = kept.listed()["id"].as_str().expect("a text").to_owned();
    let whole = std::fs::read(&kept.program).expect("it is there");
    let other = Kept::new("told-other", "workflow main(x: int = 0) -> int { x }");
    std::fs::remove_file(&kept.program).expect("it is there");
    std::fs::copy(&other.program, &kept.program).expect("it can be copied");
    let said = kept.run(&["runs", "cancel", &id]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert_eq!(kept.listed()["status"], "parked");
    std::fs::write(&kept.program, whole).expect("it can be written");
    let worker = kept.start(&["worker"]);
    await_text(&kept.folder.join("ended.log"), "uno");
    signal(&worker, "-TERM");
    let said: Said = worker.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(kept.listed()["status"], "cancelled");
    assert_eq!(kept.read("ended.log"), "uno\n");
}

/// What may have been removed is not removed again: somebody else may have made it anew.
#[test]
fn a_removal_that_may_have_been_done_is_not_done_again() {
    let source = r#"
import std/fs
workflow main() -> string {
  fs.write("lock", "1")
  fs.remove("lock") catch { OutcomeUnknown(what) => return what }
  fs.write("after", "1")
  "fine"
}
"#;
    let kept = Kept::new("removed", source);
    assert_eq!(kept.run(&[]).out.trim(), "\"fine\"");
    let store = Store::existing(&kept.store).expect("the run was written down");
    let run = store.list().expect("a list").remove(0);
    let records = store.records(&run.id).expect("they are whole");
    let intent = |it: &Record| matches!(it, Record::Intent { .. });
    let intent = records.iter().position(intent).expect("it is `once`");
    let new = NewRun {
        id: "killed",
        workflow: &run.workflow,
        image: run.image,
        program: &run.program,
        input: [0; 32],
        begun: run.begun,
    };
    let count = intent as u64 + 1;
    drop(store.fork(&run.id, &new, count).expect("it has as many"));
    store.close();
    std::fs::write(kept.folder.join("lock"), "of another").expect("it can be written");
    let said = kept.run(&["runs", "resume", "killed"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("fs.remove"), "{said:?}");
    assert_eq!(kept.read("lock"), "of another");
}
