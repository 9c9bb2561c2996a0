//! What names hold, and of which type it is.

use serde_json::json;

use super::{Editor, at, folder, program};
use crate::program::text;

#[test]
fn names_are_shown_with_their_types() {
    let file = program(
        "types",
        "type Line { title: string }

workflow main() -> int {
  let wait = 90s
  let none_yet: Line? = none
  let lines = [Line { title: \"a\" }]
  let add = (n: int) => n + lines.len()
  let task = spawn { add(1) }
  await task
}
",
    );
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file)}));
    editor.lines(&file, &[9]);
    editor.begin();
    assert_eq!(editor.stopped(), at("breakpoint", "main.main", 9));
    let stack = editor.told("stackTrace", json!({"threadId": 1}));
    let scopes = editor.told("scopes", json!({"frameId": stack["stackFrames"][0]["id"]}));
    let names = scopes["scopes"][0]["variablesReference"].clone();
    let names = editor.told("variables", json!({"variablesReference": names}));
    let names = names["variables"].as_array().expect("a list");
    let shown = |name: &str| {
        let found = names.iter().find(|it| it["name"] == name).expect(name);
        format!("{}: {}", found["value"], found["type"]).replace('"', "")
    };
    assert_eq!(shown("wait"), "1m30s: duration");
    assert_eq!(shown("none_yet"), "none: Line?");
    assert_eq!(shown("lines"), "[{\\title\\:\\a\\}]: [Line]");
    assert_eq!(shown("add"), "function: function");
    assert_eq!(shown("task"), "Task<int>: Task<int>");
    assert_eq!(editor.evaluate("wait"), "1m30s");
    assert_eq!(editor.evaluate("none_yet ?? 3"), "3");
    editor.leave();
}
