//! Prompts whose bodies are conversations, as they go over the wire to each kind of provider.

use fake_provider::{Reply, Script};
use serde_json::{Value, json};

use crate::wire::{program, run, with_provider};

const TALK: &str = r#"
agent librarian { model: "MODEL" system: "The agent's." reflect: 1 }
prompt reply(history: [(string, string)], cover: image?, question: string, page: int) -> int by librarian {
  system "Be brief."
  system "Count."
  for (asked, answered) in history {
    user "${asked}"
    assistant "${answered}"
  }
  if let c = cover { user "The cover: ${c}" }
  system "Now answer."
  user "${question}"
  example ([("Hm?", "Hm.")], none, "One?", 3) -> 1
}
workflow main() -> int {
  let png = image.bytes(bytes.from_base64("iVBORw0KGgo="), "image/png")
  reply([("A?", "B."), ("C?", "D.")], png, "How many?", 7)
}
"#;

/// What the provider was asked, first and after an answer that does not fit.
fn asked(model: &str) -> Vec<Value> {
    let name = format!("talk_{}", model.replace(['/', '.'], "_"));
    let file = program(&name, &TALK.replace("MODEL", model));
    let script = Script::in_turn(vec![Reply::text("none"), Reply::text("12")]);
    let (said, asked) = with_provider(script, |url| run(&file, url, &[]));
    assert_eq!((said.code, &*said.out), (Some(0), "12\n"), "{said:?}");
    assert_eq!(asked.len(), 2, "{asked:?}");
    asked
}

#[test]
fn a_conversation_goes_to_the_messages_api_with_instructions_as_messages() {
    let asked = asked("anthropic/claude-sonnet-5-5");
    let text = |text: &str| json!({ "type": "text", "text": text });
    let said = |role: &str, words: &str| json!({ "role": role, "content": [text(words)] });
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" });
    let cover = json!({ "type": "image", "source": source });
    let system = asked[0]["system"].as_str().unwrap_or_default();
    assert!(system.starts_with("Be brief.\n\nCount."), "{system}");
    let mut messages = vec![
        said("user", "Hm?"),
        said("assistant", "Hm."),
        said("system", "Now answer."),
        said("user", "One?\n<page>\n3\n</page>"),
        said("assistant", "1"),
        said("user", "A?"),
        said("assistant", "B."),
        said("user", "C?"),
        said("assistant", "D."),
        json!({ "role": "user", "content": [text("The cover: "), cover] }),
        said("system", "Now answer."),
        said("user", "How many?\n<page>\n7\n</page>"),
    ];
    assert_eq!(asked[0]["messages"], json!(messages));
    // What does not fit is shown back at the end of the same conversation.
    let again = asked[1]["messages"].as_array().cloned().unwrap_or_default();
    messages.push(said("assistant", "none"));
    assert_eq!(again[..messages.len()], messages, "{again:?}");
    assert_eq!(again.len(), messages.len() + 1, "{again:?}");
}

#[test]
fn a_conversation_goes_to_chat_completions_with_instructions_as_messages() {
    let asked = asked("openai/gpt-5");
    let said = |role: &str, words: &str| json!({ "role": role, "content": words });
    let url = "data:image/png;base64,iVBORw0KGgo=";
    let cover = json!({ "type": "image_url", "image_url": { "url": url } });
    let before = json!({ "type": "text", "text": "The cover: " });
    assert_eq!(
        asked[0]["messages"],
        json!([
            said("system", "Be brief.\n\nCount."),
            said("user", "Hm?"),
            said("assistant", "Hm."),
            said("system", "Now answer."),
            said("user", "One?\n<page>\n3\n</page>"),
            said("assistant", "1"),
            said("user", "A?"),
            said("assistant", "B."),
            said("user", "C?"),
            said("assistant", "D."),
            { "role": "user", "content": [before, cover] },
            said("system", "Now answer."),
            said("user", "How many?\n<page>\n7\n</page>"),
        ])
    );
}
