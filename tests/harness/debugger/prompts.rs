//! `gswc dap` at prompts.

use serde_json::json;

use super::{Editor, at, folder, program};
use crate::program::text;

#[test]
fn a_prompt_stands_at_its_text_and_shows_its_arguments() {
    let source = "prompt summed(title: string, prices: [int]) -> string {
  user \"\"\"
  Sum up ${title}: ${prices}
  \"\"\"
}

workflow main() -> bool {
  let said = summed(\"costs\", [1, 2])
  said.len() > 0
}
";
    let file = program("prompt", source);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "stopOnEntry": true, "model": "sim/default"}));
    editor.begin();
    assert_eq!(editor.stopped(), at("entry", "main.main", 8));
    assert_eq!(editor.goes("stepIn"), at("step", "main.summed", 2));
    assert_eq!(editor.evaluate("title"), "\"costs\"");
    assert_eq!(editor.evaluate("prices[1]"), "2");
    assert_eq!(editor.goes("stepOut"), at("step", "main.main", 9));
    editor.told("continue", json!({"threadId": 1}));
    editor.event("terminated");
    editor.leave();
    // By its name it is stopped at once.
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "model": "sim/default"}));
    let named = json!({"breakpoints": [{"name": "summed"}]});
    editor.told("setFunctionBreakpoints", named);
    editor.begin();
    assert_eq!(
        editor.stopped(),
        at("function breakpoint", "main.summed", 2)
    );
    editor.told("continue", json!({"threadId": 1}));
    editor.event("terminated");
    editor.leave();
}

#[test]
fn each_text_of_a_conversation_is_one_place() {
    let source = "prompt told(a: string, b: [string]) -> string {
  user \"A ${a}\"
  for it in b {
    assistant \"B ${it}\"
  }
  user \"C\"
}

workflow main() -> bool {
  let said = told(\"a\", [\"b\", \"c\"])
  said.len() > 0
}
";
    let file = program("conversation", source);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "model": "sim/default"}));
    editor.lines(&file, &[4]);
    editor.begin();
    let text = at("breakpoint", "main.told messages", 4);
    assert_eq!(editor.stopped(), text);
    assert_eq!(editor.evaluate("it"), "\"b\"");
    assert_eq!(editor.goes("continue"), text);
    assert_eq!(editor.evaluate("it"), "\"c\"");
    assert_eq!(editor.goes("next"), at("step", "main.told messages", 6));
    assert_eq!(editor.goes("next"), at("step", "main.main", 11));
    editor.leave();
}
