//! Runs that are killed at the worst moments and brought back: in the middle of a computation that was cancelled, while time that is
//! limited passes, and right after outcomes that something else was computed from.

use std::time::Duration;

use crate::killed::{Kept, await_text, kill};
use crate::program::Said;

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

/// What a `defer` keeps of a loop that was interrupted, and a node from which it may be tried with less.
const KEEPS: &str = r#"
import std/exec
import std/fs
permissions { exec: ["sh"], fs.write: ["."] }
workflow main(rounds: int = 1_000_000_000_000) -> int {
  fs.write("begun", "")
  var n = 0
  defer {
    fs.write("progress", "${n}")
    exec.run(["sh", "-c", "echo freeing ${n} >> log; sleep 2"])
  }
  step "heavy" { while n < rounds { n += 1 } }
  n
}
"#;

/// Where the loop was interrupted is not known to a later life, which says so to nobody.
#[test]
fn a_defer_that_shows_what_was_computed_ends_in_a_later_life() {
    let kept = Kept::new("keeps", KEEPS);
    let child = kept.start(&[]);
    await_text(&kept.folder.join("begun"), "");
    std::thread::sleep(Duration::from_millis(500));
    let id = kept.listed()["id"].as_str().expect("an id").to_owned();
    let cancelled = kept.start(&["runs", "cancel", &id]);
    await_text(&kept.folder.join("log"), "freeing");
    assert!(kill(child).is_none());
    kill(cancelled);
    let shown = kept.run(&["runs", "show", &id]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let said = kept.run(&["runs", "resume", &id]);
    assert_eq!(said.code, Some(130), "{said:?}");
    assert_eq!(kept.listed()["status"], "cancelled");
    assert_ne!(kept.read("progress"), "0");

    // The node began in the turn that was interrupted, which is not what led to it.
    let forked = kept.run(&["runs", "fork", &id, "heavy", "rounds=10"]);
    assert_eq!(forked.code, Some(0), "{forked:?}");
    let said = kept.run(&["runs", "resume"]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "10"), "{said:?}");
}

/// More commands than a run asks for in one go, and then a loop that never ends.
const MANY_AND_ENDLESS: &str = r#"
import std/exec
permissions { exec: ["sh"] }
workflow main() -> int {
  defer { exec.run(["sh", "-c", "echo freeing >> log; sleep 2"]) }
  let codes = parallel for i in 1..=70 {
    if i > 69 {
      var n = 0
      while true { n += 1 }
    }
    exec.run(["sh", "-c", "echo begun >> log; sleep 5"]).code
  }
  codes.len()
}
"#;

/// What has begun before is noted between the turn in which it was asked for and the one that was interrupted.
#[test]
fn a_computation_beside_much_that_has_begun_is_not_computed_again() {
    let kept = Kept::new("many-and-endless", MANY_AND_ENDLESS);
    let child = kept.start(&[]);
    await_text(&kept.folder.join("log"), "begun");
    std::thread::sleep(Duration::from_millis(300));
    let id = kept.listed()["id"].as_str().expect("an id").to_owned();
    let cancelled = kept.start(&["runs", "cancel", &id]);
    await_text(&kept.folder.join("log"), "freeing");
    assert!(kill(child).is_none());
    kill(cancelled);
    let shown = kept.run(&["runs", "show", &id]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let said = kept.run(&["runs", "resume", &id]);
    assert_eq!(said.code, Some(130), "{said:?}");
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
    assert_eq!(
        (said.code, said.out.trim()),
        (Some(0), r#""done\n""#),
        "{said:?}"
    );
}

/// Three seconds of work within six.
const LIMITED_IN_PARTS: &str = r#"
import std/exec
permissions { exec: ["sh"] }
tool work(part: int) -> string idempotent by "${part}" { exec.run(["sh", "-c", "echo part-$0 >> log; sleep 1", "${part}"]).stdout }
workflow main() -> int { step "ask" timeout 6s { for part in 0..3 { work(part) }; 3 } }
"#;

/// Each gap counts, and not only the one after the last record.
#[test]
fn the_time_of_a_limit_stands_still_in_every_gap_between_lives() {
    let kept = Kept::new("limited-in-parts", LIMITED_IN_PARTS);
    let log = kept.folder.join("log");
    let mut life = kept.start(&[]);
    for part in ["part-0", "part-1"] {
        await_text(&log, part);
        assert!(kill(life).is_none());
        std::thread::sleep(Duration::from_secs(5));
        life = kept.start(&["runs", "resume"]);
    }
    let said: Said = life.wait_with_output().expect("it ends").into();
    assert_eq!((said.code, said.out.trim()), (Some(0), "3"), "{said:?}");
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
    // A file is written beside its place first, and what a kill leaves there is no file of the program.
    let is_whole = |it: &std::fs::DirEntry| it.path().extension().is_none();
    let count = || {
        let entries = std::fs::read_dir(&out).into_iter().flatten().flatten();
        entries.filter(is_whole).count()
    };
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
