//! Whose run it is, by command: `--resume` takes the runs of its own program alone, forks take nothing back that is not theirs, and
//! an answer is for the question that was seen.

use std::process::Stdio;

use serde_json::Value;

use crate::killed::{Kept, await_text};
use crate::program::{gswc, text};

const BOOKED: &str = r#"
import std/fs
permissions { fs.write: ["."] }
human go(what: string) -> bool { user "Go on with \u{1b}[8mall of\u{1b}[0m ${what}?" }
tool book(what: string) -> string once {
  fs.append("booked.log", "booked ${what}\n")
  what
}
workflow main(what: string) -> string {
  book(what)
  undo { fs.append("booked.log", "cancelled ${what}\n") }
  if not go(what) { fail Failed("no") }
  "done"
}
"#;

fn id_of(kept: &Kept) -> String {
    let runs: Vec<Value> =
        serde_json::from_str(&kept.run(&["runs", "--json"]).out).expect("a list");
    runs[0]["id"].as_str().expect("a text").to_owned()
}

#[test]
fn another_program_with_the_same_store_workflow_and_input_begins_its_own_run() {
    let kept = Kept::new("shared-store", BOOKED);
    assert_eq!(kept.run(&["--what", "a table"]).code, Some(5));
    let file = kept.folder.join("other.gsw");
    let source = "import std/fs\npermissions { fs.write: [\".\"] }\n\
                  workflow main(what: string) -> string {\n  fs.append(\"other.log\", what)\n  \"of the other\"\n}\n";
    std::fs::write(&file, source).expect("it can be written");
    let other = kept.folder.join("other");
    let said = gswc(&["build", text(&file), "-o", text(&other)]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut command = kept.command(&["--resume", "--what", "a table"]);
    let of_other = std::process::Command::new(&other)
        .args(command.get_args())
        .env("GSW_STORE", &kept.store)
        .current_dir(&kept.folder)
        .stdin(Stdio::null())
        .output()
        .expect("it can be started");
    assert_eq!(of_other.stdout, b"\"of the other\"\n", "{of_other:?}");
    // Its own is resumed, and nothing is booked again.
    let said = command.output().expect("it can be started");
    assert_eq!(said.status.code(), Some(5), "{said:?}");
    assert_eq!(kept.read("booked.log"), "booked a table\n");
}

#[test]
fn a_run_of_the_same_input_that_is_carried_is_not_begun_again() {
    let kept = Kept::new(
        "carried",
        &BOOKED.replace("  if not go", "  sleep(30s)\n  if not go"),
    );
    let mut child = kept.start(&["--what", "a table"]);
    await_text(&kept.folder.join("booked.log"), "booked");
    let said = kept.run(&["--resume", "--what", "a table"]);
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(said.code, Some(4), "{said:?}");
    assert_eq!(kept.read("booked.log"), "booked a table\n");
}

#[test]
fn what_a_fork_has_of_its_source_is_taken_back_by_the_source_alone() {
    let kept = Kept::new("forks-undo", BOOKED);
    assert_eq!(kept.run(&["--what", "a table"]).code, Some(5));
    let id = id_of(&kept);
    let fork = || {
        let said = kept.run(&["runs", "fork", &id, "go", "--json"]);
        let forked: Value = serde_json::from_str(&said.out).expect("JSON");
        forked["id"].as_str().expect("a text").to_owned()
    };
    let [first, second] = [fork(), fork()];
    // The source is what `--resume` means, and not the fork that is newer.
    let said = kept.run(&["--resume", "--what", "a table"]);
    assert!(said.err.contains(&id[..12]), "{said:?}");
    for forked in [&first, &second] {
        assert_eq!(kept.run(&["runs", "resume", forked]).code, Some(5));
        let said = kept.run(&["runs", "answer", forked, "go", "false"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let said = kept.run(&["runs", "resume", forked]);
        assert_eq!(said.code, Some(1), "{said:?}");
    }
    assert_eq!(kept.read("booked.log"), "booked a table\n");
    kept.run(&["runs", "cancel", &id]);
    assert_eq!(
        kept.read("booked.log"),
        "booked a table\ncancelled a table\n"
    );
}

const QUANTITIES: &str = r#"
type Quantity = int where it > 0
human go() -> bool { user "Go?" }
workflow main(n: Quantity = 1, name: string = "x") -> int { if go() { n } else { 0 } }
"#;

#[test]
fn a_fork_is_refused_what_does_not_fit_its_parameters() {
    let kept = Kept::new("forks-unfit", QUANTITIES);
    assert_eq!(kept.run(&[]).code, Some(5));
    let id = id_of(&kept);
    // A run that waits is not one that was interrupted.
    let said = kept.run(&["runs", "resume"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("no run that was interrupted"), "{said:?}");
    for set in ["n=0", "n=\"many\"", "name=1"] {
        let said = kept.run(&["runs", "fork", &id, "go", set]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains("the new input does not fit"), "{said:?}");
    }
    let said = kept.run(&["runs", "fork", &id, "go", "n=2", "--json"]);
    let forked: Value = serde_json::from_str(&said.out).expect("JSON");
    let forked = forked["id"].as_str().expect("a text");
    assert_eq!(kept.run(&["runs", "resume", forked]).code, Some(5));
    let said = kept.run(&["runs", "answer", forked, "go", "true"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(kept.run(&["runs", "resume", forked]).out, "2\n");
    let over = kept.run(&["runs", "resume", forked, "--json"]);
    assert_eq!(over.code, Some(4), "{over:?}");
    let why: Value = serde_json::from_str(&over.err).expect("JSON");
    assert!(
        why["message"]
            .as_str()
            .is_some_and(|it| it.contains("has ended")),
        "{why}"
    );
}

#[test]
fn a_question_is_shown_as_it_is_and_answered_by_the_build_that_asked() {
    let kept = Kept::new("asked-elsewhere", BOOKED);
    assert_eq!(kept.run(&["--what", "a table"]).code, Some(5));
    let id = id_of(&kept);
    let shown = kept.run(&["runs", "show", &id]);
    assert!(
        shown.out.contains("Go on with ␛[8mall of␛[0m a table?"),
        "{shown:?}"
    );
    assert!(!shown.out.contains('\u{1b}'), "{shown:?}");
    // The next build asks something else of the same name; the one that asked is gone.
    let source = BOOKED
        .replace("-> bool", "-> \"yes\" | \"no\"")
        .replace("not go(what)", "go(what) == \"no\"");
    std::fs::remove_file(&kept.program).expect("it is there");
    std::fs::write(kept.folder.join("flow.gsw"), source).expect("it can be written");
    let said = gswc(&[
        "build",
        text(&kept.folder.join("flow.gsw")),
        "-o",
        text(&kept.program),
    ]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = kept.run(&["runs", "answer", &id, "go", "\"yes\""]);
    assert_eq!(said.code, Some(2), "{said:?}");
    let why = "the build of the program that asked `go` is another";
    assert!(said.err.contains(why), "{said:?}");
    let shown = kept.run(&["runs", "show", &id]);
    let differs = "recorded: human go, which asks \"Go on with";
    assert!(shown.out.contains(differs), "{shown:?}");
    for key in ["", "a\nb"] {
        let said = kept.run(&["runs", "answer", "--key", key, "go", "true"]);
        assert_eq!(said.code, Some(2), "{key:?}: {said:?}");
    }
}
