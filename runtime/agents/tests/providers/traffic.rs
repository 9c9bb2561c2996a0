//! What the requests of a process share: the limits of a provider, and which models are down.

use std::sync::Arc;
use std::time::Duration;

use fake_provider::Reply;
use gsw_agents::{Environment, Policy, Providers};
use gsw_driver::call::Call;
use gsw_driver::models::Models;
use gsw_engine::model::{FailureKind, Fallback, ModelRequest, Rate, Role};
use gsw_tree::event::CircuitChange;
use tokio::task::JoinSet;

use crate::stage::{QUICK, Stage, claude, request, said, text};

/// Tasks at once.
const MANY: usize = 60;

fn with_fallback() -> ModelRequest {
    ModelRequest {
        fallback: Fallback::Present,
        ..claude()
    }
}

/// A stage whose models stay down for so long.
async fn stage(replies: Vec<Reply>, circuit: Duration) -> Stage {
    let mut stage = Stage::of(replies).await;
    let url = stage.server.url();
    let variables = [
        ("ANTHROPIC_API_KEY", "test-key"),
        ("ANTHROPIC_BASE_URL", url.as_str()),
    ];
    let policy = Policy { circuit, ..QUICK };
    stage.providers = Providers::with_policy(Environment::of(&variables), policy);
    stage
}

fn down() -> Reply {
    Reply::error(500, "api_error", "no luck")
}

#[tokio::test]
async fn after_a_limit_requests_come_back_slowly() {
    let limited = Reply {
        times: u32::try_from(MANY).expect("it is small"),
        // All of the first round are here before the first answer.
        delay_ms: 400,
        ..Reply::error(429, "rate_limit_error", "slow down").with_header("retry-after-ms", "50")
    };
    let answer = Reply {
        times: 0,
        delay_ms: 5,
        ..Reply::text("hello")
    };
    let stage = Arc::new(Stage::of(vec![limited, answer]).await);
    let mut asked = JoinSet::new();
    for _ in 0..MANY {
        let stage = Arc::clone(&stage);
        let request = ModelRequest {
            retries: 20,
            ..claude()
        };
        // It asks again at once, so what holds it back is the limiter alone.
        asked.spawn(async move { stage.ask(request).await });
    }
    while let Some(answer) = asked.join_next().await {
        answer.expect("no panic").expect("an answer");
    }
    let requests = stage.requests();
    let in_flight: Vec<usize> = requests[MANY..].iter().map(|it| it.in_flight).collect();
    // Twice the window, since a request counts there until its connection is free again.
    for (number, count) in in_flight.iter().enumerate() {
        assert!(*count <= 2 * (number + 1), "{in_flight:?}");
    }
}

#[tokio::test]
async fn no_request_leaves_where_nothing_is_left() {
    let none = Reply::text("one")
        .with_header("x-ratelimit-remaining-requests", "0")
        .with_header("x-ratelimit-reset-requests", "200ms");
    let stage = Stage::of(vec![none, Reply::text("two")]).await;
    stage.ask_once(claude()).await.expect("an answer");
    // Given up before its time has come: it never leaves.
    let early = tokio::time::timeout(Duration::from_millis(20), stage.ask_once(claude())).await;
    assert_eq!((early.is_err(), stage.requests().len()), (true, 1));
    // Another model has limits of its own.
    let other = request("anthropic/claude-opus-5-5");
    stage.ask_once(other).await.expect("an answer");
    stage.ask_once(claude()).await.expect("an answer");
    assert_eq!(stage.requests().len(), 3);
}

#[tokio::test]
async fn a_model_that_is_down_is_not_asked_where_another_follows() {
    let stage = stage(vec![down()], Duration::from_secs(3_600)).await;
    let mut changes = Vec::new();
    for _ in 0..5 {
        let failure = stage.ask_once(with_fallback()).await.expect_err("down");
        changes.push((failure.attempts, failure.circuit, failure.again.is_some()));
    }
    let opened = Some(CircuitChange::Opened);
    let (sent, kept) = ((1, None, true), (0, None, false));
    assert_eq!(changes, [sent, sent, (1, opened, true), kept, kept]);
    assert_eq!(stage.requests().len(), 3);
    let failure = stage.ask_once(with_fallback()).await.expect_err("down");
    assert_eq!(failure.kind, FailureKind::Overloaded);
    let message = &failure.message;
    assert!(
        message.contains("is down and not asked for another") && message.contains("no luck"),
        "{message}"
    );
    // Without another model it is asked all the same, and so is a model beside it.
    stage.ask_once(claude()).await.expect_err("down");
    assert_eq!(stage.requests().len(), 4);
}

#[tokio::test]
async fn a_model_that_answers_again_is_asked_again() {
    let replies = vec![down(), down(), down(), Reply::text("hello")];
    let stage = stage(replies, Duration::ZERO).await;
    for _ in 0..3 {
        stage.ask_once(with_fallback()).await.expect_err("down");
    }
    let answer = stage.ask_once(with_fallback()).await.expect("it is tried");
    assert_eq!(answer.circuit, Some(CircuitChange::Closed));
    let answer = stage.ask_once(with_fallback()).await.expect("an answer");
    assert_eq!(answer.circuit, None);
    // A request that is wrong says that the model is up.
    let wrong = Reply::error(400, "invalid_request_error", "wrong");
    let stage = self::stage(vec![down(), down(), wrong, down()], Duration::from_secs(60)).await;
    for _ in 0..5 {
        let failure = stage
            .ask_once(with_fallback())
            .await
            .expect_err("no answer");
        assert_eq!((failure.attempts, failure.circuit), (1, None));
    }
}

#[tokio::test]
async fn a_request_above_the_window_is_not_sent() {
    let stage = Stage::of(vec![Reply::text("hello")]).await;
    let request = ModelRequest {
        messages: vec![said(Role::User, &"word ".repeat(200_001))],
        ..request("anthropic/claude-haiku-4-5")
    };
    let failure = stage.ask(request).await.expect_err("too long");
    assert_eq!(failure.kind, FailureKind::ContextTooLong);
    assert_eq!(failure.oversize.map(|it| it.limit), Some(200_000));
    assert_eq!((failure.attempts, stage.requests().len()), (0, 0));
}

#[tokio::test]
async fn an_agent_sends_no_more_than_its_rate() {
    let stage = Stage::of(vec![Reply::text("hello")]).await;
    let at_rate = |of: &str| ModelRequest {
        rate: Some(Rate {
            of: of.into(),
            per_minute: 2,
        }),
        ..claude()
    };
    for _ in 0..2 {
        stage.ask_once(at_rate("writer")).await.expect("an answer");
    }
    // The third waits for most of a minute, whichever model it asks; it is given up before.
    let third = ModelRequest {
        model: "anthropic/claude-opus-5-5".into(),
        ..at_rate("writer")
    };
    let third = tokio::time::timeout(Duration::from_millis(20), stage.ask_once(third)).await;
    assert!(third.is_err());
    stage.ask_once(at_rate("reader")).await.expect("an answer");
    stage.ask_once(claude()).await.expect("an answer");
    assert_eq!(stage.requests().len(), 4);
}

#[tokio::test]
async fn what_one_process_met_holds_back_the_others() {
    let folder = std::env::temp_dir().join(format!("gsw-shared-limits-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let limited =
        Reply::error(429, "rate_limit_error", "slow down").with_header("retry-after-ms", "60000");
    let stage = Stage::of(vec![limited, Reply::text("hello")]).await;
    let url = stage.server.url();
    let policy = Policy {
        longest_retry_after: Duration::from_secs(120),
        ..QUICK
    };
    // Each knows what a process knows.
    let process = |key: &str| {
        let variables = [
            ("ANTHROPIC_API_KEY", key),
            ("ANTHROPIC_BASE_URL", url.as_str()),
        ];
        let providers = Providers::with_policy(Environment::of(&variables), policy);
        providers.sharing_limits(folder.clone())
    };
    let failure = process("test-key")
        .ask(Arc::new(claude()), &Call::alone())
        .await;
    assert_eq!(failure.expect_err("limited").kind, FailureKind::RateLimited);
    let (other, call) = (process("test-key"), Call::alone());
    let asking = other.ask(Arc::new(claude()), &call);
    let early = tokio::time::timeout(Duration::from_millis(50), asking).await;
    assert_eq!((early.is_err(), stage.requests().len()), (true, 1));
    // Another account has limits of its own, and so has a process that shares nothing.
    let answer = process("other-key").ask(Arc::new(claude()), &call).await;
    assert_eq!(text(&answer.expect("an answer")), "hello");
    let answer = stage.ask_once(claude()).await;
    assert_eq!(text(&answer.expect("an answer")), "hello");
    for file in std::fs::read_dir(&folder).expect("it was made").flatten() {
        let name = file.file_name().into_string().expect("hex digits");
        assert!(!name.contains("test-key") && name.len() == 32, "{name}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}
