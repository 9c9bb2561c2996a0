//! Signals while detached runs are live: all end, their `defer`s run, and nothing is left.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::killed::{Kept, await_text, kill, signal};
use crate::program::{GSWC, Said, run, scratch, text};

const SOURCE: &str = r#"
import std/exec
import std/fs

workflow child(log: string) {
  defer { fs.append(log, "child ended\n") }
  fs.append(log, "child began\n")
  exec.run(["sleep", "3600"])
}

/// Both go on when the signal comes.
workflow main(log: string) {
  defer { fs.append(log, "main ended\n") }
  spawn detached child(log)
  sleep(1h)
}

/// Only the detached one does.
workflow short(log: string) -> string { spawn detached child(log); "done" }

/// Another one is started while all is ending.
workflow late(log: string) {
  defer { spawn detached child(log) }
  fs.append(log, "child began\n")
  sleep(1h)
}
"#;

struct Session {
    child: Child,
    log: PathBuf,
    begun: Instant,
}

impl Session {
    /// Starts a workflow and waits until its child is there.
    fn start(workflow: &str) -> Self {
        let folder = scratch("detached");
        let file = folder.join(format!("{workflow}.gsw"));
        std::fs::write(&file, SOURCE).expect("the target folder can be written");
        let log = folder.join(format!("{workflow}.log"));
        let _ = std::fs::remove_file(&log);
        let mut command = Command::new(GSWC);
        command.args([
            "run",
            text(&file),
            workflow,
            "--",
            "--quiet",
            "--log",
            text(&log),
        ]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().expect("gswc can be started");
        let session = Self {
            child,
            log,
            begun: Instant::now(),
        };
        while !session.read().contains("child began") {
            assert!(
                session.begun.elapsed() < Duration::from_secs(60),
                "it does not begin"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        session
    }

    fn read(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Sends a signal and waits for the end.
    fn end(self, signal: &str) -> (Said, String) {
        // A run that has just written its first line may not wait yet.
        std::thread::sleep(Duration::from_millis(200));
        let (id, log) = (self.child.id().to_string(), self.log.clone());
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.is_ok_and(|it| it.success()), "a signal can be sent");
        let begun = Instant::now();
        let said = self.child.wait_with_output().expect("it ends").into();
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "{:?}",
            begun.elapsed()
        );
        (said, read(&log))
    }
}

fn read(log: &Path) -> String {
    std::fs::read_to_string(log).unwrap_or_default()
}

#[test]
fn a_signal_ends_detached_runs_cleanly() {
    for signal in ["-INT", "-TERM"] {
        let (said, log) = Session::start("main").end(signal);
        assert_eq!((said.code, said.out.as_str()), (Some(130), ""), "{said:?}");
        assert!(
            log.contains("main ended\n") && log.contains("child ended\n"),
            "{log}"
        );
        assert!(
            said.err.contains("cancelled\n") && said.err.contains("of `child`: cancelled\n"),
            "{}",
            said.err
        );
    }
}

#[test]
fn a_signal_while_only_a_detached_run_goes_on_is_reported_by_the_exit_code() {
    let (said, log) = Session::start("short").end("-INT");
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(130), "\"done\"\n"),
        "{said:?}"
    );
    assert_eq!(log, "child began\nchild ended\n");
}

#[test]
fn a_run_that_is_detached_after_the_signal_ends_at_once() {
    let (said, log) = Session::start("late").end("-INT");
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.err.contains("of `child`: cancelled\n"), "{}", said.err);
    assert!(!log.contains("child ended\nchild"), "{log}");
}

const DETACHES: &str = r#"
import std/fs
permissions { fs.write: ["."] }
tool pay(n: int) -> string once { fs.append("paid.log", "${n}\n"); "receipt" }
workflow child(n: int) -> string {
  undo { fs.append("undone.log", "undone\n") }
  for i in 0..n { let _ = pay(i); sleep(500ms) }
  "child"
}
workflow main(n: int = 4) -> string { spawn detached child(n); "main" }
"#;

#[test]
fn a_signal_leaves_a_detached_run_whose_parent_has_ended() {
    let kept = Kept::new("left-alone", DETACHES);
    let going = kept.start(&["--quiet"]);
    await_text(&kept.folder.join("paid.log"), "0\n");
    signal(&going, "-TERM");
    let said: Said = going.wait_with_output().expect("it ends").into();
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(130), "\"main\"\n"),
        "{said:?}"
    );
    assert!(
        said.err.contains("of `child`: the run was interrupted"),
        "{said:?}"
    );
    let runs: Vec<Value> =
        serde_json::from_str(&kept.run(&["runs", "--json"]).out).expect("a list");
    let child = runs.iter().find(|it| it["workflow"] == "child");
    let id = child.map(|it| (it["status"].clone(), it["id"].as_str().unwrap_or_default()));
    let Some((status, id)) = id else {
        panic!("{runs:?}");
    };
    assert_eq!(status, "interrupted");
    let said = kept.run(&["runs", "resume", id, "--quiet"]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "\"child\"\n"),
        "{said:?}"
    );
    assert_eq!(kept.read("paid.log"), "0\n1\n2\n3\n");
    assert_eq!(kept.read("undone.log"), "");
}

const NAMED: &str = r#"
import std/fs
permissions { fs.write: ["."] }
workflow child(n: int) -> int { fs.append("begun.log", "${n}\n"); n }
workflow main(id: string, n: int) -> string { spawn detached child(n) with { id: id } }
"#;

#[test]
fn a_run_is_detached_beside_others_whose_ids_begin_with_its_own() {
    let kept = Kept::new("named-alike", NAMED);
    for (id, number) in [("order-12", "12"), ("order-13", "13"), ("order-1", "1")] {
        let said = kept.run(&["--id", id, "--n", number, "--quiet"]);
        assert_eq!((said.code, said.out), (Some(0), format!("\"{id}\"\n")));
    }
    assert_eq!(kept.read("begun.log"), "12\n13\n1\n");
    // A person may write the beginning of an id, and means the run of the whole one first.
    let shown = kept.run(&["runs", "show", "order-1", "--json"]);
    assert!(shown.out.contains("\"id\": \"order-1\""), "{shown:?}");
    // Those that begin alike are told apart in the list, and what stands there can be typed.
    for id in ["nightly-2026-11-28", "nightly-2026-11-29"] {
        let said = kept.run(&["--id", id, "--n", "1", "--quiet"]);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    let listed = kept.run(&["runs"]).out;
    for id in ["nightly-2026-11-28", "nightly-2026-11-29"] {
        assert!(listed.contains(&format!("{id} ")), "{listed}");
    }
    let several = kept.run(&["runs", "show", "order", "--json"]);
    assert!(
        several.err.contains("several runs begin with `order`"),
        "{several:?}"
    );
}

#[test]
fn of_two_that_resume_at_once_one_begins() {
    let source = "import std/fs\npermissions { fs.write: [\".\"] }\n\
         tool pay(n: int) -> string once { fs.append(\"paid.log\", \"${n}\\n\"); \"receipt\" }\n\
         workflow main(n: int = 7) -> string { sleep(2s); pay(n) }\n";
    let kept = Kept::new("resume-at-once", source);
    let all: Vec<Child> = (0..4)
        .map(|_| kept.start(&["--resume", "--quiet"]))
        .collect();
    let all: Vec<Said> = all
        .into_iter()
        .map(|it| it.wait_with_output().expect("it ends").into())
        .collect();
    let done = all.iter().filter(|it| it.code == Some(0)).count();
    let refused = all
        .iter()
        .filter(|it| it.code == Some(4) && it.err.contains("another process carries run"));
    assert_eq!((done, refused.count()), (1, 3), "{all:?}");
    assert_eq!(kept.read("paid.log"), "7\n");
}

#[test]
fn a_result_that_nobody_read_is_given_again_and_not_made_again() {
    let source = "import std/fs\npermissions { fs.write: [\".\"] }\n\
         tool pay() -> string once { fs.append(\"paid.log\", \"paid\\n\"); \"receipt\" }\n\
         workflow main() -> string { sleep(300ms); pay() }\n";
    let kept = Kept::new("unread-result", source);
    let mut unread = kept.start(&["--quiet"]);
    drop(unread.stdout.take());
    let status = unread.wait().expect("it ends");
    assert_eq!(status.code(), Some(0));
    for _ in 0..2 {
        // Once it was read, a call is a run of its own.
        let said = kept.run(&["--resume", "--quiet"]);
        assert_eq!(said.out, "\"receipt\"\n", "{said:?}");
    }
    assert_eq!(kept.read("paid.log"), "paid\npaid\n");
}

#[test]
fn a_detached_run_that_nobody_carries_is_named_with_the_result_of_its_parent() {
    let source = "import std/fs\npermissions { fs.write: [\".\"] }\n\
         tool note(text: string) -> string once { fs.append(\"notes.log\", \"${text}\\n\"); text }\n\
         workflow child() -> string { note(\"begun\"); sleep(2h); \"late\" }\n\
         workflow other() -> string { note(\"other\"); sleep(2h); \"other\" }\n\
         workflow main() -> string { spawn detached child(); sleep(300ms); note(\"main\") }\n";
    let kept = Kept::new("uncarried-child", source);
    let parent = kept.start(&[]);
    let begun = Instant::now();
    let listed = || kept.run(&["runs", "--json"]).out;
    while !listed().contains("\"completed\"") {
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", listed());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(kill(parent).is_none(), "it ended before");
    // A run of the same program that nothing has detached.
    let other = kept.start(&["other"]);
    while !kept.read("notes.log").contains("other") {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(kill(other).is_none(), "it ended before");
    let said = kept.run(&["--resume"]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "\"main\"\n"),
        "{said:?}"
    );
    assert!(
        said.err
            .contains("of `child`, which it has detached, is parked"),
        "{said:?}"
    );
    assert!(said.err.contains("runs resume "), "{said:?}");
    assert!(!said.err.contains("more; resume"), "{said:?}");
}

#[test]
fn runs_of_two_processes_that_wait_for_each_other_are_told_so() {
    let source = "import std/runs\n\
         workflow partner(other: string) -> string {\n\
         \x20 while runs.get(other) == none { sleep(50ms) }\n\
         \x20 let run = runs.get(other) ?? fail Failed(\"no run\")\n\
         \x20 \"${await run.result()}\" catch { Failed(why) => why }\n}\n\
         workflow main(id: string, other: string) -> json {\n\
         \x20 spawn detached partner(other) with { id: id }\n\
         \x20 let run = runs.get(id) ?? fail Failed(\"no run\")\n\
         \x20 await run.result()\n}\n";
    let kept = Kept::new("cycle-of-processes", source);
    let start = |id: &str, other: &str| kept.start(&["--quiet", "--id", id, "--other", other]);
    let all = [start("left", "right"), start("right", "left")];
    for process in all {
        let said: Said = process.wait_with_output().expect("it ends").into();
        assert_eq!(
            said.out,
            "\"deadlock: the run `left` waits for the result of `right`, which waits for that of `left`\"\n",
            "{said:?}"
        );
    }
}

const PARTNERS: &str = "import std/runs\nimport std/fs\n\
     permissions { fs.read: [\".\"] }\n\
     workflow partner(other: string, sign: string) -> string {\n\
     \x20 while runs.get(other) == none or not fs.exists(sign) { sleep(50ms) }\n\
     \x20 let run = runs.get(other) ?? fail Failed(\"no run\")\n\
     \x20 \"${await run.result()}\" catch { Failed(why) => why }\n}\n\
     workflow main(id: string, other: string, sign: string) -> json {\n\
     \x20 spawn detached partner(other, sign) with { id: id }\n\
     \x20 let run = runs.get(id) ?? fail Failed(\"no run\")\n\
     \x20 await run.result()\n}\n";

/// The run that would break the cycle lies in a process that is dead before the cycle closes, or before it has looked.
#[cfg(unix)]
#[test]
fn a_cycle_of_runs_is_broken_without_a_process_that_has_died() {
    for dies in ["before", "after"] {
        let kept = Kept::new(&format!("cycle-of-the-dead-{dies}"), PARTNERS);
        let start = |id: &str, other: &str, sign: &str| {
            kept.start(&["--quiet", "--id", id, "--other", other, "--sign", sign])
        };
        let left = start("left", "right", ".");
        let right = start("right", "left", "sign");
        let waits = |run: &str, of: &str| {
            let begun = Instant::now();
            let result = format!("the result of `{of}`");
            let is_it = |it: &Value| it["id"] == run && it["waits_for"] == *result;
            let runs = || serde_json::from_str(&kept.run(&["runs", "--json"]).out);
            while !runs().is_ok_and(|it: Vec<Value>| it.iter().any(is_it)) {
                assert!(begun.elapsed() < Duration::from_secs(60));
                std::thread::sleep(Duration::from_millis(20));
            }
        };
        waits("left", "right");
        let write_sign =
            || std::fs::write(kept.folder.join("sign"), "").expect("it can be written");
        if dies == "before" {
            assert!(kill(left).is_none(), "it waits");
            write_sign();
        } else {
            signal(&left, "-STOP");
            write_sign();
            waits("right", "left");
            assert!(kill(left).is_none(), "it waits");
        }
        let said: Said = right.wait_with_output().expect("it ends").into();
        assert_eq!(
            said.out,
            "\"deadlock: the run `right` waits for the result of `left`, which waits for that of `right`\"\n",
            "{dies}: {said:?}"
        );
    }
}

const PAYS_TWICE: &str = "import std/fs\npermissions { fs.write: [\".\"] }\n\
     tool pay(n: int) -> string once { fs.append(\"paid.log\", \"${n}\\n\"); \"receipt\" }\n\
     workflow main() -> string { pay(1); sleep(1500ms); pay(2) }\n";

#[test]
fn a_store_that_is_removed_under_its_run_keeps_the_run_from_acting() {
    let kept = Kept::new("removed-store", PAYS_TWICE);
    let run = kept.start(&["--quiet"]);
    await_text(&kept.folder.join("paid.log"), "1\n");
    std::fs::remove_dir_all(kept.folder.join("state")).expect("it is there");
    let said: Said = run.wait_with_output().expect("it ends").into();
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{said:?}");
    assert!(
        said.err
            .contains("the file of the store was removed or replaced meanwhile"),
        "{said:?}"
    );
    assert_eq!(kept.read("paid.log"), "1\n");
}

#[test]
fn a_run_that_is_resumed_in_another_folder_says_where_it_began() {
    let kept = Kept::new("moved-run", PAYS_TWICE);
    let run = kept.start(&["--quiet"]);
    await_text(&kept.folder.join("paid.log"), "1\n");
    assert!(kill(run).is_none(), "it ended before");
    let elsewhere = kept.folder.join("elsewhere");
    std::fs::create_dir_all(&elsewhere).expect("the target folder can be written");
    let mut command = kept.command(&["--resume"]);
    let said: Said = command
        .current_dir(&elsewhere)
        .output()
        .expect("it can be started")
        .into();
    let note = format!("began in `{}`: its relative paths", kept.folder.display());
    assert!(said.err.contains(&note), "{said:?}");
}

/// Each was carried inside of the one before, until the stack was used up.
#[test]
fn a_test_of_runs_that_start_one_another_without_end_fails() {
    let file = scratch("detached_endless").join("endless.gsw");
    let source = r#"
workflow again(n: int) { spawn detached again(n + 1) with { id: "n-${n}" } }
workflow once_each(n: int) { spawn detached once_each(n + 1) with { id: "one" } }
test "endless" { again(0) }
test "an id is one run, whoever starts it" { once_each(0) }
"#;
    std::fs::write(&file, source).expect("the target folder can be written");
    let said = run(
        Path::new(env!("CARGO_BIN_EXE_gswc")),
        &["test", text(&file)],
    );
    assert_eq!(said.code, Some(1), "{said:?}");
    let why =
        "50 detached runs have started one another, and a test ends when all have: mock `again`";
    assert!(said.out.contains(why) || said.err.contains(why), "{said:?}");
    assert!(
        said.out.contains("1 passed, 1 failed") || said.err.contains("1 passed, 1 failed"),
        "{said:?}"
    );
}
