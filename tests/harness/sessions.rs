//! Sessions as they go over the wire: earlier exchanges go back as they came.

use fake_provider::{Body, Completion, Message, Reply, Script};
use serde_json::{Value, json};

use crate::program::{scratch, text};
use crate::wire::{program, run, with_provider};

const SHOP: &str = r#"
agent clerk { model: "anthropic/claude-opus-5-5" thinking: 2000 tools: [look] }
agent other { model: "openai/gpt-5" }
tool look(name: string) -> string reads { "${name} is red" }
prompt ask(question: string) -> string by clerk { user "${question}" }
workflow main() -> [string] {
  let chat = session(clerk)
  BODY
  chat.messages().map(it => "${it.role} ${it.tool ?? "-"} ${it.text}")
}
"#;

fn thinking(text: &str) -> Value {
    json!({ "type": "thinking", "thinking": text, "signature": format!("signed {text}") })
}

fn call() -> Value {
    json!({ "type": "tool_use", "id": "toolu_1", "name": "look", "input": { "name": "rose" } })
}

fn claude(content: Vec<Value>, stop: &str) -> Reply {
    Reply::of(Body::Anthropic(Message {
        content,
        stop_reason: stop.into(),
        ..Message::default()
    }))
}

/// A first answer that thinks, looks something up, and thinks again.
fn red() -> Vec<Reply> {
    let answer = json!({ "type": "text", "text": "It is red." });
    vec![
        claude(vec![thinking("hm"), call()], "tool_use"),
        claude(vec![thinking("so"), answer], "end_turn"),
    ]
}

/// The output of the program, with its error output, and the requests to the provider.
fn shop(name: &str, body: &str, replies: Vec<Reply>) -> (Value, String, Vec<Value>) {
    let file = program(name, &SHOP.replace("BODY", body));
    let (said, asked) = with_provider(Script::in_turn(replies), |url| run(&file, url, &[]));
    assert_eq!(said.code, Some(0), "{}", said.err);
    let out = serde_json::from_str(&said.out).expect("a list");
    (out, said.err, asked)
}

const TWICE: &str = r#"ask("Which colour?") with { session: chat }
  ask("Sure?") with { session: chat }"#;

/// G32: the whole conversation is kept.
#[test]
fn thinking_and_turns_of_tools_go_back_as_they_came() {
    let mut replies = red();
    replies.push(Reply::text("Yes."));
    let (out, err, asked) = shop("session_whole", TWICE, replies);
    let said = |role: &str, content: Value| json!({ "role": role, "content": content });
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let mut expected = vec![
        said("user", text("Which colour?")),
        said("assistant", json!([thinking("hm"), call()])),
    ];
    assert_eq!(
        asked[1]["messages"].as_array().map(|it| &it[..2]),
        Some(&expected[..])
    );
    expected.push(asked[1]["messages"][2].clone());
    let answer = json!({ "type": "text", "text": "It is red." });
    expected.push(said("assistant", json!([thinking("so"), answer])));
    expected.push(said("user", text("Sure?")));
    assert_eq!(asked[2]["messages"], json!(expected), "{err}");
    let listed = json!([
        "user - Which colour?",
        "assistant look ",
        "tool look rose is red",
        "assistant - It is red.",
        "user - Sure?",
        "assistant - Yes.",
    ]);
    assert_eq!(out, listed);
}

#[test]
fn another_provider_is_sent_what_it_can_read() {
    let body = r#"ask("Which colour?") with { session: chat }
  ask("Sure?") by other with { session: chat, tools: [look] }
  ask("Why?") with { session: chat, tools: [] }"#;
    let mut replies = red();
    replies.push(Reply::of(Body::Openai(Completion {
        content: "Yes.".into(),
        finish_reason: "stop".into(),
        ..Completion::default()
    })));
    replies.push(Reply::text("It grew so."));
    let (out, err, asked) = shop("session_elsewhere", body, replies);
    assert!(
        err.contains("without the blocks that only `anthropic` can read"),
        "{err}"
    );
    let messages = asked[2]["messages"].as_array().cloned().unwrap_or_default();
    assert!(
        !json!(messages).to_string().contains("signed"),
        "{messages:?}"
    );
    assert_eq!(messages[1]["tool_calls"][0]["function"]["name"], "look");
    assert_eq!(
        messages[2]["tool_call_id"],
        messages[1]["tool_calls"][0]["id"]
    );
    // Back where the blocks came from they are sent again; without tools their calls are texts.
    let messages = &asked[3]["messages"];
    assert_eq!(messages[1]["content"][0], thinking("hm"));
    let called = "(called the tool `look` with {\"name\":\"rose\"})";
    assert_eq!(messages[1]["content"][1]["text"], called);
    assert_eq!(
        messages[2]["content"][0]["text"],
        "(the tool `look` gave: rose is red)"
    );
    assert_eq!(
        messages[5]["content"],
        json!([{ "type": "text", "text": "Yes." }])
    );
    // What the program sees is the conversation, whichever model was asked.
    assert_eq!(out.as_array().map(Vec::len), Some(8), "{out}");
}

#[test]
fn observers_see_each_message_of_a_session_once() {
    let file = program("session_events", &SHOP.replace("BODY", TWICE));
    let events = file.with_extension("jsonl");
    let mut replies = red();
    replies.push(Reply::text("Yes."));
    let words = ["--events", crate::program::text(&events)];
    let (said, _) = with_provider(Script::in_turn(replies), |url| run(&file, url, &words));
    assert_eq!(said.code, Some(0), "{}", said.err);
    let lines = std::fs::read_to_string(&events).expect("it was written");
    let lines: Vec<Value> = lines
        .lines()
        .filter_map(|it| serde_json::from_str(it).ok())
        .collect();
    let of = |kind: &str| {
        lines
            .iter()
            .filter(|it| it["event"] == *kind)
            .cloned()
            .collect::<Vec<_>>()
    };
    let places: Vec<Value> = of("prompt_start")
        .iter()
        .map(|it| it["session"].clone())
        .collect();
    assert_eq!(
        json!(places),
        json!([{ "session": 1, "exchange": 1 }, { "session": 1, "exchange": 2 }])
    );
    let shown = json!(
        of("model_request")
            .iter()
            .map(|it| &it["request"])
            .collect::<Vec<_>>()
    );
    for text in ["Which colour?", "rose is red", "Sure?"] {
        assert_eq!(shown.to_string().matches(text).count(), 1, "{shown}");
    }
}

/// Results of older calls give way once the conversation has its share of the window, those of the last three turns stay, and the
/// provider's own count is what decides.
#[test]
fn older_results_of_tools_are_left_out_near_the_window() {
    const SEARCH: &str = r#"
agent reader { model: "anthropic/claude-opus-5-5" tools: [page] clear_results: 0.01 }
tool page(n: int) -> string reads { "page ${n} ".repeat(500) }
prompt read() -> string by reader { user "Read." }
workflow main() -> string { read() }
"#;
    let turn = |n: u64, tokens: u64| {
        let call = json!({ "type": "tool_use", "id": format!("t{n}"), "name": "page", "input": { "n": n } });
        Reply::of(Body::Anthropic(Message {
            content: vec![call],
            stop_reason: "tool_use".into(),
            usage: json!({ "input_tokens": tokens, "output_tokens": 10 }),
            ..Message::default()
        }))
    };
    // Ten thousand tokens are the share; the fifth answer brings the conversation there.
    let counts = [100, 1_100, 2_100, 3_100, 9_500, 4_000];
    let mut replies: Vec<Reply> = (1..).zip(counts).map(|(n, it)| turn(n, it)).collect();
    replies.push(Reply::text("Done."));
    let file = program("cleared", SEARCH);
    let log = scratch("wire").join("cleared.jsonl");
    let (said, asked) = with_provider(Script::in_turn(replies), |url| {
        run(&file, url, &["--events", text(&log)])
    });
    assert_eq!(said.code, Some(0), "{}", said.err);
    let results = |request: &Value| -> Vec<String> {
        let messages = request["messages"].as_array().into_iter().flatten();
        let pieces = messages.flat_map(|it| it["content"].as_array().into_iter().flatten());
        pieces
            .filter(|it| it["type"] == "tool_result")
            .map(|it| it["content"].as_str().unwrap_or_default()[..7].to_owned())
            .collect()
    };
    assert_eq!(
        results(&asked[4]),
        ["page 1 ", "page 2 ", "page 3 ", "page 4 "]
    );
    let cleared = ["(left o", "(left o", "page 3 ", "page 4 ", "page 5 "];
    assert_eq!(results(&asked[5]), cleared);
    // It stays so, and what is small again is not cleared further.
    assert_eq!(results(&asked[6])[..5], cleared);

    let events = std::fs::read_to_string(&log).expect("there are events");
    let of_kind = |it: &&str| it.contains("\"results_cleared\"");
    let event: Vec<&str> = events.lines().filter(of_kind).collect();
    assert_eq!(event.len(), 1, "{event:?}");
    let event: Value = serde_json::from_str(event[0]).expect("an event");
    assert_eq!(
        (&event["results"], &event["window"]),
        (&json!(2), &json!(1_000_000))
    );
}

/// G32: what a summary has replaced is not sent again, and observers see how the conversation continues.
#[test]
fn a_compacted_session_is_sent_as_it_is_now() {
    const BODY: &str = r#"ask("Which colour?") with { session: chat }
  let full = chat.fill() ?? 0.0
  if full <= 0.0 or full > 0.01 { fail Failed("it is ${full} full") }
  chat.compact(_ => "The rose is red.", keep: 0)
  ask("Sure?") with { session: chat }"#;
    let mut replies = red();
    let sure = json!({ "type": "text", "text": "Sure." });
    replies.push(claude(vec![sure], "end_turn"));
    let source = SHOP.replace("BODY", BODY);
    let file = program("compacted", &format!("import std/session\n{source}"));
    let log = scratch("wire").join("compacted.jsonl");
    let (said, asked) = with_provider(Script::in_turn(replies), |url| {
        run(&file, url, &["--events", text(&log)])
    });
    assert_eq!(said.code, Some(0), "{}", said.err);
    let texts = |request: &Value| -> Vec<String> {
        let messages = request["messages"].as_array().into_iter().flatten();
        let pieces = messages.flat_map(|it| it["content"].as_array().into_iter().flatten());
        pieces
            .filter_map(|it| it["text"].as_str().map(str::to_owned))
            .collect()
    };
    let wanted = [
        "What has been said before, in short?",
        "The rose is red.",
        "Sure?",
    ];
    assert_eq!(texts(&asked[2]), wanted, "{:?}", asked[2]);

    let events = std::fs::read_to_string(&log).expect("there are events");
    let events: Vec<Value> = events
        .lines()
        .filter_map(|it| serde_json::from_str(it).ok())
        .collect();
    let shortened = events.iter().find(|it| it["event"] == "session_shortened");
    let shortened = shortened.expect("it is told");
    let fields = ["session", "gone", "kept", "made"].map(|it| shortened[it].clone());
    assert_eq!(fields, [1, 1, 0, 2]);
    let mut requests = events.iter().filter(|it| it["event"] == "model_request");
    let last = requests.next_back().expect("there is one");
    assert_eq!(texts(&last["request"]), wanted, "{last}");
}
