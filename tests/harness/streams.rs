//! Streams against the scripted provider.

use std::path::Path;
use std::process::{Command, Stdio};

use fake_provider::{Answer as Said, Body, Reply, Script};
use serde_json::{Value, json};

use crate::program::{self, root, scratch, text};
use crate::wire::{program, run, with_provider};

/// A program that ends a stream when it has seen enough, against a provider that never ends it.
const ENOUGH: &str = r#"
agent clerk { model: "MODEL" retry: 0 }
prompt greet(name: string) -> string by clerk { user "Greet ${name}." }
workflow main() -> string {
  let answer = greet.stream("Ada")
  var last = ""
  for part in answer {
    last = part
    if part.ends_with("world") {
      answer.cancel()
      break
    }
  }
  last
}
"#;

const MESSAGES: &str = r#"event: message_start
data: {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello, "}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "world"}}

"#;

const COMPLETIONS: &str = r#"data: {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hello, "}, "finish_reason": null}]}

data: {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"content": "world"}, "finish_reason": null}]}

"#;

const RESPONSES: &str = r#"event: response.output_text.delta
data: {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hello, "}

event: response.output_text.delta
data: {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "world"}

"#;

const GENERATION: &str = r#"data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello, "}]}, "index": 0}], "modelVersion": "m"}

data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "world"}]}, "index": 0}], "modelVersion": "m"}

"#;

fn stream(events: &str) -> Reply {
    Reply::of(Body::Stream(events.into()))
}

fn answer(value: Value) -> Reply {
    Reply::of(Body::Answer(Said { text: value }))
}

fn in_turn(replies: Vec<Reply>) -> Script {
    Script::in_turn(replies)
}

/// Nothing but what is shown before the end of an answer ends this program.
#[test]
fn parts_are_there_while_the_answer_arrives_on_every_wire() {
    let wires = [
        ("anthropic/claude-sonnet-5-5", MESSAGES),
        ("openai/gpt-5", COMPLETIONS),
        ("openai-responses/gpt-5", RESPONSES),
        ("gemini/gemini-2.5-flash", GENERATION),
    ];
    for (model, events) in wires {
        let name = model.replace(['/', '.'], "-");
        let file = program(&format!("enough-{name}"), &ENOUGH.replace("MODEL", model));
        let log = scratch("wire").join(format!("enough-{name}.jsonl"));
        let (said, asked) = run_against_endless(&file, &log, events);
        assert_eq!(said.out.trim(), "\"Hello, world\"", "{model}: {said:?}");
        assert_eq!(asked.len(), 1, "{model}");
        assert_eq!(streamed(&log), "Hello, world", "{model}");
    }
}

/// Runs a program against a provider that sends `events` and then neither more nor the end; gives also the requests.
fn run_against_endless(file: &Path, log: &Path, events: &str) -> (program::Said, Vec<Value>) {
    let reply = Reply {
        hang: true,
        ..stream(events)
    };
    with_provider(in_turn(vec![reply]), |url| {
        let mut command = Command::new(program::GSWC);
        command
            .args(["run", text(file), "--", "--events", text(log)])
            .current_dir(root())
            .stdin(Stdio::null())
            .env_remove("GSW_MODEL")
            .envs([("GSW_CACHE", "off"), ("ANTHROPIC_API_KEY", "key")])
            .envs([("OPENAI_API_KEY", "key"), ("GEMINI_API_KEY", "key")])
            .envs([("ANTHROPIC_BASE_URL", url), ("GEMINI_BASE_URL", url)])
            .env("OPENAI_BASE_URL", format!("{url}/v1"));
        command.output().expect("gswc can be started").into()
    })
}

/// The answer does not end, so what ends the program was shown while it arrived.
#[test]
fn the_end_of_a_thought_that_a_template_began_makes_what_came_a_draft() {
    const DRAFT: &str = r#"
type Note { title: string, tags: [string] }
agent thinker { model: "openai/local" retry: 0 timeout: 30s }
prompt note(name: string) -> Note by thinker { user "Greet ${name}." }
workflow main() -> string {
  let answer = note.stream("Ada")
  var title = ""
  for part in answer {
    title = part.title ?? ""
    if title == "Hello" { break }
  }
  let restarts = answer.restarts()
  answer.cancel()
  "${title} ${restarts}"
}
"#;
    let pieces = [
        r#"I say {"title": "Hm", "tags": []} or so.\n</thi"#,
        r#"nk>\n{"title": "Hello", "tags": ["#,
    ];
    let chunk = |it: &str| {
        let delta = json!({ "content": it.replace("\\n", "\n") });
        let choices = json!([{ "index": 0, "delta": delta, "finish_reason": null }]);
        let chunk = json!({ "id": "c", "object": "chat.completion.chunk", "model": "m", "choices": choices });
        format!("data: {chunk}\n\n")
    };
    let reply = Reply {
        hang: true,
        ..stream(&pieces.map(chunk).concat())
    };
    let file = program("stream-draft", DRAFT);
    let (said, _) = with_provider(in_turn(vec![reply]), |url| run(&file, url, &[]));
    assert_eq!(said.out.trim(), "\"Hello 1\"", "{said:?}");
}

/// The text of the `stream_delta` events of a file.
fn streamed(log: &Path) -> String {
    let events = std::fs::read_to_string(log).expect("there are events");
    let events = events
        .lines()
        .filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let deltas = events.filter(|it| it["event"] == "stream_delta");
    deltas
        .filter_map(|it| it["text"].as_str().map(str::to_owned))
        .collect()
}

const LAST: &str = r#"
import std/fs
type Note { title: string where it.len() < 6, tags: [string] }
tool look_up(word: string) -> string once { fs.append("LEDGER", "${word}\n"); "a countess" }
agent clerk { model: "anthropic/claude-sonnet-5-5" tools: [look_up] SETTINGS }
prompt greet(name: string) -> RESULT by clerk { user "Greet ${name}." }
workflow main() -> [string] {
  let answer = greet.stream("Ada")
  var last = "nothing"
  let looped = do { for part in answer { last = "${part}" }; "ended" } catch { e => e.message() }
  let result = do { let whole = answer.result(); "${whole}" } catch { e => e.message() }
  [looped, if looped == "ended" { last } else { "" }, result]
}
"#;

/// What the loop ended with, its last part, the result, and what the tool was called with.
fn last(name: &str, result: &str, settings: &str, replies: Vec<Reply>) -> ([String; 3], String) {
    let ledger = scratch("wire").join(format!("{name}.txt"));
    let _ = std::fs::remove_file(&ledger);
    let source = LAST
        .replace("LEDGER", text(&ledger))
        .replace("SETTINGS", settings)
        .replace("RESULT", result);
    let file = program(name, &source);
    let (said, _) = with_provider(in_turn(replies), |url| run(&file, url, &[]));
    let came = serde_json::from_str(&said.out);
    let calls = std::fs::read_to_string(&ledger).unwrap_or_default();
    (came.unwrap_or_else(|_| panic!("{said:?}")), calls)
}

#[test]
fn a_stream_that_is_cut_is_an_error_and_another_attempt_begins_anew() {
    let cut = || Reply {
        drop_at: Some(MESSAGES.len()),
        ..stream(MESSAGES)
    };
    let (came, _) = last("stream-cut", "string", "retry: 0", vec![cut()]);
    assert_ne!(came[0], "ended");
    assert_eq!(came[0], came[2]);
    let whole = json!({ "title": "A b", "tags": ["x", "y"] });
    let replies = vec![cut(), answer(whole)];
    let (came, _) = last("stream-again", "Note", "retry: 1", replies);
    let note = r#"{"title":"A b","tags":["x","y"]}"#;
    assert_eq!(came, ["ended", note, note]);
}

#[test]
fn an_error_event_in_a_stream_is_an_error() {
    let broken = format!(
        "{MESSAGES}event: error\ndata: {{\"type\": \"error\", \"error\": {{\"type\": \"invalid_request_error\", \"message\": \"no more\"}}}}\n\n"
    );
    let (came, _) = last("stream-error", "string", "retry: 0", vec![stream(&broken)]);
    assert!(came[0].contains("no more"), "{came:?}");
    assert_eq!(came[0], came[2]);
}

const PATIENT: &str = r#"
agent clerk { model: "MODEL" retry: 9 first_token: 300ms }
prompt greet(name: string) -> string by clerk { user "Greet ${name}." }
workflow main() -> [bool] {
  let answer = greet.detail("Ada")
  let first = answer.first_token ?? 1h
  [answer.value == "Hello, world", answer.attempts > 1, first > 0s and first <= answer.duration]
}
"#;

#[test]
fn a_model_that_says_nothing_is_asked_again_and_the_wait_for_its_first_token_is_known() {
    let silent = Reply {
        hang: true,
        ..stream("event: ping\ndata: {}\n\n")
    };
    let file = program(
        "first-token",
        &PATIENT.replace("MODEL", "anthropic/claude-sonnet-5-5"),
    );
    let log = scratch("wire").join("first-token.jsonl");
    let replies = vec![silent, Reply::text("Hello, world")];
    let (said, _) = with_provider(in_turn(replies), |url| {
        run(&file, url, &["--events", text(&log)])
    });
    assert_eq!(said.out.trim(), "[true,true,true]", "{said:?}");
    let events = std::fs::read_to_string(&log).expect("there are events");
    let of = |kind: &str| -> Vec<Value> {
        let events = events
            .lines()
            .map(|it| serde_json::from_str(it).expect("JSON"));
        events.filter(|it: &Value| it["event"] == *kind).collect()
    };
    let answers = of("model_answer");
    let failure = answers[0]["error"].as_str().unwrap_or_default();
    assert!(
        failure.contains("within 0.3 s (`first_token`)"),
        "{failure}"
    );
    assert_eq!(answers[0].get("first_token"), None);
    let first = answers[answers.len() - 1]["first_token"].as_f64();
    assert!(first.is_some_and(|it| it > 0.0), "{answers:?}");
    assert_eq!(of("prompt_end")[0]["detail"]["first_token"].as_f64(), first);
}

fn calls(stop: &str) -> Reply {
    Reply::of(Body::Anthropic(fake_provider::Message {
        content: vec![
            json!({ "type": "text", "text": "Let me look that up." }),
            json!({ "type": "tool_use", "id": "t", "name": "look_up", "input": { "word": "Ada" } }),
        ],
        stop_reason: stop.into(),
        ..fake_provider::Message::default()
    }))
}

#[test]
fn after_tools_the_parts_are_those_of_the_answer_and_a_cut_call_is_not_made() {
    let replies = vec![calls("tool_use"), answer("Hello Countess".into())];
    let (came, called) = last("stream-tools", "string", "", replies);
    assert_eq!(came, ["ended", "Hello Countess", "Hello Countess"]);
    assert_eq!(called, "Ada\n");
    let replies = vec![calls("max_tokens")];
    let (came, called) = last("stream-cut-call", "string", "", replies);
    assert!(came[0].contains("token limit"), "{came:?}");
    assert_eq!((came[0] == came[2], called.as_str()), (true, ""));
}

/// A program whose model calls a tool, and says no more when half of the call is there.
const CALLING: &str = r#"
tool look_up(TAG word: string) -> string reads { word }
agent clerk { model: "MODEL" retry: 0 timeout: 2s tools: [look_up] }
prompt greet(name: string) -> string by clerk { user "Greet ${name}." }
workflow main() -> string {
  let answer = greet.stream("Ada")
  do { for part in answer { log.info(part) }; "ended" } catch { _ => "given up" }
}
"#;

const MESSAGES_CALL: &str = r#"event: message_start
data: {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "look_up", "input": {}}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{\"wo"}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "rd\":\"Ada"}}

"#;

const COMPLETIONS_CALL: &str = r#"data: {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [{"index": 0, "id": "t", "type": "function", "function": {"name": "look_up", "arguments": ""}}]}, "finish_reason": null}]}

data: {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{\"wo"}}]}, "finish_reason": null}]}

data: {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "rd\":\"Ada"}}]}, "finish_reason": null}]}

"#;

const RESPONSES_CALL: &str = r#"event: response.output_item.added
data: {"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "id": "f", "call_id": "t", "name": "look_up", "arguments": "", "status": "in_progress"}}

event: response.function_call_arguments.delta
data: {"type": "response.function_call_arguments.delta", "output_index": 1, "item_id": "f", "delta": "{\"wo"}

event: response.function_call_arguments.delta
data: {"type": "response.function_call_arguments.delta", "output_index": 1, "item_id": "f", "delta": "rd\":\"Ada"}

"#;

/// This one sends calls whole.
const GENERATION_CALL: &str = r#"data: {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "look_up", "args": {"word": "Ada"}}}]}, "index": 0}], "modelVersion": "m"}

"#;

/// Runs a program whose model says this and then nothing; its `stream_delta` events that belong to a call.
fn calling(name: &str, (model, tag): (&str, &str), events: &str) -> Vec<Value> {
    let source = CALLING.replace("MODEL", model).replace("TAG", tag);
    let file = program(name, &source);
    let log = scratch("wire").join(format!("{name}.jsonl"));
    let (said, _) = run_against_endless(&file, &log, events);
    assert_eq!(said.out.trim(), "\"given up\"", "{model}: {said:?}");
    let events = std::fs::read_to_string(&log).expect("there are events");
    let events = events
        .lines()
        .filter_map(|it| serde_json::from_str(it).ok());
    let is_call = |it: &Value| it["event"] == "stream_delta" && it["call"].is_object();
    events.filter(is_call).collect()
}

// G31
#[test]
fn observers_see_a_call_of_a_tool_while_it_arrives_on_every_wire() {
    let half = "{\"word\":\"Ada";
    let wires = [
        ("anthropic/claude-sonnet-5-5", MESSAGES_CALL, half),
        ("openai/gpt-5", COMPLETIONS_CALL, half),
        ("openai-responses/gpt-5", RESPONSES_CALL, half),
        (
            "gemini/gemini-2.5-flash",
            GENERATION_CALL,
            "{\"word\":\"Ada\"}",
        ),
    ];
    std::thread::scope(|threads| {
        for (model, events, wanted) in wires {
            threads.spawn(move || {
                let name = format!("calling-{}", model.replace(['/', '.'], "-"));
                let deltas = calling(&name, (model, ""), events);
                let came: String = deltas.iter().filter_map(|it| it["text"].as_str()).collect();
                assert_eq!(came, wanted, "{model}");
                let last = deltas.last().expect("there is one");
                assert_eq!(last["bytes"], wanted.len(), "{model}");
                let call = json!({ "number": 0, "tool": "look_up" });
                assert!(deltas.iter().all(|it| it["call"] == call), "{deltas:?}");
            });
        }
    });
}

// G55
#[test]
fn of_a_call_that_hides_something_observers_see_its_length_while_it_arrives() {
    let of = ("anthropic/claude-sonnet-5-5", "@secret");
    let deltas = calling("calling-hidden", of, MESSAGES_CALL);
    assert!(
        deltas.iter().all(|it| it.get("text").is_none()),
        "{deltas:?}"
    );
    assert_eq!(deltas.last().expect("there is one")["bytes"], 12);
}

#[test]
fn a_wrong_answer_that_is_corrected_ends_with_the_parts_of_the_right_one() {
    let replies = vec![
        answer(json!({ "title": "much too long", "tags": ["x"] })),
        answer(json!({ "title": "A b", "tags": ["y"] })),
    ];
    let (came, _) = last("stream-reflect", "Note", "reflect: 1", replies);
    let note = r#"{"title":"A b","tags":["y"]}"#;
    assert_eq!(came, ["ended", note, note]);
}
