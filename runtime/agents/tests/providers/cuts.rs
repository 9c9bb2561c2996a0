//! Streams that are cut after any byte, that lack an event, or that say one twice: nothing half becomes an answer, and no call of
//! a tool becomes another one.

use fake_provider::{Body, Reply, Script, Server};
use gsw_agents::{Environment, Providers};
use gsw_engine::model::{Content, ModelAnswer, ModelFailure, StopReason};

use crate::stage::{QUICK, Stage, request};

/// A model of each protocol, and a stream with a text and a call of a tool.
const STREAMS: [(&str, &[&str]); 4] = [
    (
        "anthropic/claude-sonnet-5-5",
        &[
            r#"{"type": "message_start", "message": {"id": "m", "model": "m", "usage": {"input_tokens": 9, "output_tokens": 1}}}"#,
            r#"{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}"#,
            r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I pay."}}"#,
            r#"{"type": "content_block_stop", "index": 0}"#,
            r#"{"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t1", "name": "pay", "input": {}}}"#,
            r#"{"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"to\": \"a\","}}"#,
            r#"{"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": " \"usd\": 12}"}}"#,
            r#"{"type": "content_block_stop", "index": 1}"#,
            r#"{"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}"#,
            r#"{"type": "message_stop"}"#,
        ],
    ),
    (
        "openai/local/model",
        &[
            r#"{"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": ""}]}"#,
            r#"{"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"content": "I pay."}, "finish_reason": ""}]}"#,
            r#"{"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "t1", "function": {"name": "pay", "arguments": "{\"to\": \"a\","}}]}, "finish_reason": ""}]}"#,
            r#"{"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": " \"usd\": 12}"}}]}, "finish_reason": ""}]}"#,
            r#"{"id": "c", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}"#,
            r#"[DONE]"#,
        ],
    ),
    (
        "openai-responses/gpt-5",
        &[
            r#"{"type": "response.created", "response": {"id": "r", "status": "in_progress", "model": "m", "output": []}}"#,
            r#"{"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "m1", "role": "assistant", "content": []}}"#,
            r#"{"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "I pay."}"#,
            r#"{"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": "I pay."}]}}"#,
            r#"{"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "id": "f1", "call_id": "t1", "name": "pay", "arguments": "", "status": "in_progress"}}"#,
            r#"{"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{\"to\": \"a\","}"#,
            r#"{"type": "response.function_call_arguments.delta", "output_index": 1, "delta": " \"usd\": 12}"}"#,
            r#"{"type": "response.output_item.done", "output_index": 1, "item": {"type": "function_call", "id": "f1", "call_id": "t1", "name": "pay", "arguments": "{\"to\": \"a\", \"usd\": 12}", "status": "completed"}}"#,
            r#"{"type": "response.completed", "response": {"id": "r", "status": "completed", "model": "m", "output": [{"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": "I pay."}]}, {"type": "function_call", "id": "f1", "call_id": "t1", "name": "pay", "arguments": "{\"to\": \"a\", \"usd\": 12}", "status": "completed"}], "usage": {"input_tokens": 9, "output_tokens": 5}}}"#,
        ],
    ),
    (
        "gemini/gemini-2.5-flash",
        &[
            r#"{"candidates": [{"content": {"role": "model", "parts": [{"text": "I pay."}]}, "index": 0}], "modelVersion": "m", "responseId": "g"}"#,
            r#"{"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"id": "t1", "name": "pay", "args": {"to": "a", "usd": 12}}}]}, "index": 0}], "modelVersion": "m", "responseId": "g"}"#,
            r#"{"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "index": 0, "finishReason": "STOP"}], "modelVersion": "m", "responseId": "g", "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 5}}"#,
        ],
    ),
];

fn stream(events: &[&str]) -> String {
    events.iter().map(|it| format!("data: {it}\n\n")).collect()
}

/// What comes of each of these streams.
async fn outcomes(model: &str, streams: &[String]) -> Vec<Result<ModelAnswer, ModelFailure>> {
    let replies = streams.iter().cloned().map(Body::Stream).map(Reply::of);
    let script = Script::in_turn(replies.collect());
    let server = Server::start(script, 0).await.expect("a free port");
    let url = server.url();
    let environment = Environment::by(move |name| match name {
        "OPENAI_BASE_URL" => Some(format!("{url}/v1")),
        name if name.ends_with("_BASE_URL") => Some(url.clone()),
        name if name.ends_with("_API_KEY") => Some("test-key".to_owned()),
        _ => None,
    });
    let stage = Stage {
        providers: Providers::with_policy(environment, QUICK),
        ..Stage::of(Vec::new()).await
    };
    let mut outcomes = Vec::new();
    for _ in streams {
        outcomes.push(stage.ask_once(request(model)).await);
    }
    outcomes
}

/// The calls that would be made: those that can be read, of an answer that asks for them.
fn calls(answer: &ModelAnswer) -> Vec<String> {
    let calls = answer.content.iter().filter_map(|it| match it {
        Content::ToolUse {
            name, input, flaw, ..
        } => flaw.is_none().then(|| format!("{name}{input}")),
        Content::Text { .. }
        | Content::ToolResult { .. }
        | Content::Media { .. }
        | Content::Opaque { .. } => None,
    });
    match answer.stop {
        StopReason::ToolUse => calls.collect(),
        StopReason::End
        | StopReason::Paused
        | StopReason::MaxTokens
        | StopReason::ContextFull
        | StopReason::Refusal(_) => Vec::new(),
    }
}

const CALL: &str = r#"pay{"to":"a","usd":12}"#;

#[tokio::test]
async fn a_stream_that_is_cut_after_any_byte_is_an_error_or_the_whole_answer() {
    for (model, events) in STREAMS {
        let whole = stream(events);
        let cut: Vec<String> = (0..=whole.len()).map(|it| whole[..it].to_owned()).collect();
        let mut outcomes = outcomes(model, &cut).await;
        let last = outcomes.pop().expect("the whole one");
        let last = last.unwrap_or_else(|it| panic!("{model}: {}", it.message));
        assert_eq!(calls(&last), [CALL], "{model}");
        assert!(outcomes.iter().filter(|it| it.is_err()).count() > whole.len() / 2);
        for (at, outcome) in outcomes.iter().enumerate() {
            match outcome {
                Ok(answer) => assert_eq!(answer.content, last.content, "{model} at {at}"),
                Err(failure) => assert!(failure.again.is_some(), "{model} at {at}: {failure:?}"),
            }
        }
    }
}

#[tokio::test]
async fn an_event_that_is_missing_or_comes_twice_makes_no_other_call() {
    for (model, events) in STREAMS {
        let mut streams = Vec::new();
        for at in 0..events.len() {
            let (before, from) = events.split_at(at);
            streams.push(stream(&[before, &from[1..]].concat()));
            streams.push(stream(&[before, &from[..1], from].concat()));
            // Once more at the end of the answer, before what ends it.
            streams.push(stream(&[events, &from[..1]].concat()));
            let (ending, others) = events.split_last().expect("there are events");
            streams.push(stream(&[others, &from[..1], &[*ending]].concat()));
        }
        let outcomes = outcomes(model, &streams).await;
        for (outcome, stream) in outcomes.iter().zip(&streams) {
            if let Ok(answer) = outcome {
                let calls = calls(answer);
                assert!(calls.is_empty() || calls == [CALL], "{calls:?} {stream}");
            }
        }
    }
}
