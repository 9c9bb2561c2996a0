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
    user asked
    assistant (answered)
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

#[test]
fn random_conversations_say_what_their_statements_reach() {
    let seeds: u64 = match std::env::var("GSW_TALKS") {
        Ok(it) => it.parse().expect("GSW_TALKS is a number"),
        Err(_) => 6,
    };
    let folder = crate::program::scratch("talks");
    for seed in 0..seeds {
        let file = folder.join(format!("talk{seed}.gsw"));
        let source = gsw_generator::talk_program(seed, 20);
        std::fs::write(&file, source).expect("the target folder can be written");
        let events = file.with_extension("jsonl");
        let (path, events_path) = (crate::program::text(&file), crate::program::text(&events));
        let said = crate::program::gswc(&["run", path, "--", "--events", events_path, "--quiet"]);
        assert_eq!(said.code, Some(0), "{path}: {}", said.err);
        let wanted: Vec<Vec<(String, String)>> =
            serde_json::from_str(&said.out).expect("the result is lists of roles and texts");
        let events = std::fs::read_to_string(&events).expect("the run wrote its events");
        let events = events.lines().map(|it| {
            let event: Value = serde_json::from_str(it).expect("an event is JSON");
            event
        });
        let asked = events.filter(|it| it["event"] == "model_request");
        let asked: Vec<Value> = asked.map(|it| it["request"].clone()).collect();
        assert_eq!(asked.len(), wanted.len(), "{path}");
        for (number, (asked, wanted)) in asked.iter().zip(&wanted).enumerate() {
            assert_eq!(*asked, conversation(wanted), "{path}: talk{number}");
        }
    }
}

/// The messages of texts in their order.
fn conversation(said: &[(String, String)]) -> Value {
    let mut spoken: Vec<(&str, String)> = Vec::new();
    for (role, text) in said.iter().filter(|it| !it.1.trim().is_empty()) {
        match spoken.last_mut() {
            Some((last, before)) if *last == role => before.push_str(&format!("\n\n{text}")),
            _ => spoken.push((role, text.clone())),
        }
    }
    let message = |(role, text): &(&str, String)| json!({ "role": role, "content": [{ "type": "text", "text": text }] });
    match spoken.split_first() {
        Some((("system", prompt), rest)) => {
            let messages: Vec<Value> = rest.iter().map(message).collect();
            json!({ "system": prompt, "messages": messages })
        }
        _ => json!({ "messages": spoken.iter().map(message).collect::<Vec<_>>() }),
    }
}

const KEEP: &str = r#"
type Bug { line: int where it > 0, title: string }
agent reader { model: "anthropic/claude-sonnet-5-5", answer: "keep_valid", cache: true }
prompt find(code: string) -> [Bug] by reader { user "Find bugs." }
workflow main() -> json {
  let found = find.detail("x")
  let again = find.detail("x")
  {
    "value": found.value,
    "dropped": found.dropped.map(it => "${it.path}: ${it.expected}, ${it.found}"),
    "kept": again.cached and again.dropped == found.dropped,
  }
}
"#;

#[test]
fn items_that_are_left_out_are_named_in_the_detail_the_event_and_on_the_screen() {
    let file = program("keep_valid", KEEP);
    let answer = json!([
        { "line": 3, "title": "off by one" },
        { "line": 0, "title": "nowhere" },
        { "line": "soon", "title": 4 },
        { "title": "no line" },
        { "line": "7", "title": "leak" },
    ]);
    let events = crate::program::scratch("wire").join("keep_valid.jsonl");
    let script = Script::always(Reply::text(&format!("Sure:\n{answer}")));
    let arguments = ["--events", crate::program::text(&events)];
    let (said, asked) = with_provider(script, |url| run(&file, url, &arguments));
    assert_eq!((said.code, asked.len()), (Some(0), 1), "{said:?}");
    let result: Value = serde_json::from_str(&said.out).expect("the result is JSON");
    assert_eq!(
        result,
        json!({
            "value": [{ "line": 3, "title": "off by one" }, { "line": 7, "title": "leak" }],
            "dropped": [
                "$[1].line: `it > 0`, 0",
                "$[2].line: int, \"soon\"",
                "$[3].line: int, nothing",
            ],
            "kept": true,
        })
    );
    assert!(said.err.contains(", 3 items left out"), "{}", said.err);
    let path = crate::program::text(&events);
    let tree = crate::program::gswc(&["trace", path]).out;
    assert!(tree.contains(" · 3 items left out"), "{tree}");
    let node = crate::program::gswc(&["trace", path, "--node", "main > find"]).out;
    let first = "at $[1].line: expected `it > 0`, found 0";
    assert!(node.contains(&format!("\ndropped\n  {first}\n")), "{node}");
    let all = crate::program::gswc(&["trace", path, "--json"]).out;
    let all: Value = serde_json::from_str(&all).expect("the trace is JSON");
    let nodes = all["runs"][0]["nodes"].as_array().into_iter().flatten();
    let find = nodes.into_iter().find(|it| it["name"] == "find");
    assert_eq!(
        find.map(|it| &it["dropped"][2]["path"]),
        Some(&json!("$[3].line"))
    );
    let events = std::fs::read_to_string(events).expect("the run wrote its events");
    let ends = events.lines().filter(|it| it.contains("\"prompt_end\""));
    let end: Value = ends
        .map(|it| serde_json::from_str(it).expect("an event is JSON"))
        .next()
        .expect("the prompt ended");
    let dropped = end["detail"]["dropped"]
        .as_array()
        .expect("items were left out");
    let paths: Vec<&Value> = dropped.iter().map(|it| &it["path"]).collect();
    assert_eq!(paths, ["$[1].line", "$[2].line", "$[3].line"]);
}
