//! Cancelling by hand and by dropping.

use std::time::Duration;

use groundswell::Error;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;

use crate::program;

const SOURCE: &str = r#"
@host tool tell(what: string)

workflow wait() -> int {
  defer { tell("cleaned up") }
  tell("began")
  sleep(1h)
  1
}
workflow spin() -> int {
  var n = 0
  while true { n = (n + 1) % 1000 }
  n
}
"#;

#[derive(Deserialize)]
struct Said {
    what: String,
}

async fn heard(told: &mut mpsc::UnboundedReceiver<String>) -> Option<String> {
    let next = tokio::time::timeout(Duration::from_secs(20), told.recv());
    next.await.ok().flatten()
}

fn host() -> (groundswell::Host, mpsc::UnboundedReceiver<String>) {
    let (sender, told) = mpsc::unbounded_channel();
    let builder = program("cancel", SOURCE).tool("tell", move |said: Said| {
        let sender = sender.clone();
        async move { Ok(sender.send(said.what)?) }
    });
    (builder.build().expect("it has the tool"), told)
}

#[tokio::test]
async fn dropping_a_run_cancels_it_and_runs_what_is_deferred() {
    let (host, mut told) = host();
    let run = host.start::<i64>("wait", &json!({})).expect("it starts");
    assert_eq!(heard(&mut told).await.as_deref(), Some("began"));
    drop(run);
    assert_eq!(heard(&mut told).await.as_deref(), Some("cleaned up"));
}

#[tokio::test]
async fn a_cancelled_run_says_so() {
    let (host, mut told) = host();
    let run = host.start::<i64>("wait", &json!({})).expect("it starts");
    assert_eq!(heard(&mut told).await.as_deref(), Some("began"));
    run.cancel("enough");
    assert!(matches!(run.await, Err(Error::Cancelled)));
    assert_eq!(heard(&mut told).await.as_deref(), Some("cleaned up"));
}

#[tokio::test]
async fn code_that_waits_for_nothing_is_stopped() {
    let (host, _told) = host();
    let run = host.start::<i64>("spin", &json!({})).expect("it starts");
    run.cancel("enough");
    let end = tokio::time::timeout(Duration::from_secs(30), run);
    assert!(matches!(end.await, Ok(Err(Error::Cancelled))));
}

#[tokio::test]
async fn a_detached_run_goes_on() {
    let (host, mut told) = host();
    let run = host.start::<i64>("wait", &json!({})).expect("it starts");
    run.detach();
    assert_eq!(heard(&mut told).await.as_deref(), Some("began"));
    let next = tokio::time::timeout(Duration::from_millis(300), told.recv());
    assert!(next.await.is_err(), "it was cancelled");
}
