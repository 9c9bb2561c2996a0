//! Missing keys, hosts that are not there, and answers that make no sense.

use std::sync::Arc;

use fake_provider::{Body, Drip, Event, Reply};
use gsw_agents::{Environment, Providers};
use gsw_driver::call::Call;
use gsw_driver::models::Models;
use gsw_engine::model::{FailureKind, ModelFailure, ModelRequest, StopReason};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::stage::{QUICK, Stage, claude, gpt, request, text};

async fn ask_with(variables: &[(&str, &str)], request: ModelRequest) -> ModelFailure {
    let providers = Providers::with_policy(Environment::of(variables), QUICK);
    providers
        .ask(Arc::new(request), &Call::alone())
        .await
        .expect_err("no answer")
}

#[tokio::test]
async fn a_missing_key_names_the_variable() {
    for (request, variable) in [(claude(), "ANTHROPIC_API_KEY"), (gpt(), "OPENAI_API_KEY")] {
        let failure = ask_with(&[(variable, " ")], request).await;
        assert_eq!(
            (failure.kind, failure.attempts),
            (FailureKind::Unauthorized, 0)
        );
        assert!(failure.message.contains(variable), "{}", failure.message);
    }
}

#[tokio::test]
async fn an_unknown_provider_is_named() {
    for (model, part) in [
        ("mistral/large", "unknown provider `mistral`"),
        ("gpt-5", "is not the name of a model"),
        ("/x", "is not the name of a model"),
    ] {
        let failure = ask_with(&[], request(model)).await;
        assert!(failure.message.contains(part), "{}", failure.message);
    }
}

#[tokio::test]
async fn a_host_that_is_not_there_is_named() {
    let key = ("ANTHROPIC_API_KEY", "very-secret");
    for (url, part) in [
        ("http://127.0.0.1:1", "127.0.0.1:1 cannot be reached"),
        (
            "http://no-such-host.invalid",
            "no-such-host.invalid cannot be reached",
        ),
        ("not an address", "is not an address"),
        (
            "http://me:very-secret@host:port",
            "`http://host:port/v1/messages` is not an address",
        ),
    ] {
        let failure = ask_with(&[key, ("ANTHROPIC_BASE_URL", url)], claude()).await;
        assert_eq!(
            (failure.kind, failure.status),
            (FailureKind::Provider, None)
        );
        assert!(failure.message.contains(part), "{}", failure.message);
        assert!(!failure.message.contains("secret"));
        let again = failure.again.is_some();
        let may_pass = part.contains("reached");
        assert_eq!(
            (failure.attempts, again),
            (1, may_pass),
            "{}",
            failure.message
        );
    }
    let broken = ("ANTHROPIC_API_KEY", "very\nsecret");
    let failure = ask_with(
        &[broken, ("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")],
        claude(),
    )
    .await;
    assert!(failure.message.contains("cannot be sent") && !failure.message.contains("secret"));
}

#[tokio::test]
async fn a_host_without_tls_is_no_secure_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("https://{}", listener.local_addr().expect("bound"));
    let talking = tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            socket
                .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                .await
                .ok();
        }
    });
    let variables = [
        ("ANTHROPIC_API_KEY", "k"),
        ("ANTHROPIC_BASE_URL", url.as_str()),
    ];
    let failure = ask_with(&variables, claude()).await;
    talking.abort();
    assert!(
        failure
            .message
            .contains("no secure connection to 127.0.0.1"),
        "{}",
        failure.message
    );
    assert_eq!((failure.kind, failure.attempts), (FailureKind::Provider, 1));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let away = Reply {
        status: 307,
        ..Reply::of(Body::Text(String::new()))
    }
    .with_header("location", "http://127.0.0.1:1/");
    let stage = Stage::of(vec![away]).await;
    let failure = stage.ask(claude()).await.expect_err("no answer");
    assert_eq!((failure.status, failure.attempts), (Some(307), 1));
}

#[tokio::test]
async fn what_cannot_be_read_is_shown() {
    let page = Reply::of(Body::Text("<html>Please log in</html>".into()));
    let no_json = Event {
        event: Some("message_start".into()),
        data: "{oops".into(),
    };
    let error = json!({"error": {"type": "api_error", "message": "inside of a success"}});
    let whole = Reply::of(Body::Text("{\"content\": ".into()))
        .with_header("content-type", "application/json");
    for (reply, part) in [
        (
            page,
            "text/plain instead of an event stream: <html>Please log in",
        ),
        (
            Reply::of(Body::Events(vec![no_json])),
            "an event is not JSON",
        ),
        (Reply::of(Body::Json(error)), "inside of a success"),
        (
            Reply::of(Body::Json(json!({"ok": true}))),
            "without content",
        ),
        (whole, "cannot be read: {\"content\":"),
        (Reply::of(Body::Garbage(4000)), "cannot be read"),
        (
            Reply::of(Body::Raw("SSH-2.0-OpenSSH_9.6\r\n".into())),
            "connection to 127.0.0.1",
        ),
    ] {
        let stage = Stage::of(vec![Reply { times: 0, ..reply }]).await;
        let failure = stage.ask(claude()).await.expect_err(part);
        assert_eq!(failure.kind, FailureKind::Provider);
        assert!(
            failure.message.contains(part),
            "{part}: {}",
            failure.message
        );
    }
}

#[tokio::test]
async fn a_slow_drip_is_an_answer_like_any_other() {
    let slow = Reply {
        drip: Some(Drip { bytes: 11, ms: 1 }),
        ..Reply::text("slow but sure")
    };
    let stage = Stage::of(vec![slow]).await;
    let answer = stage.ask(claude()).await.expect("an answer");
    assert_eq!(text(&answer), "slow but sure");
}

#[tokio::test]
async fn connections_are_used_again() {
    let stage = Stage::of(vec![Reply {
        times: 0,
        ..Reply::text("x")
    }])
    .await;
    for _ in 0..20 {
        stage.ask(claude()).await.expect("an answer");
    }
    assert!(stage.requests().iter().all(|it| it.connection == 1));
    let closing = Reply {
        times: 0,
        close: true,
        ..Reply::text("x")
    };
    let stage = Stage::of(vec![closing]).await;
    for _ in 0..20 {
        stage.ask(claude()).await.expect("an answer");
    }
}

#[tokio::test]
async fn the_simulator_needs_nothing() {
    let providers = Providers::new(Environment::of(&[]));
    let answer = providers
        .ask(Arc::new(request("sim/default")), &Call::alone())
        .await
        .expect("an answer");
    assert!(answer.simulated);
    assert_eq!(text(&answer), "simulated: Say hello.");
}

#[tokio::test]
async fn content_types_have_no_case_and_a_byte_order_mark_is_no_garbage() {
    let message = json!({"model": "m", "stop_reason": "end_turn", "usage": {},
        "content": [{"type": "text", "text": "hello"},
            {"type": "tool_use", "id": "t1", "name": "look", "input": {"deep": 1}}]});
    let reply = Reply::of(Body::Text(format!("\u{feff}{message}")));
    let stage = Stage::of(vec![reply.with_header("content-type", "Application/JSON")]).await;
    let answer = stage.ask(claude()).await.expect("an answer");
    assert_eq!((text(&answer).as_str(), answer.usage), ("hello", None));
    // It calls a tool, whatever it says of its end.
    assert_eq!(answer.stop, StopReason::ToolUse);
}

#[tokio::test]
async fn a_body_without_an_end_is_given_up() {
    let megabytes = |count: usize| "x".repeat(count << 20);
    let line = Body::Stream(format!("data: {}", megabytes(17)));
    let body = Reply::of(Body::Text(megabytes(65))).with_header("content-type", "application/json");
    for reply in [Reply::of(line), body] {
        let stage = Stage::of(vec![reply]).await;
        let failure = stage.ask_once(claude()).await.expect_err("too large");
        assert!(
            failure.message.contains("it is too large"),
            "{}",
            failure.message
        );
        assert_eq!(failure.again, None);
    }
    // Of an error the status counts, whatever comes after it.
    let error = Reply {
        status: 400,
        ..Reply::of(Body::Text(megabytes(65)))
    };
    let stage = Stage::of(vec![error]).await;
    let failure = stage.ask_once(claude()).await.expect_err("an error");
    assert_eq!((failure.status, failure.again), (Some(400), None));
}
