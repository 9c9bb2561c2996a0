//! Tools that their own time limit has cut, or that were cut with the process before it could: what may have acted is not done
//! again by a later life of the run, what only reads is.

use std::time::{Duration, Instant};

use crate::killed::{Kept, signal};
use crate::program::Said;

const TOOLS: &str = r#"
import std/exec
/// Pays, and hangs.
tool pay() -> string once timeout 2s {
  exec.run(["sh", "-c", "echo paid >> paid.log; exec sleep 600"]).stdout
}
/// Looks, and hangs until it may go.
tool look() -> string reads timeout 2m {
  exec.run(["sh", "-c", "echo looked >> looked.log; test -e go || exec sleep 600; echo seen"]).stdout.trim()
}
workflow main() -> string {
  let paid = pay() catch { OutcomeUnknown(what) => what, Timeout(_) => "late" }
  "${paid}; ${look()}"
}
"#;

/// Kills the run as soon as a file is there, and resumes it.
fn killed_at(kept: &Kept, file: &str) -> Said {
    let mut child = kept.start(&[]);
    let began = Instant::now();
    while kept.read(file).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(120), "no {file}");
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&child, "-KILL");
    child.wait().expect("it was killed");
    std::fs::write(kept.folder.join("go"), "").expect("the folder can be written");
    kept.run(&["--resume"])
}

#[test]
fn what_its_time_limit_has_cut_stays_unknown_and_what_only_reads_is_read_again() {
    let kept = Kept::new("tool_timeouts_cut", TOOLS);
    // The limit of the one has passed when the other begins.
    let said = killed_at(&kept, "looked.log");
    let expected = "\"`pay` had begun to act when its time limit of 2s ran out; seen\"\n";
    assert_eq!((said.code, &*said.out), (Some(0), expected), "{said:?}");
    assert_eq!(kept.read("paid.log"), "paid\n");
    assert_eq!(kept.read("looked.log"), "looked\nlooked\n");
}

#[test]
fn what_was_killed_before_its_time_limit_is_unknown_too() {
    let kept = Kept::new("tool_timeouts_killed", TOOLS);
    let said = killed_at(&kept, "paid.log");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.starts_with("\"exec sh -c echo paid") && said.out.ends_with("; seen\"\n"),
        "{said:?}"
    );
    assert_eq!(kept.read("paid.log"), "paid\n");
    assert_eq!(kept.read("looked.log"), "looked\n");
}
