//! Recorded runs are replayed by every later build, or the revision of the runtime's behaviour is raised.
//!
//! `ACCEPT=1` records anew: where the events of a record have changed, only under a new revision.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use gsw_driver::scripted::{Around, Brought, Report, Script, replay, run};
use gsw_engine::model::{Content, ModelAnswer, StopReason};
use gsw_engine::operation::{Outcome, Request};
use gsw_engine::run::BEHAVIOUR;
use gsw_tree::usage::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::determinism::main_of;
use crate::in_process::{errors, load, open, simulated};
use crate::page::{Case, cases};
use crate::program::root;

/// The content of `behaviour.json`.
#[derive(Serialize, Deserialize)]
struct Recorded {
    behaviour: u32,
    runs: Vec<RecordedRun>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct RecordedRun {
    claim: String,
    record: Vec<Value>,
    /// Of its events, line by line.
    events: String,
    /// How it ended, to be read by people.
    result: String,
}

fn file() -> PathBuf {
    root().join("tests/recorded/behaviour.json")
}

fn answer(text: &str) -> Outcome {
    Outcome::Model(Box::new(Ok(ModelAnswer {
        content: vec![Content::Text { text: text.into() }],
        stop: StopReason::End,
        stop_reason: "end_turn".into(),
        model: "recorded".into(),
        request_id: None,
        usage: Some(Usage {
            input_tokens: 100,
            output_tokens: 20,
            ..Usage::default()
        }),
        attempts: 1,
        simulated: false,
        first_token: None,
        circuit: None,
    })))
}

/// What the events of a run are, and how it ended.
fn watched(go: impl FnOnce(&Around) -> Option<Report>) -> (String, String, Vec<Brought>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&lines);
    let mut around = simulated();
    around.receivers.listener = Some(Arc::new(move |event| {
        let line = serde_json::to_string(event).expect("events are JSON");
        hears.lock().expect("no listener panics").push(line);
    }));
    let report = go(&around).expect("the run ends");
    let lines = lines.lock().expect("no listener panics");
    (
        gsw_abi::schema::canonical_digest(&json!(*lines)),
        format!("{:?}", report.finished.result),
        report.record,
    )
}

fn record(case: &Case) -> RecordedRun {
    let (db, _) = open(&case.source);
    assert_eq!(errors(&db), "", "{}", case.claim);
    let loaded = load(&db).expect("it compiles");
    let answers = case.expected("answers").unwrap_or_default();
    let mut answers: VecDeque<String> = answers.lines().map(str::to_owned).collect();
    let script = Script {
        latency: Some(7),
        answer: Some(Box::new(move |request| match request {
            Request::Model { .. } => answers.pop_front().map(|it| answer(&it)),
            _ => None,
        })),
        ..Script::default()
    };
    let (events, result, record) = watched(|it| run(&loaded, it, main_of(&loaded), script));
    let value = |it: &Brought| serde_json::to_value(it).expect("records are JSON");
    RecordedRun {
        claim: case.claim.clone(),
        record: record.iter().map(value).collect(),
        events,
        result,
    }
}

/// What a record gives with this build.
fn replayed(case: &Case, recorded: &RecordedRun) -> (String, String) {
    let (db, _) = open(&case.source);
    let loaded = load(&db).expect("it compiles");
    let read = |it: &Value| serde_json::from_value(it.clone()).expect("records read back");
    let record = recorded.record.iter().map(read).collect();
    let (events, result, _) = watched(|it| replay(&loaded, it, main_of(&loaded), record));
    (events, result)
}

#[test]
fn recorded_runs_are_replayed_or_the_behaviour_has_a_new_revision() {
    let page = root().join("tests/recorded/behaviour.md");
    let page = std::fs::read_to_string(page).expect("the page can be read");
    let all = cases(&page);
    let before: Option<Recorded> = std::fs::read_to_string(file())
        .ok()
        .and_then(|it| serde_json::from_str::<Value>(&it).ok())
        .and_then(|it| serde_json::from_value(it).ok());
    let mut changed = Vec::new();
    for recorded in before.iter().flat_map(|it| &it.runs) {
        if let Some(case) = all.iter().find(|it| it.claim == recorded.claim) {
            let (events, result) = replayed(case, recorded);
            if (&events, &result) != (&recorded.events, &recorded.result) {
                changed.push(format!(
                    "{}: it ended with {}, and ends with {result}",
                    recorded.claim, recorded.result
                ));
            }
        }
    }
    let revision = before.as_ref().map_or(0, |it| it.behaviour);
    let is_new = BEHAVIOUR > revision;
    assert!(
        changed.is_empty() || is_new,
        "recorded runs do not agree any more; raise `BEHAVIOUR` in `runtime/engine/src/run/start.rs`, then `ACCEPT=1`:\n{}",
        changed.join("\n")
    );
    let known = before.iter().flat_map(|it| &it.runs).count();
    if std::env::var_os("ACCEPT").is_some() && (is_new || known != all.len()) {
        let recorded = Recorded {
            behaviour: BEHAVIOUR,
            runs: all.iter().map(record).collect(),
        };
        let text = serde_json::to_string_pretty(&recorded).expect("it is JSON");
        std::fs::write(file(), text + "\n").expect("the record can be written");
        return;
    }
    assert!(
        !is_new && known == all.len(),
        "record the runs anew with `ACCEPT=1`"
    );
}
