//! An editor that asks for what it saw right after it has let the run go on, without waiting for an answer.

use serde_json::json;

use super::{Editor, folder, program, text};

const ROUNDS: u64 = 60;

const COUNTS: &str = r#"workflow main(most: int = 60) -> int {
  var sum = 0
  for i in 0..most {
    sum += i
  }
  sum
}
"#;

#[test]
fn who_asks_after_it_resumes_is_answered() {
    let file = program("hasty", COUNTS);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file)}));
    editor.lines(&file, &[4]);
    editor.begin();
    for _ in 0..ROUNDS {
        let thread = editor.event("stopped")["threadId"].clone();
        let stack = editor.told("stackTrace", json!({"threadId": thread}));
        let frame = stack["stackFrames"][0]["id"].clone();
        let scopes = editor.told("scopes", json!({"frameId": frame}));
        let names = scopes["scopes"][0]["variablesReference"].clone();
        let resumes = editor.send("continue", json!({"threadId": thread}));
        let looks = editor.send("variables", json!({"variablesReference": names}));
        let lists = editor.send("threads", json!({}));
        assert_eq!(editor.answer(resumes)["success"], true);
        // The numbers held until it resumed.
        assert_eq!(editor.answer(looks)["success"], false);
        assert_eq!(editor.answer(lists)["success"], true);
    }
    editor.event("terminated");
    assert_eq!(editor.output("stdout"), "1770\n");
    editor.leave();
}
