//! Runs that are killed at the worst moments and brought back: in the middle of a computation that was cancelled, while time that is
//! limited passes, and right after outcomes that something else was computed from.

use std::time::Duration;

use crate::killed::{Kept, await_text, kill};

/// A loop that never ends, and a `defer` that takes a while.
const ENDLESS: &str = r#"
import std/exec
permissions { exec: ["sh"] }
workflow main() -> int {
  exec.run(["sh", "-c", "echo begun >> log"])
  defer { exec.run(["sh", "-c", "echo freeing >> log; sleep 2; echo freed >> log"]) }
  var i = 0
  while true { i += 1 }
  i
}
"#;

#[test]
fn a_computation_that_was_cancelled_is_not_computed_again() {
    let kept = Kept::new("endless", ENDLESS);
    let child = kept.start(&[]);
    await_text(&kept.folder.join("log"), "begun");
    std::thread::sleep(Duration::from_millis(300));
    let id = kept.listed()["id"].as_str().expect("an id").to_owned();
    let cancelled = kept.start(&["runs", "cancel", &id]);
    await_text(&kept.folder.join("log"), "freeing");
    assert!(kill(child).is_none());
    kill(cancelled);

    // In its next life it is in its `defer` at once; the command is repeated or in doubt, and the run ends as it was to.
    let said = kept.run(&["runs", "resume", &id]);
    assert_eq!(said.code, Some(130), "{said:?}");
    assert_eq!(kept.listed()["status"], "cancelled");
    let shown = kept.run(&["runs", "show", &id]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
}

/// What is limited takes two seconds and may be repeated.
const LIMITED: &str = r#"
import std/exec
permissions { exec: ["sh"] }
tool work() -> string idempotent by "work" { exec.run(["sh", "-c", "echo begun >> log; sleep 2; echo done"]).stdout }
workflow main() -> string { step "ask" timeout 4s { work() } }
"#;

#[test]
fn the_time_of_a_limit_stands_still_while_nobody_carries_the_run() {
    let kept = Kept::new("limited", LIMITED);
    let child = kept.start(&[]);
    await_text(&kept.folder.join("log"), "begun");
    assert!(kill(child).is_none());
    std::thread::sleep(Duration::from_secs(4));
    let said = kept.run(&["runs", "resume"]);
    assert_eq!((said.code, said.out.trim()), (Some(0), r#""done\n""#), "{said:?}");
}

/// Each file is named by what was drawn before it.
const DRAWN: &str = r#"
import std/fs
permissions { fs.write: ["out"] }
workflow main() -> int {
  for i in 0..2_000 { let id = uuid(); fs.write("out/${i}-${id}", "x") }
  2_000
}
"#;

#[test]
fn what_was_drawn_is_known_before_something_is_done_with_it() {
    let kept = Kept::new("drawn", DRAWN);
    let out = kept.folder.join("out");
    std::fs::create_dir(&out).expect("the target folder can be written");
    let count = || std::fs::read_dir(&out).map_or(0, Iterator::count);
    let mut child = kept.start(&[]);
    // Killed again and again, as long as it lasts.
    for round in 1.. {
        while count() < round * 150 && child.try_wait().is_ok_and(|it| it.is_none()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(said) = kill(child) {
            assert_eq!(said.code, Some(0), "{said:?}");
            break;
        }
        child = kept.start(&["runs", "resume"]);
    }
    assert_eq!(count(), 2_000);
}
