//! Streams of runs that are written down: brought back after a kill, and while the store is slow.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gsw_agents::AgentPrompts;
use gsw_driver::call::{Call, Part};
use gsw_driver::durable::store::{Need, RunStore};
use gsw_driver::engine::{Engine, EngineOptions, RunOptions};
use gsw_driver::host::{Answer, HostTools};
use gsw_driver::models::{Models, Pending};
use gsw_engine::load::Loaded;
use gsw_engine::model::{Content, ModelAnswer, ModelFailure, ModelRequest, StopReason};
use gsw_engine::run::{Finished, RunResult};
use serde_json::{Value, json};

use crate::durable::{Program, Written, folder};
use crate::in_process;
use crate::kept_runs::lock;

/// A model whose answer continues when the program has shown what it has.
#[derive(Clone, Default)]
struct Slow {
    shown: Arc<tokio::sync::Notify>,
    performed: Arc<Mutex<Vec<String>>>,
    store: PathBuf,
}

impl Slow {
    fn note(&self, what: String) {
        self.performed
            .lock()
            .expect("nobody panics with it")
            .push(what);
    }
}

impl Models for Slow {
    fn ask(
        &self,
        request: Arc<ModelRequest>,
        call: &Call,
    ) -> Pending<'_, Result<ModelAnswer, ModelFailure>> {
        self.note("model".into());
        let parts = call.parts.clone();
        Box::pin(async move {
            for piece in ["one ", "two ", "three"] {
                parts.send(Part::Text(piece.into()));
                self.shown.notified().await;
            }
            let text = "one two three".into();
            Ok(ModelAnswer {
                content: vec![Content::Text { text }],
                stop: StopReason::End,
                stop_reason: "end".into(),
                model: request.model.clone(),
                request_id: None,
                usage: None,
                attempts: 1,
                simulated: false,
                first_token: None,
                circuit: None,
            })
        })
    }
}

impl HostTools for Slow {
    fn call(&self, tool: &str, input: Value, _: &Call) -> Answer {
        if tool == "stall" {
            drop(lock(&self.store, 1));
            return Box::pin(std::future::ready(Ok(Value::Null)));
        }
        self.note(input["part"].as_str().unwrap_or_default().to_owned());
        self.shown.notify_one();
        Box::pin(std::future::ready(Ok(input["part"].clone())))
    }
}

const TOLD: &str = r#"
@host tool show(part: string) -> string reads
@host tool stall() -> () once
agent clerk { model: "openai/gpt-5" cache: false }
prompt tell(n: int) -> string by clerk { user "Tell ${n}." }
workflow main(n: int) -> [string] {
  let answer = tell.stream(n)
  var shown: [string] = []
  for part in answer { shown += [show(part)] }
  shown + ["${answer.restarts()}", answer.result()]
}
workflow stalled(n: int) -> [string] {
  stall()
  main(n)
}
"#;

/// What a run of a program gave in one life, and what was performed in it.
fn lived(
    program: &Program,
    store: &Path,
    begin: impl FnOnce(&Engine, RunOptions),
) -> (Vec<String>, Vec<String>) {
    let slow = Slow {
        store: store.to_owned(),
        ..Slow::default()
    };
    let store = RunStore::new(store.to_owned(), "program".into(), Need::Asked);
    let options = EngineOptions {
        models: Some(Arc::new(slow.clone())),
        prompts: Some(Arc::new(AgentPrompts)),
        tools: Some(Arc::new(slow.clone())),
        store: Some(store),
        ..EngineOptions::default()
    };
    let loaded = Loaded::from_bytes(&program.0).expect("an image that was just made");
    let engine = Engine::new(loaded, options);
    let (sender, ended) = std::sync::mpsc::channel();
    let options = RunOptions {
        listener: None,
        on_end: Box::new(move |finished: Box<Finished>| drop(sender.send(finished))),
    };
    begin(&engine, options);
    // The model waits until what it has sent is shown, for ever if nothing arrives.
    let finished = in_process::ended(&ended);
    assert_eq!(finished.live_objects, 0);
    let RunResult::Value(value) = &finished.result else {
        panic!("{:?}", finished.result);
    };
    let value = serde_json::from_str(value).expect("a list of texts");
    let performed = slow
        .performed
        .lock()
        .expect("nobody panics with it")
        .clone();
    (value, performed)
}

/// Killed after any record, a run shows what it has shown, asks the model once at most, and ends with the same answer; what has
/// been shown is not shown again unless the model was asked again.
#[test]
fn a_stream_goes_on_after_any_record() {
    let folder = folder("streams");
    let program = Program::new(TOLD);
    let store = folder.join("whole.db");
    let (whole, performed) = lived(&program, &store, |engine, options| {
        let main = engine.workflow("main").expect("there is a main");
        let input = serde_json::from_value(json!({ "n": 7 })).expect("an object");
        let _ = engine.start_with(main, input, options);
    });
    assert_eq!(
        whole,
        ["one ", "one two ", "one two three", "0", "one two three"]
    );
    assert_eq!(performed, ["model", "one ", "one two ", "one two three"]);
    let written = Written::of(&store);
    let mut asked_again = 0;
    for count in 2..written.records.len() {
        let store = folder.join(format!("{count}.db"));
        written.killed_after(count, &store);
        let (again, performed) = lived(&program, &store, |engine, options| {
            let resumed = engine.resume_with(&written.id, options);
            resumed.unwrap_or_else(|error| panic!("{error}"));
        });
        let asked = performed.iter().filter(|it| *it == "model").count();
        assert!(asked <= 1, "{count}: {performed:?}");
        assert_eq!(again.last(), whole.last(), "{count}");
        if asked == 0 {
            assert_eq!(again, whole, "{count}");
        } else {
            asked_again += 1;
            let [shown @ .., _, _] = again.as_slice() else {
                panic!("{again:?}");
            };
            assert_eq!(shown.last().map(String::as_str), Some("one two three"));
        }
    }
    assert!(asked_again > 2, "{asked_again}");
}

/// The request waits until what led to it is on the disk, and what arrives of its answer is shown all the same.
#[test]
fn an_answer_arrives_in_parts_though_the_store_is_slow() {
    let program = Program::new(TOLD);
    let store = folder("streams-stalled").join("runs.db");
    let (shown, performed) = lived(&program, &store, |engine, options| {
        let stalled = engine.workflow("stalled").expect("it is there");
        let input = serde_json::from_value(json!({ "n": 7 })).expect("an object");
        let _ = engine.start_with(stalled, input, options);
    });
    let (part, whole) = ("one ", "one two three");
    assert_eq!(shown, [part, "one two ", whole, "0", whole]);
    assert_eq!(performed, ["model", part, "one two ", whole]);
}
