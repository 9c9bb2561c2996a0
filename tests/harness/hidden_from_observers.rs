//! What providers and models repeat of keys and hidden values, and where it must not be shown.

use std::process::Command;

use fake_provider::{Body, Reply, Script};
use serde_json::{Value, json};

use crate::program::{gswc, scratch, text};
use crate::wire::{program, run, when, with_provider};

#[test]
fn a_key_that_a_provider_repeats_is_said_nowhere() {
    let file = program(
        "echoed_key",
        "agent a { model: \"openai/gpt-5\", retry: 0 }\nprompt p() -> string by a { user \"x\" }\nworkflow main() -> string { p() catch e => { log.info(e.message()); fail e } }\n",
    );
    let events = scratch("wire").join("echoed_key.jsonl");
    for status in [400, 401, 500] {
        let body =
            json!({ "error": { "message": "no such key: key-of-tests (`Bearer key-of-tests`)" } });
        let reply = Reply {
            status,
            times: 0,
            ..Reply::of(Body::Json(body))
        };
        let (said, _) = with_provider(
            Script {
                replies: vec![reply],
            },
            |url| run(&file, url, &["--events", text(&events)]),
        );
        assert_eq!(said.code, Some(1), "{said:?}");
        let told = std::fs::read_to_string(&events).expect("events were written");
        assert!(said.err.contains("no such key: ***"), "{said:?}");
        assert!(!said.err.contains("key-of-tests"), "{said:?}");
        assert!(!told.contains("key-of-tests"), "{told}");
    }
}

const TAKES: &str = r#"
tool take(@secret pw: string, w: int = 1) -> string once { "ok" }
agent a { model: "openai/gpt-5", tools: [take] }
prompt p() -> string by a { user "x" }
workflow main() -> string { p() }
"#;

#[test]
fn arguments_that_cannot_be_read_hide_what_is_in_them() {
    let file = program("flaws", TAKES);
    let events = scratch("wire").join("flaws.jsonl");
    for arguments in [
        r#"{"pw": "MARKER"#,
        r#"{"pw": "MARKER",}"#,
        r#"["MARKER"]"#,
        r#"{"pw": "MARKER"} and more"#,
        r#"{"pw": "MARKER", "pw": "MARKER2"}"#,
    ] {
        let call = json!({ "id": "c1", "type": "function", "function": { "name": "take", "arguments": arguments } });
        let openai = json!({ "finish_reason": "tool_calls", "tool_calls": [call] });
        let openai = serde_json::from_value(openai).expect("it is a completion");
        let replies = vec![Reply::of(Body::Openai(openai)), when("", json!("done"))];
        let (said, asked) = with_provider(Script { replies }, |url| {
            run(&file, url, &["--events", text(&events)])
        });
        assert_eq!(said.code, Some(0), "{said:?}");
        let told = std::fs::read_to_string(&events).expect("events were written");
        assert!(!told.contains("MARKER"), "{arguments}: {told}");
        assert!(!said.err.contains("MARKER"), "{arguments}: {said:?}");
        // The model is told what was wrong with its own words.
        assert!(
            asked[1].to_string().contains("cannot be read"),
            "{:?}",
            asked[1]
        );
    }
}

#[test]
fn an_answer_that_repeats_a_hidden_argument_is_not_kept_on_the_disk() {
    let source = "agent a { model: \"openai/gpt-5\", cache: true }\nprompt p(@secret id: string) -> string by a { user id }\nworkflow main(@secret id: string) -> int { p(id).len() }\n";
    let file = program("repeated_secret", source);
    let cache = scratch("repeated_secret");
    let _ = std::fs::remove_dir_all(&cache);
    let replies = vec![when("", json!("it is HUSHHUSH"))];
    let (said, _) = with_provider(Script { replies }, |url| {
        let output = Command::new(env!("CARGO_BIN_EXE_gswc"))
            .args(["run", text(&file), "--", "--id", "HUSHHUSH", "--cache"])
            .arg(&cache)
            .env("OPENAI_API_KEY", "key-of-tests")
            .env("OPENAI_BASE_URL", format!("{url}/v1"))
            .env_remove("GSW_CACHE")
            .output();
        crate::program::Said::from(output.expect("gswc can be started"))
    });
    assert_eq!(said.code, Some(0), "{said:?}");
    let files = std::fs::read_dir(&cache).into_iter().flatten().flatten();
    for file in files {
        let held = std::fs::read(file.path()).unwrap_or_default();
        let is_there = held.windows(8).any(|it| it == b"HUSHHUSH");
        assert!(!is_there, "{}", file.path().display());
    }
}

#[test]
fn a_hidden_duration_is_hidden_in_the_texts_of_a_prompt() {
    let source = "type Visit { @secret length: duration }\nagent a { model: \"openai/gpt-5\" }\nprompt p(visit: Visit, @secret rest: duration) -> string by a { user \"${visit.length} and ${rest}\" }\nworkflow main(visit: Visit, @secret rest: duration) -> int { p(visit, rest).len() }\n";
    let file = program("hidden_duration", source);
    let events = scratch("hidden_duration").join("events.jsonl");
    let replies = vec![when("", json!("as long as 1h31m"))];
    let (said, requests) = with_provider(Script { replies }, |url| {
        let output = Command::new(env!("CARGO_BIN_EXE_gswc"))
            .args(["run", text(&file), "--", "--visit", r#"{"length": 5460}"#])
            .args(["--rest", "2h17m", "--events"])
            .arg(&events)
            .env("OPENAI_API_KEY", "key-of-tests")
            .env("OPENAI_BASE_URL", format!("{url}/v1"))
            .output();
        crate::program::Said::from(output.expect("gswc can be started"))
    });
    assert_eq!(said.code, Some(0), "{said:?}");
    let sent = format!("{requests:?}");
    let seen = std::fs::read_to_string(&events).expect("the events are written");
    for length in ["1h31m", "2h17m"] {
        assert!(sent.contains(length), "{length} is not sent: {sent}");
        assert!(!seen.contains(length), "{length} is shown: {seen}");
    }
}

/// Which system text is sent.
const SYSTEMS: &str = r#"
agent a { model: "openai/gpt-5", system: "of the agent" }
prompt plain(x: string) -> string by a { user x }
prompt own(x: string) -> string by a { user x
  system: "of the prompt"
}
prompt said(x: string) -> string by a { system "of the body"
  user x
}
workflow main() -> [string] {
  [plain("1"), own("2"), said("3"), plain("4") with { system: "of the call" }, said("5") with { system: "of the call" }]
}
"#;

#[test]
fn the_nearest_system_text_is_sent() {
    // G22
    let file = program("systems", SYSTEMS);
    let replies = vec![when("", json!("x"))];
    let (said, asked) = with_provider(Script { replies }, |url| run(&file, url, &[]));
    assert_eq!(said.code, Some(0), "{said:?}");
    let systems: Vec<&Value> = asked
        .iter()
        .map(|it| &it["messages"][0]["content"])
        .collect();
    let expected = [
        "of the agent",
        "of the prompt",
        "of the body",
        "of the call",
        "of the call",
    ];
    assert_eq!(systems, expected, "{asked:?}");
    let shown = gswc(&[
        "prompt",
        text(&file),
        "own",
        "--json",
        "--model",
        "openai/gpt-5",
        "--",
        "--x",
        "2",
    ]);
    assert!(shown.out.contains("of the prompt"), "{shown:?}");
}
