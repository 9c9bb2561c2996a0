//! A run that another process carries, looked at while it goes on.

use std::process::{Command, Stdio};

use serde_json::json;

use super::editor::{Editor, HANGS};
use super::{at, folder, program};
use crate::program::{GSWC, text};

/// Goes on when somebody makes a file. What it appends is what its store has of it.
const WAITS: &str = r#"import std/fs

permissions { fs.read: ["."] fs.write: ["."] }

workflow main() -> int {
  var rounds = 1
  fs.append("log.txt", "begun")
  while not fs.exists("go") {
    sleep(50ms)
  }
  rounds += 1
  fs.append("log.txt", "gone")
  while not fs.exists("end") {
    sleep(50ms)
  }
  rounds * 10
}
"#;

#[test]
fn a_run_of_another_process_is_followed() {
    let file = program("attached", WAITS);
    let (root, store) = (folder(&file), folder(&file).join("runs.db"));
    let mut carrier = Command::new(GSWC)
        .args(["run", text(&file), "--", "--store", text(&store)])
        .current_dir(root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("gswc can be started");
    let begun = std::time::Instant::now();
    let has_begun = || {
        let listed = Command::new(GSWC)
            .args(["runs", "--store", text(&store)])
            .output();
        listed.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains("main"))
    };
    while !has_begun() {
        assert!(begun.elapsed() < HANGS, "the run does not begin");
    }
    let mut editor = Editor::new(root);
    editor.told("initialize", json!({"adapterID": "gsw"}));
    editor.told(
        "attach",
        json!({"program": text(&file), "store": text(&store)}),
    );
    editor.event("initialized");
    editor.begin();
    let (why, function, _) = editor.stopped();
    assert_eq!((&*why, &*function), ("pause", "main.main"), "where it is");
    assert_eq!(editor.evaluate("rounds"), "1");
    assert_eq!(editor.goes("stepBack").0, "step");
    editor.lines(&file, &[11, 16]);
    // From the past to where the run is, and on with it.
    editor.told("continue", json!({"threadId": 1}));
    assert_eq!(editor.goes("pause").0, "pause", "where it waits");
    editor.told("continue", json!({"threadId": 1}));
    std::fs::write(root.join("go"), "").expect("scratch can be written");
    assert_eq!(editor.stopped(), at("breakpoint", "main.main", 11));
    assert_eq!(editor.evaluate("rounds"), "1");
    assert_eq!(editor.goes("next"), at("step", "main.main", 12));
    assert_eq!(
        carrier.try_wait().expect("it is ours"),
        None,
        "it is not held up"
    );
    editor.told("continue", json!({"threadId": 1}));
    std::fs::write(root.join("end"), "").expect("scratch can be written");
    assert_eq!(editor.stopped(), at("breakpoint", "main.main", 16));
    assert_eq!(editor.evaluate("rounds"), "2");
    editor.lines(&file, &[]);
    editor.told("continue", json!({"threadId": 1}));
    editor.event("terminated");
    assert!(
        editor.output("stdout").contains("20"),
        "{:#?}",
        editor.events
    );
    assert!(carrier.wait().expect("it is ours").success());
    editor.leave();
}
