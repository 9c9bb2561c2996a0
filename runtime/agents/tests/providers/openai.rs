//! Chat completions.

use std::sync::Arc;

use fake_provider::{Body, Completion, Event, Reply};
use gsw_engine::model::{Content, Message, ModelRequest, Role, StopReason};
use serde_json::{Value, json};

use crate::stage::{Stage, gpt, said, text};

fn completion(completion: Completion) -> Reply {
    Reply::of(Body::Openai(completion))
}

#[tokio::test]
async fn a_request_is_what_the_protocol_asks_for() {
    let stage = Stage::of(vec![Reply::text("{\"value\": [1, 2]}")]).await;
    let request = ModelRequest {
        schema: Some(Arc::new(
            json!({"type": "array", "items": {"type": "integer"}}),
        )),
        temperature: Some(0.5),
        stop: vec!["END".into()],
        ..gpt()
    };
    let answer = stage.ask(request).await.expect("an answer");
    // The list was inside of an object, because that is what servers take.
    assert_eq!(text(&answer), "[1,2]");
    let sent = &stage.requests()[0];
    assert_eq!(sent.path, "/v1/chat/completions");
    assert_eq!(sent.header("authorization"), Some("Bearer other-key"));
    let body = sent.json();
    assert_eq!(body["model"], "local/model");
    assert_eq!(
        body["messages"],
        json!([
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello."}])
    );
    assert_eq!(
        (&body["max_tokens"], &body["stream"]),
        (&json!(64), &json!(true))
    );
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
    assert_eq!(
        (&body["temperature"], &body["stop"]),
        (&json!(0.5), &json!(["END"]))
    );
    let format = &body["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(
        (
            &format["json_schema"]["name"],
            &format["json_schema"]["strict"]
        ),
        (&json!("greet"), &json!(true))
    );
    assert_eq!(
        format["json_schema"]["schema"]["properties"]["value"]["type"],
        "array"
    );
}

#[tokio::test]
async fn usage_comes_in_the_last_chunk() {
    let usage = json!({"prompt_tokens": 12, "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 4}});
    let reply = completion(Completion {
        content: "Hello, wörld".into(),
        usage,
        ..Completion::default()
    });
    let stage = Stage::of(vec![reply]).await;
    let answer = stage.ask(gpt()).await.expect("an answer");
    assert_eq!(
        (text(&answer).as_str(), stage.streamed().as_str()),
        ("Hello, wörld", "Hello, wörld")
    );
    assert_eq!(
        (answer.stop, answer.stop_reason.as_str()),
        (StopReason::End, "stop")
    );
    let usage = answer.usage.expect("it says so");
    assert_eq!(
        (
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_tokens
        ),
        (12, 3, 4)
    );
}

#[tokio::test]
async fn parallel_tool_calls_are_merged_by_index() {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "function": {"name": name, "arguments": arguments}});
    let calls = Completion {
        tool_calls: vec![
            call("c1", "look", "{\"path\": \"a/b/c\"}"),
            call("c2", "now", ""),
        ],
        finish_reason: "tool_calls".into(),
        ..Completion::default()
    };
    let stage = Stage::of(vec![completion(calls), Reply::text("done")]).await;
    let answer = stage.ask(gpt()).await.expect("an answer");
    assert_eq!(answer.stop, StopReason::ToolUse);
    let expected = |id: &str, name: &str, input: Value| Content::ToolUse {
        id: id.into(),
        name: name.into(),
        input: input.into(),
        flaw: None,
    };
    assert_eq!(
        answer.content,
        [
            expected("c1", "look", json!({"path": "a/b/c"})),
            expected("c2", "now", json!({}))
        ]
    );

    let result = |id: &str, content: &str, is_error| Content::ToolResult {
        media: Vec::new(),
        id: id.into(),
        content: content.into(),
        is_error,
    };
    let followed = ModelRequest {
        messages: vec![
            said(Role::User, "Look."),
            Arc::new(Message {
                role: Role::Assistant,
                content: answer.content,
            }),
            Arc::new(Message {
                role: Role::User,
                content: vec![result("c1", "x", false), result("c2", "late", true)],
            }),
        ],
        ..gpt()
    };
    stage.ask(followed).await.expect("an answer");
    let messages = stage.requests()[1].json()["messages"].clone();
    assert_eq!(
        messages[2]["tool_calls"][0]["function"]["arguments"],
        "{\"path\":\"a/b/c\"}"
    );
    assert_eq!(
        messages[3],
        json!({"role": "tool", "tool_call_id": "c1", "content": "x"})
    );
    assert_eq!(messages[4]["content"], "Error: late");
}

#[tokio::test]
async fn ends_are_told_apart() {
    let stopped = |reason: &str| {
        completion(Completion {
            content: "x".into(),
            finish_reason: reason.into(),
            ..Completion::default()
        })
    };
    let refused = completion(Completion {
        refusal: Some("No.".into()),
        ..Completion::default()
    });
    let stage = Stage::of(vec![stopped("length"), stopped("content_filter"), refused]).await;
    let mut stops = Vec::new();
    for _ in 0..3 {
        stops.push(stage.ask(gpt()).await.expect("an answer").stop);
    }
    assert_eq!(stops[0], StopReason::MaxTokens);
    assert!(matches!(&stops[1], StopReason::Refusal(why) if why.contains("filter")));
    assert_eq!(stops[2], StopReason::Refusal("No.".into()));
}

#[tokio::test]
async fn a_stream_needs_its_end() {
    let chunk = |choice: Value| Event {
        event: None,
        data: json!({"model": "m", "choices": [choice]}),
    };
    let said = chunk(json!({"index": 0, "delta": {"content": "hi"}}));
    let finished = chunk(json!({"index": 0, "delta": {}, "finish_reason": "stop"}));
    let done = Event {
        event: None,
        data: "[DONE]".into(),
    };
    let reply = |events: &[&Event]| {
        let events = events.iter().map(|it| (*it).clone()).collect();
        Reply {
            times: 0,
            ..Reply::of(Body::Events(events))
        }
    };
    for (events, is_whole) in [
        (vec![&said], false),
        (vec![&said, &finished], true),
        (vec![&said, &done], true),
    ] {
        let stage = Stage::of(vec![reply(&events)]).await;
        let outcome = stage.ask(gpt()).await;
        assert_eq!(outcome.is_ok(), is_whole, "{outcome:?}");
        let attempts = if is_whole { 1 } else { 3 };
        assert_eq!(stage.requests().len(), attempts);
    }
}

#[tokio::test]
async fn a_server_that_takes_no_schema_gets_it_in_words() {
    let refused = Reply {
        status: 400,
        ..Reply::of(Body::Json(json!({"error":
        {"message": "response_format is not supported", "type": "invalid_request_error"}})))
    };
    let stage = Stage::of(vec![refused, Reply::text("{\"a\": 1}")]).await;
    let request = ModelRequest {
        schema: Some(Arc::new(json!({"type": "object"}))),
        ..gpt()
    };
    let answer = stage.ask(request).await.expect("an answer");
    assert_eq!(text(&answer), "{\"a\": 1}");
    let second = stage.requests()[1].json();
    assert!(second.get("response_format").is_none());
    assert!(
        second["messages"][0]["content"]
            .as_str()
            .expect("text")
            .contains("JSON Schema")
    );
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = json!({"model": "m", "choices": [{"message": {"role": "assistant", "content": "hi",
        "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 2, "completion_tokens": 1}});
    let stage = Stage::of(vec![Reply::of(Body::Json(whole))]).await;
    let answer = stage.ask(gpt()).await.expect("an answer");
    assert_eq!(
        (text(&answer).as_str(), answer.stop),
        ("hi", StopReason::ToolUse)
    );
}

#[tokio::test]
async fn the_field_of_the_token_limit_can_be_chosen() {
    let limit = ("OPENAI_TOKEN_LIMIT", "max_completion_tokens");
    let stage = Stage::with(vec![Reply::text("hello")], &[limit]).await;
    stage.ask(gpt()).await.expect("an answer");
    let body = stage.requests()[0].json();
    assert_eq!(body["max_completion_tokens"], json!(64));
    assert!(body.get("max_tokens").is_none());
    let stage = Stage::with(Vec::new(), &[("OPENAI_TOKEN_LIMIT", "limit")]).await;
    let failure = stage.ask(gpt()).await.expect_err("no such field");
    assert!(
        failure.message.contains("`max_tokens` or"),
        "{}",
        failure.message
    );
}
