//! Answers from outside that the host brings.

use std::sync::Arc;

use groundswell::{Address, EventKind, Host, NotTaken, Taken, Verdict};
use serde_json::{Value, json};

use crate::program;

const SOURCE: &str = r#"
type Payment { amount: int where it > 0, @secret card: string = "none" }

external payment(order: string) -> Payment by "order:${order}" timeout 2d
external delivered() -> bool
external soon() -> int timeout 20ms

workflow main(order: string) -> int { payment(order).amount }
workflow unkeyed() -> bool { delivered() }
workflow twice() -> int {
  let (a, b) = parallel (delivered(), delivered())
  if a and b { 2 } else { 0 }
}
workflow late() -> string { "${soon()}" catch { Timeout(after) => "nothing after ${after}" } }
"#;

fn host(name: &str) -> Host {
    program(name, SOURCE).build().expect("it needs no tools")
}

fn key(order: &str) -> Address {
    Address::Key(format!("order:{order}").into())
}

/// Sends until it is asked for.
async fn send(host: &Host, to: &Address, value: &Value) -> Result<Taken, NotTaken> {
    loop {
        match host.answer(to.clone(), value).await {
            Err(NotTaken::NotAsked { .. }) => tokio::task::yield_now().await,
            other => return other,
        }
    }
}

#[tokio::test]
async fn an_answer_is_checked_taken_once_and_bound_to_its_question() {
    let host = host("external");
    let mut run = host
        .start::<i64>("main", &json!({ "order": "17" }))
        .expect("it starts");
    let mut events = run.events();
    let id: Arc<str> = run.id().into();
    let named = Address::Name {
        run: Arc::clone(&id),
        name: "payment".into(),
    };
    let Err(NotTaken::Unfit { name, issues }) = send(&host, &named, &json!({ "amount": 0 })).await
    else {
        panic!("nothing is paid");
    };
    assert_eq!(
        (name.as_str(), issues[0].path.as_str()),
        ("payment", "$.amount")
    );
    let taken = host.answer(key("17"), &json!({ "amount": 5 })).await;
    assert!(matches!(taken, Ok(Taken::Delivered { run, .. }) if run == id));
    assert_eq!(run.await.expect("it ends"), 5);
    let again = host.answer(key("17"), &json!({ "amount": 6 })).await;
    let Err(NotTaken::Again { first }) = &again else {
        panic!("{again:?}");
    };
    assert_eq!(first.run.as_deref(), Some(&*id));
    let over = host.answer(named, &json!({ "amount": 6 })).await;
    assert_eq!(over, Err(NotTaken::Over { run: id }));
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        match &event.kind {
            EventKind::ExternalRequest { key, digest, .. } => {
                told.push((key.clone().unwrap_or_default(), digest.len()));
            }
            EventKind::ExternalAnswer {
                verdict: Verdict::Accepted,
                digest,
                ..
            } => told.push(("accepted".into(), digest.len())),
            _ => {}
        }
    }
    assert_eq!(
        told,
        [("order:17".to_owned(), 64), ("accepted".to_owned(), 64)]
    );
}

#[tokio::test]
async fn an_early_answer_waits_for_its_question() {
    let host = host("early");
    let kept = host.answer(key("1"), &json!({ "amount": 9 })).await;
    assert_eq!(kept, Ok(Taken::Kept));
    let second = host.answer(key("1"), &json!({ "amount": 8 })).await;
    assert!(matches!(second, Err(NotTaken::Again { first }) if first.run.is_none()));
    let run = host.start::<i64>("main", &json!({ "order": "1" }));
    assert_eq!(run.expect("it starts").await.expect("it ends"), 9);
}

#[tokio::test]
async fn an_early_answer_that_does_not_fit_counts_for_nothing() {
    let host = host("early-unfit");
    let kept = host.answer(key("1"), &json!({ "amount": 0 })).await;
    assert_eq!(kept, Ok(Taken::Kept));
    let mut run = host
        .start::<i64>("main", &json!({ "order": "1" }))
        .expect("it starts");
    let mut events = run.events();
    loop {
        let event = events.next().await.expect("it goes on");
        if let EventKind::ExternalAnswer {
            verdict, issues, ..
        } = &event.kind
        {
            assert_eq!(
                (*verdict, issues[0].path.as_str()),
                (Verdict::Refused, "$.amount")
            );
            break;
        }
    }
    // It is asked again, right after it was refused.
    let taken = loop {
        match host.answer(key("1"), &json!({ "amount": 3 })).await {
            Err(NotTaken::Again { .. }) => tokio::task::yield_now().await,
            taken => break taken,
        }
    };
    assert!(matches!(taken, Ok(Taken::Delivered { .. })));
    assert_eq!(run.await.expect("it ends"), 3);
}

#[tokio::test]
async fn what_finds_nothing_is_said() {
    let host = host("lost");
    let nobody = Address::Name {
        run: "no-such-run".into(),
        name: "delivered".into(),
    };
    let answer = host.answer(nobody, &true).await;
    assert_eq!(
        answer.expect_err("there is none").to_string(),
        "there is no run `no-such-run`"
    );
    let run = host
        .start::<bool>("unkeyed", &json!({}))
        .expect("it starts");
    let wrong = Address::Name {
        run: run.id().into(),
        name: "payment".into(),
    };
    let right = Address::Name {
        run: run.id().into(),
        name: "delivered".into(),
    };
    let Err(NotTaken::Unfit { .. }) = send(&host, &right, &json!(1)).await else {
        panic!("it is no bool");
    };
    let Err(NotTaken::NotAsked { waits_for, .. }) = host.answer(wrong, &true).await else {
        panic!("it waits for no payment");
    };
    assert_eq!(waits_for, ["delivered"]);
    assert!(send(&host, &right, &json!(true)).await.is_ok());
    assert!(run.await.expect("it ends"));
}

#[tokio::test]
async fn of_many_that_answer_at_once_one_wins() {
    for round in 0..40 {
        let host = host("race");
        let order = round.to_string();
        let run = host
            .start::<i64>("main", &json!({ "order": order }))
            .expect("it starts");
        let sent = (1..=8).map(|amount| {
            let (host, to) = (host.clone(), key(&order));
            tokio::spawn(async move {
                let answer = host.answer(to, &json!({ "amount": amount })).await;
                (amount, answer)
            })
        });
        let mut winners = Vec::new();
        for sent in sent.collect::<Vec<_>>() {
            let (amount, answer) = sent.await.expect("no sender panics");
            match answer {
                Ok(_) => winners.push(amount),
                Err(NotTaken::Again { .. }) => {}
                Err(other) => panic!("{other}"),
            }
        }
        let value = run.await.expect("it ends");
        assert_eq!(winners, [value]);
    }
}

#[tokio::test]
async fn a_time_limit_ends_the_wait_and_several_need_a_key() {
    let host = host("limits");
    let late = host.start::<String>("late", &json!({})).expect("it starts");
    assert_eq!(late.await.expect("it ends"), "nothing after 20ms");
    let run = host.start::<i64>("twice", &json!({})).expect("it starts");
    let to = Address::Name {
        run: run.id().into(),
        name: "delivered".into(),
    };
    let several = loop {
        match host.answer(to.clone(), &"wrong").await {
            Err(NotTaken::NotAsked { .. } | NotTaken::Unfit { .. }) => {
                tokio::task::yield_now().await;
            }
            other => break other,
        }
    };
    assert!(
        matches!(several, Err(NotTaken::Several { .. })),
        "{several:?}"
    );
    run.cancel("enough");
    assert!(run.await.is_err());
}
