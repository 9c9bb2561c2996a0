//! Anthropic's Messages.

use std::sync::Arc;

use fake_provider::{Body, Event, Message, Reply};
use gsw_engine::model::{Content, ModelRequest, Role, StopReason, ToolDescription};
use serde_json::json;

use crate::stage::{Stage, claude, said, text};

#[tokio::test]
async fn a_request_is_what_the_protocol_asks_for() {
    let stage = Stage::of(vec![Reply::text("hello")]).await;
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}},
        "required": ["a"], "additionalProperties": false});
    let request = ModelRequest {
        schema: Some(Arc::new(schema.clone())),
        temperature: Some(0.5),
        stop: vec!["END".into()],
        ..claude()
    };
    stage.ask(request).await.expect("an answer");
    let sent = &stage.requests()[0];
    assert_eq!(
        (sent.method.as_str(), sent.path.as_str()),
        ("POST", "/v1/messages")
    );
    assert_eq!(sent.header("authorization"), Some("Bearer test-key"));
    assert_eq!(sent.header("anthropic-version"), Some("2026-10-21"));
    assert_eq!(sent.header("content-type"), Some("application/json"));
    assert_eq!(
        sent.json(),
        json!({
            "model": "claude-sonnet-5-5", "max_tokens": 64, "stream": true, "system": "Be brief.",
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Say hello."}]}],
            "stop_sequences": ["END"],
            "output_config": {"format": {"type": "json_schema", "schema": schema}},
        })
    );
}

#[tokio::test]
async fn version_and_authentication_can_be_chosen() {
    let variables = [
        ("ANTHROPIC_VERSION", "2023-06-01"),
        ("ANTHROPIC_AUTH", "x-api-key"),
    ];
    let stage = Stage::with(vec![Reply::text("hello")], &variables).await;
    stage.ask(claude()).await.expect("an answer");
    let sent = &stage.requests()[0];
    assert_eq!(sent.header("x-api-key"), Some("test-key"));
    assert_eq!(sent.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(sent.header("authorization"), None);

    let stage = Stage::with(Vec::new(), &[("ANTHROPIC_AUTH", "cookie")]).await;
    let failure = stage.ask(claude()).await.expect_err("no such way");
    assert!(failure.message.contains("`bearer` or `x-api-key`"));
}

#[tokio::test]
async fn a_stream_is_folded_into_an_answer() {
    let message = Message {
        content: vec![
            json!({"type": "thinking", "thinking": "hm, hello then", "signature": "c2ln"}),
            json!({"type": "text", "text": "Hello, wörld! How are you?"}),
        ],
        usage: json!({"input_tokens": 10, "output_tokens": 7,
            "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3}),
        ..Message::default()
    };
    let stage = Stage::of(vec![Reply::of(Body::Anthropic(message))]).await;
    let answer = stage.ask(claude()).await.expect("an answer");
    assert_eq!(text(&answer), "Hello, wörld! How are you?");
    assert_eq!(stage.streamed(), "Hello, wörld! How are you?");
    assert!(stage.deltas.lock().expect("no panic").len() > 2);
    let Content::Opaque { block } = &answer.content[0] else {
        panic!("{:?}", answer.content)
    };
    let thought = json!({"type": "thinking", "thinking": "hm, hello then", "signature": "c2ln"});
    assert_eq!(block, &thought);
    assert_eq!(
        (answer.stop.clone(), answer.stop_reason.as_str()),
        (StopReason::End, "end_turn")
    );
    assert_eq!(answer.model, "claude-sonnet-5-5");
    assert_eq!(answer.request_id.as_deref(), Some("req_fake"));
    assert_eq!((answer.attempts, answer.simulated), (1, false));
    let usage = answer.usage.expect("it says so");
    assert_eq!((usage.input_tokens, usage.output_tokens), (18, 7));
    assert_eq!((usage.cache_read_tokens, usage.cache_write_tokens), (5, 3));

    // What the model thought goes back as it came.
    let followed = ModelRequest {
        messages: vec![
            said(Role::User, "Say hello."),
            std::sync::Arc::new(gsw_engine::model::Message {
                role: Role::Assistant,
                content: answer.content,
            }),
            said(Role::User, "Again."),
        ],
        ..claude()
    };
    stage.ask(followed).await.expect("an answer");
    assert_eq!(
        stage.requests()[1].json()["messages"][1]["content"][0],
        thought
    );
}

#[tokio::test]
async fn tools_are_offered_and_their_calls_read() {
    let calls = Message {
        content: vec![
            json!({"type": "text", "text": "Let me look."}),
            json!({"type": "tool_use", "id": "t1", "name": "look", "input": {"path": "a/b", "n": [1, 2]}}),
            json!({"type": "tool_use", "id": "t2", "name": "now", "input": {}}),
        ],
        stop_reason: "tool_use".into(),
        ..Message::default()
    };
    let stage = Stage::of(vec![Reply::of(Body::Anthropic(calls))]).await;
    let request = ModelRequest {
        tools: vec![ToolDescription {
            class: gsw_tree::class::Class::Once,
            was: None,
            name: "look".into(),
            description: "Looks.".into(),
            input_schema: json!({"type": "object"}).into(),
        }],
        ..claude()
    };
    let answer = stage.ask(request).await.expect("an answer");
    let tools =
        json!([{"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}]);
    assert_eq!(stage.requests()[0].json()["tools"], tools);
    assert_eq!(answer.stop, StopReason::ToolUse);
    let call = |id: &str, name: &str, input: serde_json::Value| Content::ToolUse {
        id: id.into(),
        name: name.into(),
        input: input.into(),
        flaw: None,
    };
    assert_eq!(
        answer.content[1],
        call("t1", "look", json!({"path": "a/b", "n": [1, 2]}))
    );
    assert_eq!(answer.content[2], call("t2", "now", json!({})));
}

#[tokio::test]
async fn a_tool_call_that_the_token_limit_cut_is_no_call() {
    let event = |name: &str, mut data: serde_json::Value| {
        data["type"] = name.into();
        Event {
            event: Some(name.into()),
            data,
        }
    };
    let block = json!({"type": "tool_use", "id": "t1", "name": "pay", "input": {}});
    let part = json!({"type": "input_json_delta", "partial_json": "{\"to\": [1, \"x"});
    let cut = vec![
        event(
            "message_start",
            json!({"message": {"model": "m", "usage": {"input_tokens": 1}}}),
        ),
        event(
            "content_block_start",
            json!({"index": 0, "content_block": block}),
        ),
        event("content_block_delta", json!({"index": 0, "delta": part})),
        event("content_block_stop", json!({"index": 0})),
        event("invented_later", json!({"anything": 1})),
        event(
            "message_delta",
            json!({"delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 9}}),
        ),
        event("message_stop", json!({})),
    ];
    let stage = Stage::of(vec![Reply::of(Body::Events(cut))]).await;
    let answer = stage.ask(claude()).await.expect("an answer");
    assert_eq!(
        (answer.stop, answer.content.len()),
        (StopReason::MaxTokens, 0)
    );
    assert_eq!(answer.usage.map(|it| it.output_tokens), Some(9));
}

#[tokio::test]
async fn a_refusal_says_why() {
    let refusal = Message {
        stop_reason: "refusal".into(),
        stop_details: json!({"category": "bio", "explanation": "Not this."}),
        ..Message::default()
    };
    let full = Message {
        stop_reason: "model_context_window_exceeded".into(),
        ..Message::default()
    };
    let replies = [refusal, full].map(|it| Reply::of(Body::Anthropic(it)));
    let stage = Stage::of(replies.into()).await;
    let answer = stage.ask(claude()).await.expect("an answer");
    assert_eq!(answer.stop, StopReason::Refusal("Not this.".into()));
    let answer = stage.ask(claude()).await.expect("an answer");
    assert_eq!(answer.stop, StopReason::ContextFull);
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = json!({"type": "message", "model": "m", "content": [{"type": "text", "text": "hi"}],
        "stop_reason": "end_turn", "usage": {"input_tokens": 2, "output_tokens": 1}});
    let stage = Stage::of(vec![Reply::of(Body::Json(whole))]).await;
    let answer = stage.ask(claude()).await.expect("an answer");
    assert_eq!(
        (
            text(&answer).as_str(),
            answer.usage.map_or(0, |it| it.input_tokens)
        ),
        ("hi", 2)
    );
    assert_eq!(stage.streamed(), "hi");
}

#[tokio::test]
async fn a_schema_that_is_refused_is_described_instead() {
    let refused = Reply::error(
        400,
        "invalid_request_error",
        "compiled grammar is too large",
    );
    let stage = Stage::of(vec![refused, Reply::text("[1]")]).await;
    let request = ModelRequest {
        schema: Some(Arc::new(
            json!({"type": "array", "items": {"type": "integer"}}),
        )),
        ..claude()
    };
    let answer = stage.ask(request).await.expect("an answer");
    assert_eq!((text(&answer).as_str(), answer.attempts), ("[1]", 2));
    let second = stage.requests()[1].json();
    assert!(second.get("output_config").is_none());
    let system = second["system"].as_str().expect("a system text");
    assert!(system.starts_with("Be brief.") && system.contains(r#""type":"array""#));
}

#[tokio::test]
async fn a_recursive_schema_is_described_at_once() {
    let stage = Stage::of(vec![Reply::text("{}")]).await;
    let tree = json!({"$ref": "#/$defs/T", "$defs": {"T": {"type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/T"}}}}}});
    let request = ModelRequest {
        schema: Some(Arc::new(tree)),
        ..claude()
    };
    stage.ask(request).await.expect("an answer");
    assert!(stage.requests()[0].json().get("output_config").is_none());
}

#[tokio::test]
async fn thinking_is_asked_for_as_the_model_takes_it() {
    let stage = Stage::of(vec![Reply::text("hello")]).await;
    let thinking = |model: &str, thinking| ModelRequest {
        thinking: Some(thinking),
        ..crate::stage::request(model)
    };
    stage
        .ask(thinking("anthropic/claude-haiku-4-5", 2000))
        .await
        .expect("an answer");
    stage
        .ask(thinking("anthropic/claude-opus-5-5", 2000))
        .await
        .expect("an answer");
    let requests = stage.requests();
    let budget = json!({"type": "enabled", "budget_tokens": 2000});
    assert_eq!(requests[0].json()["thinking"], budget);
    assert_eq!(requests[0].json()["max_tokens"], 2064);
    assert_eq!(requests[1].json()["thinking"], json!({"type": "adaptive"}));
    let failure = stage.ask(thinking("anthropic/claude-haiku-4-5", 10)).await;
    assert!(failure.expect_err("too little").message.contains("1024"));
}
