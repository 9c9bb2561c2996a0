//! Which requests are worth sending again.

use std::time::{Duration, Instant};

use fake_provider::{Body, Event, Reply};
use gsw_engine::model::{Again, FailureKind, ModelRequest};
use serde_json::json;

use crate::stage::{Stage, claude, text};

fn status(status: u16) -> Reply {
    Reply::error(status, "invented_error", "no luck")
}

#[tokio::test]
async fn passing_troubles_are_retried_and_lasting_ones_are_not() {
    for (code, is_retried) in [
        (408, true),
        (409, true),
        (429, true),
        (500, true),
        (503, true),
        (529, true),
        (504, true),
        (400, false),
        (401, false),
        (402, false),
        (403, false),
        (404, false),
        (413, false),
        (422, false),
    ] {
        let stage = Stage::of(vec![status(code), status(code), Reply::text("hello")]).await;
        let outcome = stage.ask(claude()).await;
        let requests = stage.requests().len();
        if is_retried {
            let answer = outcome.expect("the third is an answer");
            assert_eq!((answer.attempts, requests), (3, 3), "{code}");
        } else {
            let failure = outcome.expect_err("the first is final");
            assert_eq!((failure.attempts, requests), (1, 1), "{code}");
            assert_eq!(failure.status, Some(code));
        }
    }
}

#[tokio::test]
async fn retries_end() {
    let stage = Stage::of(vec![status(529)]).await;
    let failure = stage.ask(claude()).await.expect_err("overloaded for ever");
    assert_eq!(
        (failure.kind, failure.attempts),
        (FailureKind::Overloaded, 3)
    );
    assert_eq!(stage.requests().len(), 3);
    let stage = Stage::of(vec![status(500)]).await;
    let failure = stage
        .ask(ModelRequest {
            retries: 0,
            ..claude()
        })
        .await
        .expect_err("a failure");
    assert_eq!((failure.attempts, stage.requests().len()), (1, 1));
    assert!(
        failure.message.contains("status 500: no luck"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn the_providers_word_overrides_the_status() {
    let again = status(400).with_header("x-should-retry", "true");
    let stage = Stage::of(vec![again, Reply::text("hello")]).await;
    assert_eq!(stage.ask(claude()).await.expect("an answer").attempts, 2);
    let never = status(500).with_header("x-should-retry", "false");
    let stage = Stage::of(vec![never, Reply::text("hello")]).await;
    assert_eq!(stage.ask(claude()).await.expect_err("final").attempts, 1);
}

#[tokio::test]
async fn retry_after_counts_up_to_its_cap() {
    for (name, value) in [("retry-after-ms", "120"), ("retry-after", "0.12")] {
        let stage = Stage::of(vec![status(429).with_header(name, value)]).await;
        let failure = stage.ask_once(claude()).await.expect_err("a failure");
        let wait = Duration::from_millis(120);
        assert_eq!(failure.again, Some(Again::After(wait)), "{name}");
    }
    for value in [
        "100000000000000000000",
        "5",
        "Fri, 31 Dec 2999 23:59:59 GMT",
    ] {
        let stage = Stage::of(vec![status(429).with_header("retry-after", value)]).await;
        let failure = stage.ask(claude()).await.expect_err("too long to wait");
        assert_eq!(
            (failure.kind, failure.attempts),
            (FailureKind::RateLimited, 1)
        );
        assert!(failure.retry_after > Some(Duration::from_secs(4)));
    }
}

#[tokio::test]
async fn an_account_without_credit_is_not_asked_again() {
    let empty = Reply {
        status: 429,
        ..Reply::of(Body::Json(json!({"error":
        {"message": "You exceeded your quota", "code": "insufficient_quota"}})))
    };
    let stage = Stage::of(vec![empty]).await;
    let failure = stage.ask(crate::stage::gpt()).await.expect_err("no credit");
    assert_eq!(
        (failure.kind, failure.attempts),
        (FailureKind::QuotaExceeded, 1)
    );
}

#[tokio::test]
async fn a_cut_stream_is_an_error_and_is_begun_anew() {
    for drop_at in [0, 1, 100, 700] {
        let cut = Reply {
            drop_at: Some(drop_at),
            ..Reply::text("a rather long text of words")
        };
        let stage = Stage::of(vec![cut, Reply::text("whole")]).await;
        let answer = stage.ask(claude()).await.expect("the second is whole");
        assert_eq!(
            (text(&answer).as_str(), answer.attempts),
            ("whole", 2),
            "at {drop_at}"
        );
        let deltas = stage.deltas.lock().expect("no panic").clone();
        let anew = deltas
            .iter()
            .rposition(String::is_empty)
            .expect("told to begin anew");
        assert_eq!(deltas[anew + 1..].concat(), "whole");
    }
    let cut = Reply {
        drop_at: Some(700),
        times: 0,
        ..Reply::text("a rather long text of words")
    };
    let stage = Stage::of(vec![cut]).await;
    let failure = stage.ask(claude()).await.expect_err("never whole");
    assert_eq!((failure.kind, failure.attempts), (FailureKind::Provider, 3));
}

#[tokio::test]
async fn a_stream_that_ends_in_order_but_early_is_cut_too() {
    let start = Event {
        event: Some("message_start".into()),
        data: json!({"type": "message_start", "message": {"model": "m"}}),
    };
    let reply = Reply {
        times: 0,
        ..Reply::of(Body::Events(vec![start]))
    };
    let stage = Stage::of(vec![reply]).await;
    let failure = stage.ask(claude()).await.expect_err("no end");
    assert!(
        failure.message.contains("before the answer was complete"),
        "{}",
        failure.message
    );
    assert_eq!(failure.attempts, 3);
}

#[tokio::test]
async fn an_error_inside_of_a_stream_is_classified() {
    let error = |kind: &str| {
        Reply::of(Body::Events(vec![Event {
            event: Some("error".into()),
            data: json!({"type": "error", "error": {"type": kind, "message": "Overloaded"}}),
        }]))
    };
    let stage = Stage::of(vec![error("overloaded_error"), Reply::text("hello")]).await;
    assert_eq!(stage.ask(claude()).await.expect("an answer").attempts, 2);
    let stage = Stage::of(vec![error("authentication_error"), Reply::text("hello")]).await;
    let failure = stage.ask(claude()).await.expect_err("final");
    assert_eq!(
        (failure.kind, failure.attempts),
        (FailureKind::Unauthorized, 1)
    );
}

#[tokio::test]
async fn a_request_says_how_much_of_its_time_it_took() {
    let slow = Reply {
        delay_ms: 30,
        ..status(500)
    };
    let stage = Stage::of(vec![slow]).await;
    let failure = stage.ask_once(claude()).await.expect_err("a failure");
    assert!(failure.took >= 30_000_000, "{failure:?}");
    let silent = Reply {
        delay_ms: 60_000,
        ..Reply::text("x")
    };
    let stage = Stage::of(vec![silent]).await;
    let request = ModelRequest {
        timeout: Duration::from_millis(200),
        ..claude()
    };
    let start = Instant::now();
    let failure = stage.ask_once(request).await.expect_err("nothing comes");
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(
        failure.message.contains("no complete answer within 0.2 s"),
        "{}",
        failure.message
    );
    assert_eq!((failure.attempts, failure.again), (1, None));
}
