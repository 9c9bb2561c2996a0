//! A chain of undos: killed at each point of it, refused by what takes back, tried again and settled by `runs undo`. Nothing is
//! taken back twice, nothing is forgotten, and what is not known is reported.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::killed::Kept;
use crate::program::Said;

/// What is done and taken back is a line of `done.log`. A file beside it says what goes wrong, once where it kills.
const ACT: &str = r#"
if [ -e "$1.kills-before" ]; then rm "$1.kills-before"; kill -9 $PPID; exit 1; fi
if [ -e "$1.refuses" ]; then exit 1; fi
echo "$1" >> done.log
if [ -e "$1.kills-after" ]; then rm "$1.kills-after"; kill -9 $PPID; fi
"#;

const CHAIN: &str = r#"
import std/exec
permissions { exec: ["sh"] }
tool act(what: string) -> string once { exec.check(["sh", "act.sh", what]).stdout }

workflow book(place: string) -> string {
  let _ = act("book-${place}")
  undo { let _ = act("free-${place}") }
  place
}

workflow main() -> [string] {
  let places = [book("a"), book("b"), book("c")]
  fail Failed("nothing fits ${places}")
}
"#;

const PLACES: [&str; 3] = ["a", "b", "c"];

fn chain(name: &str) -> Kept {
    let kept = Kept::new(&format!("undone-{name}"), CHAIN);
    std::fs::write(kept.folder.join("act.sh"), ACT).expect("the target folder can be written");
    kept
}

/// From now on this goes wrong.
fn goes_wrong(kept: &Kept, what: &str) {
    std::fs::write(kept.folder.join(what), "").expect("the target folder can be written");
}

fn log(kept: &Kept) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in kept.read("done.log").lines() {
        *counts.entry(line.to_owned()).or_default() += 1;
    }
    counts
}

fn id(kept: &Kept) -> String {
    kept.listed()["id"].as_str().expect("a text").to_owned()
}

fn not_undone(kept: &Kept) -> Value {
    let said = kept.run(&["runs", "show", &id(kept), "--json"]);
    let shown: Value = serde_json::from_str(&said.out).expect("JSON");
    shown["not_undone"].clone()
}

fn undo(kept: &Kept, how: &[&str]) -> Said {
    let id = id(kept);
    kept.run(&[&["runs", "undo", &id], how].concat())
}

#[test]
fn what_is_taken_back_is_shown_as_an_undo() {
    let kept = chain("shown");
    let said = kept.run(&[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let undos = said.err.lines().filter(|it| it.starts_with("✓ undo ("));
    assert_eq!(undos.count(), 3, "{said:?}");
    assert!(!said.err.contains("step undo"), "{said:?}");
}

/// All three were taken back, each once.
fn all_is_free(kept: &Kept) {
    let log = log(kept);
    for place in PLACES {
        assert_eq!(log.get(&format!("free-{place}")), Some(&1), "{log:?}");
        assert_eq!(log.get(&format!("book-{place}")), Some(&1), "{log:?}");
    }
    assert_eq!(not_undone(kept), json!([]));
    let again = undo(kept, &[]);
    assert!(
        again.code == Some(0) && again.out == "everything has been taken back\n",
        "{again:?}"
    );
}

/// Resumes a run that was killed in an undo: the others are taken back, and this one is in doubt.
fn goes_on_in_doubt(kept: &Kept, place: &str) {
    let end = kept.run(&["--resume"]);
    assert_eq!(end.code, Some(1), "{end:?}");
    assert!(end.err.contains("not undone: "), "{end:?}");
    for other in PLACES.iter().filter(|it| **it != place) {
        assert_eq!(log(kept).get(&format!("free-{other}")), Some(&1));
    }
    let left = not_undone(kept);
    assert_eq!(left.as_array().map(Vec::len), Some(1), "{left}");
    assert_eq!(left[0]["in_doubt"], true, "{left}");
    // What may have been done is not done again unasked.
    let left = undo(kept, &[]);
    assert_eq!(left.code, Some(1), "{left:?}");
    assert!(left.out.contains("may have been taken back"), "{left:?}");
}

#[test]
fn a_run_that_dies_in_a_chain_of_undos_repeats_and_forgets_none() {
    for place in PLACES {
        let kept = chain(&format!("before-{place}"));
        goes_wrong(&kept, &format!("free-{place}.kills-before"));
        assert_eq!(kept.run(&[]).code, None, "it is killed");
        goes_on_in_doubt(&kept, place);
        let done = undo(&kept, &["1", "again"]);
        assert_eq!(
            (done.code, &*done.out),
            (Some(0), "everything has been taken back\n"),
            "{done:?}"
        );
        all_is_free(&kept);

        let kept = chain(&format!("after-{place}"));
        goes_wrong(&kept, &format!("free-{place}.kills-after"));
        assert_eq!(kept.run(&[]).code, None, "it is killed");
        goes_on_in_doubt(&kept, place);
        let done = undo(&kept, &["1", "done", "--json"]);
        let said: Value = serde_json::from_str(&done.out).expect("JSON");
        assert_eq!((done.code, said), (Some(0), json!({ "not_undone": [] })));
        all_is_free(&kept);
    }
}

#[test]
fn what_could_not_be_taken_back_is_tried_again_until_it_is() {
    let kept = chain("refused");
    for place in ["a", "b"] {
        goes_wrong(&kept, &format!("free-{place}.refuses"));
    }
    let end = kept.run(&[]);
    assert_eq!(end.code, Some(1), "{end:?}");
    let shown = kept.run(&["runs", "show", &id(&kept)]);
    for part in ["1  not undone: ", "2  not undone: ", "runs undo "] {
        assert!(shown.out.contains(part), "{part}: {shown:?}");
    }
    let again = undo(&kept, &[]);
    assert_eq!(again.code, Some(1), "{again:?}");
    // Killed while it is tried again: what is open then resumes with the run.
    std::fs::remove_file(kept.folder.join("free-b.refuses")).expect("it is there");
    goes_wrong(&kept, "free-b.kills-before");
    assert_eq!(undo(&kept, &[]).code, None, "it is killed");
    let early = undo(&kept, &[]);
    assert!(early.err.contains("has not ended"), "{early:?}");
    let end = kept.run(&["runs", "resume", &id(&kept)]);
    assert_eq!(end.code, Some(1), "{end:?}");
    let left = not_undone(&kept);
    let doubts: Vec<&Value> = left
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| &it["in_doubt"])
        .collect();
    // The first that failed is `b`, the last that was booked of those that refuse.
    assert_eq!(doubts, [true, false], "{left}");
    std::fs::remove_file(kept.folder.join("free-a.refuses")).expect("it is there");
    let some = undo(&kept, &[]);
    assert_eq!(some.code, Some(1), "{some:?}");
    assert_eq!(undo(&kept, &["2", "again"]).code, Some(4));
    assert_eq!(undo(&kept, &["1", "again"]).code, Some(0));
    all_is_free(&kept);
    let verified = kept.run(&["runs", "verify"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

/// A number is that of one undo for as long as the run is kept, so that a command which is sent twice settles nothing else.
#[test]
fn what_is_settled_keeps_its_number_and_is_not_settled_again() {
    let kept = chain("numbered");
    for place in PLACES {
        goes_wrong(&kept, &format!("free-{place}.refuses"));
    }
    assert_eq!(kept.run(&[]).code, Some(1));
    let numbers = |left: &Value| -> Vec<u64> {
        let rows = left.as_array().into_iter().flatten();
        rows.filter_map(|it| it["number"].as_u64()).collect()
    };
    assert_eq!(numbers(&not_undone(&kept)), [1, 2, 3]);
    assert_eq!(undo(&kept, &["1", "done"]).code, Some(1));
    assert_eq!(numbers(&not_undone(&kept)), [2, 3]);
    for how in ["done", "again"] {
        let twice = undo(&kept, &["1", how]);
        assert_eq!(twice.code, Some(4), "{twice:?}");
        assert!(twice.err.contains("it was declared done at "), "{twice:?}");
    }
    std::fs::remove_file(kept.folder.join("free-b.refuses")).expect("it is there");
    let some = undo(&kept, &[]);
    assert!(some.out.starts_with("3  not undone: "), "{some:?}");
    let twice = undo(&kept, &["2", "done"]);
    assert!(
        twice.err.contains("another attempt took it back"),
        "{twice:?}"
    );
    let none = undo(&kept, &["4", "done"]);
    assert!(none.err.contains("has no such undo"), "{none:?}");
    assert_eq!(numbers(&not_undone(&kept)), [3]);
    // What a person declared is known later on.
    let shown = kept.run(&["runs", "show", &id(&kept)]).out;
    for part in [
        "1  declared done at ",
        "2  taken back by another attempt at ",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(undo(&kept, &["3", "done"]).code, Some(0));
    assert_eq!(log(&kept).get("free-a"), None);
    assert_eq!(log(&kept).get("free-b"), Some(&1));
}

/// What was ended as it was has nothing to take back, and a process that looks whether it has leaves it ended.
#[test]
fn an_ended_run_stays_ended_while_it_is_looked_whether_it_can_be_undone() {
    let kept = chain("looked");
    goes_wrong(&kept, "free-b.kills-before");
    assert_eq!(kept.run(&[]).code, None, "it is killed");
    let id = id(&kept);
    let said = kept.run(&["runs", "abandon", &id]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let ended = kept.listed();
    assert_eq!(ended["status"], "cancelled", "{ended}");
    let said = undo(&kept, &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    // Nothing of it was written, so there was no moment in which it could be resumed.
    assert_eq!(kept.listed(), ended);
}
