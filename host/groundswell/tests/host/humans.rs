//! Questions that the host takes to people.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use groundswell::{Error, EventKind, Question, ToolError, Verdict};
use serde_json::{Value, json};

use crate::program;

const SOURCE: &str = r#"
type Decision { ship: bool, percent: int where it <= 100, @secret pin: string = "none" }

human approve(plan: string, notes: [string] = []) -> Decision { user "Ship ${plan}?" }
human name() -> string timeout 200ms { user "Who are you?" }

workflow main(plan: string) -> Decision { approve(plan, notes: ["a"]) }
workflow guarded(plan: string) -> string {
  let it = approve(plan) catch { Cancelled(why) => return "declined: ${why ?? ""}", e => return e.message() }
  "${it.percent}"
}
workflow late() -> string { name() catch { Timeout(_) => "nobody came" } }
workflow both() -> [string] {
  let (a, b) = parallel (approve("a"), approve("b"))
  ["${a.percent}", "${b.percent}"]
}
"#;

#[tokio::test]
async fn a_person_of_the_host_is_an_async_closure() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let host = program("person", SOURCE).human(move |question: Question| {
        let is_first = question.refused.is_empty();
        seen.lock().expect("nothing panics").push(question);
        async move {
            let percent = if is_first { 101 } else { 5 };
            Ok::<_, ToolError>(json!({ "ship": true, "percent": percent, "pin": "0815" }))
        }
    });
    let host = host.build().expect("it needs no tools");
    let mut run = host
        .start::<Value>("main", &json!({ "plan": "it" }))
        .expect("it starts");
    let mut events = run.events();
    let decision = run.await.expect("it ends");
    assert_eq!(
        decision,
        json!({ "ship": true, "percent": 5, "pin": "0815" })
    );
    let asked = std::mem::take(&mut *asked.lock().expect("nothing panics"));
    let [first, second] = &asked[..] else {
        panic!("{asked:?}")
    };
    assert_eq!(first.text, "Ship it?\n<notes>\n[\"a\"]\n</notes>");
    assert_eq!(first.schema["properties"]["percent"]["maximum"], 100);
    assert_eq!((first.digest.len(), &first.digest), (64, &second.digest));
    assert_eq!(second.refused[0].path, "$.percent");
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        match &event.kind {
            EventKind::HumanRequest {
                human,
                digest,
                question,
                ..
            } => told.push(format!("{human} {} {question}", digest == &first.digest)),
            EventKind::HumanAnswer {
                verdict, issues, ..
            } => told.push(format!("{verdict:?} {issues:?}")),
            _ => {}
        }
        let text = serde_json::to_string(&*event).expect("events are JSON");
        assert!(!text.contains("0815"), "{text}");
    }
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].starts_with("approve true Ship it?"), "{told:?}");
    assert!(told[1].starts_with("Refused") && told[1].contains("$.percent"));
    assert_eq!(told[2], format!("{:?} []", Verdict::Accepted));
}

#[tokio::test]
async fn who_does_not_answer_is_cancelled_or_out_of_time() {
    let host = program("declines", SOURCE).human(|question: Question| async move {
        if question.name == "name" {
            tokio::time::sleep(Duration::from_secs(3_600)).await;
        }
        Err::<Value, _>(ToolError::new("on holiday"))
    });
    let host = host.build().expect("it needs no tools");
    let run = host.start::<String>("guarded", &json!({ "plan": "it" }));
    assert_eq!(
        run.expect("it starts").await.expect("it is caught"),
        "declined: on holiday"
    );
    let run = host.start::<String>("late", &json!({}));
    assert_eq!(
        run.expect("it starts").await.expect("it is caught"),
        "nobody came"
    );
    let run = host.start::<Value>("main", &json!({ "plan": "it" }));
    let Err(Error::Raised(raised)) = run.expect("it starts").await else {
        panic!("nobody catches it")
    };
    assert_eq!(
        (raised.error.as_str(), raised.path.as_str()),
        ("Cancelled", "main > approve")
    );
}

/// A closure that never answers right is not asked for ever, and a program without one says so.
#[tokio::test]
async fn there_is_an_end_to_asking() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let host = program("stubborn", SOURCE).human(move |_: Question| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok::<_, ToolError>(json!({ "ship": 1 })) }
    });
    let host = host.build().expect("it needs no tools");
    let run = host.start::<String>("guarded", &json!({ "plan": "it" }));
    let said = run.expect("it starts").await.expect("it is caught");
    assert!(
        said.starts_with("declined: the host's answers to `approve` do not fit: at $.ship"),
        "{said}"
    );
    assert_eq!(count.load(Ordering::Relaxed), 10);
    let host = program("alone", SOURCE).build().expect("it needs no tools");
    let run = host.start::<String>("guarded", &json!({ "plan": "it" }));
    let said = run.expect("it starts").await.expect("it is caught");
    assert_eq!(
        said,
        "declined: `approve` asks a person, and there is nobody here to answer"
    );
}

/// Cancelling drops the closure's future.
#[tokio::test]
async fn a_cancelled_run_takes_its_questions_back() {
    struct Held(Arc<AtomicUsize>);
    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let open = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&open);
    let host = program("taken-back", SOURCE).human(move |_: Question| {
        counted.fetch_add(1, Ordering::SeqCst);
        let held = Held(Arc::clone(&counted));
        async move {
            let _held = held;
            std::future::pending::<Result<Value, ToolError>>().await
        }
    });
    let host = host.build().expect("it needs no tools");
    let run = host
        .start::<Vec<String>>("both", &json!({}))
        .expect("it starts");
    let until = |wanted| {
        let open = Arc::clone(&open);
        async move {
            for _ in 0..500 {
                if open.load(Ordering::SeqCst) == wanted {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            panic!("{} questions are open", open.load(Ordering::SeqCst));
        }
    };
    until(2).await;
    run.cancel("enough");
    assert!(matches!(run.await, Err(Error::Cancelled)));
    until(0).await;
}
