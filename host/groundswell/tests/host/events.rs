//! Events of a run, in process. // G13

use std::time::Duration;

use groundswell::{EventKind, QUEUE};
use serde_json::json;

use crate::program;

const SOURCE: &str = r#"
workflow steps(n: int) -> int {
  for i in 0..n { step "s" { } }
  emit { "done": n }
  n
}
"#;

#[tokio::test]
async fn the_first_subscription_has_every_event_in_order() {
    let host = program("events", SOURCE).build().expect("it needs nothing");
    let mut run = host
        .start::<i64>("steps", &json!({ "n": 3 }))
        .expect("it starts");
    let (id, mut events) = (run.id().to_owned(), run.events());
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        assert_eq!(event.sequence, seen.len() as u64);
        assert_eq!(&*event.run, id);
        seen.push(event);
    }
    assert_eq!(events.lost(), 0);
    let count = |wanted: fn(&EventKind) -> bool| seen.iter().filter(|it| wanted(&it.kind)).count();
    assert_eq!(count(|it| matches!(it, EventKind::StepStart { .. })), 3);
    assert_eq!(count(|it| matches!(it, EventKind::StepEnd { .. })), 3);
    assert_eq!(count(|it| matches!(it, EventKind::Emit { .. })), 1);
    assert_eq!(run.await.expect("it ends"), 3);
}

#[tokio::test]
async fn a_reader_that_sleeps_loses_events_and_holds_nothing_up() {
    let host = program("slow", SOURCE).build().expect("it needs nothing");
    let input = json!({ "n": QUEUE });
    let mut run = host.start::<i64>("steps", &input).expect("it starts");
    let mut events = run.events();
    assert_eq!(run.await.expect("it ends"), QUEUE as i64);
    let mut read = 0;
    while events.next().await.is_some() {
        read += 1;
    }
    assert_eq!(read, QUEUE);
    assert!(events.lost() > QUEUE as u64, "{}", events.lost());
}

#[tokio::test]
async fn a_subscription_after_the_end_has_nothing_and_ends() {
    let host = program("after", SOURCE).build().expect("it needs nothing");
    let mut run = host
        .start::<i64>("steps", &json!({ "n": 1 }))
        .expect("it starts");
    let mut first = run.events();
    while first.next().await.is_some() {}
    let mut late = run.events();
    let ended = tokio::time::timeout(Duration::from_secs(20), late.next());
    assert_eq!(ended.await.expect("it ends"), None);
    assert_eq!(run.await.expect("it ends"), 1);
}
