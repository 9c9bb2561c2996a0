//! Tools that a model calls, over the wire: what is done once, what is refused, the results that the model gets.

use fake_provider::{Body, Completion, Message, Reply, Script};
use serde_json::{Value, json};

use crate::introspection::{answers, done, turn};
use crate::program::{Said, scratch, text};
use crate::wire::{program, run, with_provider};

const SHOP: &str = r#"
import std/fs
/// Takes money.
tool charge(order: string, @alias("sum") amount: int = 1) -> string once {
  fs.append("LEDGER", "${order} ${amount}\n")
  "charged ${order}"
}
agent clerk { model: MODEL tools: [charge] retry: 0 SETTINGS }
prompt settle(order: string) -> string by clerk { user "Settle ${order}." }
workflow main() -> string { settle("order 17") }
"#;

/// What the shop does with these settings and answers, the lines of its ledger, and what the provider was asked.
fn shop(
    name: &str,
    model: &str,
    settings: &str,
    replies: Vec<Reply>,
) -> (Said, String, Vec<Value>) {
    let ledger = scratch("wire").join(format!("{name}.txt"));
    // A ledger that an earlier run of this test left is in the way.
    let _ = std::fs::remove_file(&ledger);
    let source = SHOP
        .replace("LEDGER", text(&ledger))
        .replace("MODEL", model)
        .replace("SETTINGS", settings);
    let file = program(name, &source);
    let (said, asked) = with_provider(Script::in_turn(replies), |url| run(&file, url, &[]));
    let lines = std::fs::read_to_string(&ledger).unwrap_or_default();
    (said, lines, asked)
}

fn claude_calls(calls: impl Iterator<Item = Value>) -> Reply {
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "signed" });
    let call = |(at, input): (usize, Value)| json!({ "type": "tool_use", "id": format!("t{at}"), "name": "charge", "input": input });
    Reply::of(Body::Anthropic(Message {
        content: std::iter::once(thinking)
            .chain(calls.enumerate().map(call))
            .collect(),
        stop_reason: "tool_use".into(),
        ..Message::default()
    }))
}

fn gpt_calls(arguments: &[&str]) -> Reply {
    let call = |(at, it): (usize, &&str)| json!({ "id": format!("c{at}"), "function": { "name": "charge", "arguments": it } });
    Reply::of(Body::Openai(Completion {
        tool_calls: arguments.iter().enumerate().map(call).collect(),
        finish_reason: "tool_calls".into(),
        ..Completion::default()
    }))
}

fn overloaded() -> Reply {
    Reply::error(503, "overloaded_error", "too much")
}

#[test]
fn a_once_tool_is_not_called_again_by_the_next_model() {
    let order = || std::iter::once(json!({ "order": "17" }));
    let model = r#"first_of("anthropic/claude-opus-5-5", "openai/gpt-5")"#;
    let replies = vec![claude_calls(order()), overloaded(), Reply::text("settled")];
    let (said, ledger, asked) = shop("handed_over", model, "thinking: 2000", replies);
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "\"settled\"\n"),
        "{said:?}"
    );
    assert_eq!((ledger.as_str(), asked.len()), ("17 1\n", 3), "{said:?}");
    assert!(
        said.err.contains("continues the conversation"),
        "{}",
        said.err
    );
    let messages = asked[2]["messages"].as_array().expect("a conversation");
    let last = messages.last().expect("a message");
    assert_eq!(
        (&last["role"], &last["content"]),
        (&json!("tool"), &json!("charged 17"))
    );
    assert_eq!(
        last["tool_call_id"],
        messages[messages.len() - 2]["tool_calls"][0]["id"]
    );

    // The other way round, where thinking would be refused without the blocks of its beginning.
    let model = r#"first_of("openai/gpt-5", "anthropic/claude-opus-5-5")"#;
    let replies = vec![
        gpt_calls(&[r#"{"order": "17"}"#]),
        overloaded(),
        Reply::text("settled"),
    ];
    let (said, ledger, asked) = shop("handed_back", model, "thinking: 2000", replies);
    assert_eq!(
        (said.code, ledger.as_str()),
        (Some(0), "17 1\n"),
        "{said:?}"
    );
    assert!(asked[2]["thinking"].is_null(), "{}", asked[2]);
    assert_eq!(
        asked[2]["messages"][2]["content"][0]["content"],
        "charged 17"
    );

    // A model of the same provider gets its blocks as they were, and where there is no other model the error is raised.
    let model = r#"first_of("anthropic/claude-opus-5-5", "anthropic/claude-sonnet-5-5")"#;
    let replies = vec![claude_calls(order()), overloaded(), overloaded()];
    let (said, ledger, asked) = shop("raised", model, "", replies);
    assert_eq!(
        (said.code, ledger.as_str()),
        (Some(1), "17 1\n"),
        "{said:?}"
    );
    assert!(said.err.contains("Overloaded"), "{}", said.err);
    assert_eq!(asked[2]["messages"], asked[1]["messages"]);
}

#[test]
fn more_calls_than_a_turn_takes_are_refused_one_by_one() {
    let orders = (0..3_000).map(|it| json!({ "order": it.to_string() }));
    let replies = vec![claude_calls(orders), Reply::text("settled")];
    let (said, ledger, asked) = shop("many", r#""anthropic/claude-opus-5-5""#, "", replies);
    assert_eq!(
        (said.code, ledger.lines().count()),
        (Some(0), 128),
        "{said:?}"
    );
    assert!(
        said.err.contains("the other 2872 are refused"),
        "{}",
        said.err
    );
    let results = asked[1]["messages"][2]["content"]
        .as_array()
        .expect("results");
    assert_eq!(results.len(), 3_000);
    assert_eq!(
        (&results[127]["is_error"], &results[128]["is_error"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(results[2_999]["tool_use_id"], "t2999");
}

#[test]
fn arguments_that_cannot_be_read_or_do_not_fit_go_back_to_the_model() {
    let deep = format!("{{\"order\": {}1{}}}", "[".repeat(600), "]".repeat(600));
    let wrong = [
        r#"{"order": "#,
        deep.as_str(),
        r#"["17"]"#,
        r#"{"order": "17", "sum": "1"}"#,
        r#"{"sum": 1}"#,
        r#"{"order": "17", "sum": -1e999}"#,
        r#"{"order": "17", "amount": 2}"#,
    ];
    let replies = vec![gpt_calls(&wrong), Reply::text("settled")];
    let (said, ledger, asked) = shop("wrong", r#""openai/gpt-5""#, "", replies);
    assert_eq!(
        (said.code, ledger.as_str()),
        (Some(0), "17 2\n"),
        "{said:?}"
    );
    let told: Vec<&str> = asked[1]["messages"]
        .as_array()
        .expect("a conversation")
        .iter()
        .filter(|it| it["role"] == "tool")
        .filter_map(|it| it["content"].as_str())
        .collect();
    for (told, part) in told.iter().zip([
        "this is not JSON (EOF while parsing a value",
        "nested too deep",
        "this is not a JSON object: `[\"17\"]`",
        "Error: sum: expected int, found \"1\"",
        "Error: parameter `order` has no value: it is missing",
        "no float can hold the number `-1e999`",
        "charged 17",
    ]) {
        assert!(told.contains(part), "{told} is not {part}");
    }
    assert_eq!(told.len(), wrong.len());
}

const LONG: &str = r#"
agent reader { model: "MODEL" }
prompt ask(text: string, number: int) -> string by reader { user "${number}: ${text}" }
workflow main() -> int {
  let text = "x".repeat(1_000_000)
  LOOP
}
"#;

#[test]
fn a_conversation_counts_as_memory_while_its_prompt_runs() {
    let hanging = Reply {
        hang: true,
        ..Reply::text("")
    };
    let all = r#"let answers = parallel for it in 0..200 { ask(text, it) }
  answers.len()"#;
    let source = LONG.replace("MODEL", "openai/gpt-5").replace("LOOP", all);
    let file = program("long_at_once", &source);
    let limit = ["--memory", "40MB"];
    let (said, _) = with_provider(Script::always(hanging), |url| run(&file, url, &limit));
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("OutOfMemory"), "{}", said.err);

    let each = r#"var size = 0
  for it in 0..60 { size = ask(text, it).len() }
  size"#;
    let source = LONG.replace("MODEL", "sim/default").replace("LOOP", each);
    let file = program("long_in_turn", &source);
    let said = run(&file, "http://127.0.0.1:1", &limit);
    assert_eq!(
        (said.code, said.out.trim()),
        (Some(0), "1000015"),
        "{said:?}"
    );
}

const ASKS_ITSELF: &str = r#"
/// Helps.
tool helper(q: string) -> string { ask(q) }
agent a { model: "openai/gpt-5" cache: true tools: [helper] retry: 0 }
prompt ask(q: string) -> string by a { user "Q ${q}" }
workflow main() -> string { ask("x") }
"#;

#[test]
fn a_prompt_whose_tool_asks_the_same_does_not_wait_for_itself() {
    let call =
        json!({ "id": "c1", "function": { "name": "helper", "arguments": "{\"q\": \"x\"}" } });
    let calls = Reply::of(Body::Openai(Completion {
        tool_calls: vec![call],
        finish_reason: "tool_calls".into(),
        ..Completion::default()
    }));
    let file = program("asks_itself", ASKS_ITSELF);
    let replies = vec![calls, Reply::text("inner"), Reply::text("outer")];
    let (said, asked) = with_provider(Script::in_turn(replies), |url| run(&file, url, &[]));
    assert_eq!(
        (said.code, said.out.as_str(), asked.len()),
        (Some(0), "\"outer\"\n", 3),
        "{said:?}"
    );
}

/// What a model has made up comes back to it, but not all of it.
#[test]
fn a_refusal_of_a_call_is_cut_as_a_result_is() {
    let unknown = (0..20_000).map(|it| (format!("parameter{it}"), json!(1)));
    let unknown = Value::Object(unknown.collect());
    let no_tool = "charge".repeat(40_000);
    let calls = [("charge", unknown), (no_tool.as_str(), json!({}))];
    let model = r#""anthropic/claude-sonnet-5-5""#;
    let (_, ledger, asked) = shop("refused", model, "", vec![turn(&calls), done()]);
    assert_eq!(ledger, "");
    let told = answers(&asked[1]);
    assert!(told.iter().all(|it| it.0), "they are refusals");
    assert!(told[0].1.contains("parameter0") && told[0].1.contains("are left out here"));
    assert!(told.iter().all(|it| it.1.len() < 129 << 10));
    assert!(told[1].1.starts_with("there is no tool `charge") && told[1].1.len() < 200);
}
