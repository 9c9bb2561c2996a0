//! Runs that are recorded and brought back: whatever record was the last, the run resumes as if nothing had happened.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gsw_agents::AgentPrompts;
use gsw_driver::call::Call;
use gsw_driver::durable::store::{Need, RunStore};
use gsw_driver::engine::{Engine, EngineOptions, RunOptions};
use gsw_driver::host::{Answer, HostTools};
use gsw_driver::human::{Humans, Replying};
use gsw_driver::models::{Models, Pending};
use gsw_engine::human::{Question, Reply};
use gsw_engine::load::Loaded;
use gsw_engine::model::{Content, ModelAnswer, ModelFailure, ModelRequest, StopReason};
use gsw_engine::run::{Finished, RunResult};
use gsw_journal::record::{Blob, Payload, Record};
use gsw_journal::store::{NewRun, Store};
use gsw_tree::event::Event;
use gsw_tree::usage::Usage;
use serde_json::{Map, Value, json};

use crate::in_process::{self, errors, open};
use crate::program::scratch;

/// The performer of what a run asks for, and what was asked of them.
#[derive(Clone, Default)]
struct World(Arc<Mutex<Vec<String>>>);

impl World {
    fn note(&self, what: String) {
        self.0.lock().expect("nobody panics with it").push(what);
    }

    fn performed(&self) -> Vec<String> {
        self.0.lock().expect("nobody panics with it").clone()
    }
}

impl Models for World {
    fn ask(
        &self,
        request: Arc<ModelRequest>,
        _call: &Call,
    ) -> Pending<'_, Result<ModelAnswer, ModelFailure>> {
        // All of them: the earlier exchanges of a session are a part of the request.
        let said: Vec<_> = request.messages.iter().map(|it| &it.content).collect();
        let asked = format!("{said:?}");
        self.note(format!("model {}", asked.len()));
        let text = format!("\"answer {}\"", asked.len());
        Box::pin(std::future::ready(Ok(ModelAnswer {
            content: vec![Content::Text { text }],
            stop: StopReason::End,
            stop_reason: "end".into(),
            model: request.model.clone(),
            request_id: None,
            usage: Some(Usage {
                input_tokens: 10,
                output_tokens: 20,
                ..Usage::default()
            }),
            attempts: 1,
            simulated: false,
            first_token: None,
            circuit: None,
        })))
    }
}

impl HostTools for World {
    fn call(&self, tool: &str, input: Value, _call: &Call) -> Answer {
        self.note(format!("{tool} {input}"));
        Box::pin(std::future::ready(Ok(json!(format!("receipt {input}")))))
    }
}

impl Humans for World {
    fn ask(&self, question: Question, _call: &Call) -> Replying {
        self.note(format!("human {}", question.text));
        let reply = Reply {
            digest: question.digest,
            answer: "true".into(),
        };
        Box::pin(std::future::ready(Ok(reply)))
    }
}

/// A program, compiled.
pub struct Program(pub Vec<u8>);

impl Program {
    pub fn new(source: &str) -> Self {
        let (db, _) = open(source);
        assert_eq!(errors(&db), "");
        let module = gsw_flow::lower_program(&db).expect("it lowers");
        let image = gsw_codegen::compile(&module, &gsw_codegen::Options::default());
        Self(image.expect("it compiles"))
    }

    /// A life of a process with this program.
    fn life(&self, store: &Path) -> Life {
        let world = World::default();
        let events = Arc::<Mutex<Vec<Event>>>::default();
        let store = RunStore::new(store.to_owned(), "program".into(), Need::Asked);
        let options = EngineOptions {
            models: Some(Arc::new(world.clone())),
            prompts: Some(Arc::new(AgentPrompts)),
            tools: Some(Arc::new(world.clone())),
            humans: Some(Arc::new(world.clone())),
            store: Some(store),
            ..EngineOptions::default()
        };
        let loaded = Loaded::from_bytes(&self.0).expect("an image that was just made");
        Life {
            engine: Engine::new(loaded, options),
            world,
            events,
        }
    }
}

/// A process that carries runs.
struct Life {
    engine: Engine,
    world: World,
    events: Arc<Mutex<Vec<Event>>>,
}

/// What came of a run in a process.
#[derive(Debug)]
struct Came {
    result: RunResult,
    performed: Vec<String>,
    events: Vec<Event>,
}

impl Life {
    fn options(&self) -> (RunOptions, std::sync::mpsc::Receiver<Box<Finished>>) {
        let (sender, ended) = std::sync::mpsc::channel();
        let events = Arc::clone(&self.events);
        let options = RunOptions {
            listener: Some(Arc::new(move |event: &Event| {
                events
                    .lock()
                    .expect("nobody panics with it")
                    .push(event.clone());
            })),
            on_end: Box::new(move |finished| drop(sender.send(finished))),
        };
        (options, ended)
    }

    fn came(&self, finished: Finished) -> Came {
        assert_eq!(finished.live_objects, 0);
        Came {
            result: finished.result,
            performed: self.world.performed(),
            events: self.events.lock().expect("nobody panics with it").clone(),
        }
    }

    fn run(self, input: Value) -> Came {
        let input: Map<String, Value> = serde_json::from_value(input).expect("an object");
        let (options, ended) = self.options();
        let main = self.engine.workflow("main").expect("there is a main");
        let _ = self.engine.start_with(main, input, options);
        self.came(in_process::ended(&ended))
    }

    fn resume(self, id: &str) -> Came {
        let (options, ended) = self.options();
        let resumed = self.engine.resume_with(id, options);
        resumed.unwrap_or_else(|error| panic!("{error}"));
        self.came(in_process::ended(&ended))
    }
}

pub fn folder(name: &str) -> PathBuf {
    let folder = scratch("durable").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// The only run of a store, with its records and what they hold by digest.
pub struct Written {
    pub id: String,
    workflow: String,
    image: [u8; 32],
    pub records: Vec<(Record, Option<Blob>)>,
}

impl Written {
    pub fn of(store: &Path) -> Self {
        let store = Store::existing(store).expect("there is a store");
        let runs = store.list().expect("it can be read").runs;
        let info = runs.first().expect("there is a run").clone();
        let records = store.records(&info.id).expect("they are whole");
        let mut records: Vec<_> = records
            .into_iter()
            .map(|record| {
                let blob = match record.payload() {
                    Some(payload @ Payload::Blob(_)) => Some(Blob::of(
                        store.bytes(&info.id, payload.clone()).expect("it is there"),
                    )),
                    Some(Payload::Inline(_)) | None => None,
                };
                (record, blob)
            })
            .collect();
        // The prices, which the first record names.
        let prices = serde_json::to_vec(&gsw_engine::prices::Prices(
            gsw_engine::model::Prompts::prices(&AgentPrompts),
        ));
        records[1].1 = Some(Blob::of(prices.expect("prices are JSON")));
        Self {
            id: info.id,
            workflow: info.workflow,
            image: info.image,
            records,
        }
    }

    /// A store that holds this run as far as `count` records, as a process that was killed there leaves it.
    pub fn killed_after(&self, count: usize, path: &Path) {
        let _ = std::fs::remove_file(path);
        let store = Store::open(path).expect("it can be made");
        let new = NewRun {
            id: &self.id,
            workflow: &self.workflow,
            image: self.image,
            program: "program",
            input: [0; 32],
            begun: 0,
        };
        let journal = store.begin(&new, self.records[..count].to_vec());
        let (sender, released) = std::sync::mpsc::channel();
        journal
            .expect("it can be written")
            .release(Box::new(move |written| {
                sender.send(written).expect("it is awaited")
            }));
        assert_eq!(released.recv(), Ok(Ok(())));
    }

    /// How many outcomes are among the first records.
    fn outcomes(&self, count: usize) -> usize {
        let first = self.records[..count].iter();
        first
            .filter(|(it, _)| matches!(it, Record::Outcome { .. }))
            .count()
    }

    /// Whether the last of the first records says that something begins.
    fn ends_with_intent(&self, count: usize) -> bool {
        matches!(self.records[count - 1].0, Record::Intent { .. })
    }
}

/// An event without what the clock says.
fn timeless(event: &Event) -> Value {
    fn strip(tree: &mut Value) {
        match tree {
            Value::Object(map) => {
                for clock in ["time", "duration", "elapsed", "latency"] {
                    map.shift_remove(clock);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut tree = serde_json::to_value(event).expect("events are JSON");
    strip(&mut tree);
    tree
}

const SEQUENTIAL: &str = r#"
@host tool pay(amount: int) -> string once
@host tool charge(amount: int) -> string idempotent by "charge:${amount}"
agent clerk { model: "openai/gpt-5" cache: false }
prompt describe(n: int) -> string by clerk { user "Describe ${n}, please." }
human approve(text: string) -> bool { user "May I pay for ${text}?" }

workflow main(n: int) -> [string] {
  let first = step "describe" { describe(n) }
  var said = [first]
  if approve(first) {
    let receipt = step "pay" { pay(n) }
    said += [receipt]
  }
  said += [step "charge" { charge(n) }]
  let chat = session(clerk)
  describe(n * 100) with { session: chat }
  said += [describe(n * 1000) with { session: chat }, "${chat.messages().len()}"]
  said
}
"#;

/// What was answered is not asked again, what was done is not done again, and events continue where they were.
#[test]
fn a_run_that_is_killed_after_any_record_goes_on_as_if_nothing_had_happened() {
    let folder = folder("sequential");
    let program = Program::new(SEQUENTIAL);
    let store = folder.join("whole.db");
    let whole = program.life(&store).run(json!({ "n": 7 }));
    assert!(
        matches!(&whole.result, RunResult::Value(text) if text.contains("receipt")),
        "{:?}",
        whole.result
    );
    let written = Written::of(&store);
    let events: Vec<Value> = whole.events.iter().map(timeless).collect();
    let mut unknown = 0;
    // From what a run begins with, which is written at once, to its end, which is not written.
    for count in 2..written.records.len() {
        let store = folder.join(format!("{count}.db"));
        written.killed_after(count, &store);
        let again = program.life(&store).resume(&written.id);
        let had = written.outcomes(count);
        if written.ends_with_intent(count) && whole.performed[had].starts_with("pay") {
            // It may have been done: it is not done again, and the program learns of it.
            unknown += 1;
            let RunResult::Raised(error) = &again.result else {
                panic!("{count}: {:?}", again.result)
            };
            assert_eq!(error.error, "OutcomeUnknown");
            assert!(error.message.contains("pay({\"amount\":7})"), "{error:?}");
            assert_eq!(again.performed, Vec::<String>::new(), "{count}");
            continue;
        }
        assert_eq!(again.result, whole.result, "{count}");
        assert_eq!(again.performed, whole.performed[had..], "{count}");
        let resumed: Vec<Value> = again.events.iter().map(timeless).collect();
        assert_eq!(resumed, events, "{count}");
        // Once it has ended it cannot be resumed.
        let refused = program.life(&store).engine.resume(&written.id).err();
        let refused = refused.map(|it| it.to_string()).unwrap_or_default();
        assert!(refused.contains("has ended: completed"), "{refused}");
    }
    assert_eq!(unknown, 1);
}

/// Tasks whose outcomes come in any order, sleeps, and time limits.
const PARALLEL: &str = r#"
@host tool pay(amount: int) -> string idempotent by "pay:${amount}"
agent clerk { model: "openai/gpt-5" cache: false }
prompt describe(n: int) -> string by clerk { user "Describe ${n}, please." }

workflow main(n: int) -> [string] {
  parallel for i in 0..n limit 3 {
    step "item ${i}" timeout 1m retry 2 {
      sleep(1ms)
      let text = describe(10 + i)
      "${text}: ${pay(i)}"
    }
  }
}
"#;

#[test]
fn a_run_of_many_tasks_goes_on_from_any_record() {
    let folder = folder("parallel");
    let program = Program::new(PARALLEL);
    let store = folder.join("whole.db");
    let whole = program.life(&store).run(json!({ "n": 6 }));
    assert!(
        matches!(whole.result, RunResult::Value(_)),
        "{:?}",
        whole.result
    );
    let written = Written::of(&store);
    for count in 2..written.records.len() {
        let store = folder.join(format!("{count}.db"));
        written.killed_after(count, &store);
        let again = program.life(&store).resume(&written.id);
        assert_eq!(again.result, whole.result, "{count}");
        // What was brought to it is reported as it was then, with its times; what follows comes in another order
        // perhaps.
        let shared = again
            .events
            .iter()
            .zip(&whole.events)
            .take_while(|(a, b)| a == b);
        assert!(shared.count() >= written.outcomes(count), "{count}");
    }
}

#[test]
fn a_run_that_asks_for_something_else_diverges_and_does_nothing() {
    let folder = folder("diverged");
    let store = folder.join("whole.db");
    Program::new(SEQUENTIAL).life(&store).run(json!({ "n": 7 }));
    let written = Written::of(&store);
    let killed = folder.join("killed.db");
    written.killed_after(written.records.len() - 1, &killed);
    let other = Program::new(&SEQUENTIAL.replace("pay(n) }", "pay(n + 1) }"));
    let again = other.life(&killed).resume(&written.id);
    let RunResult::Left(why) = &again.result else {
        panic!("{:?}", again.result)
    };
    assert_eq!(
        why.to_string(),
        "the run asks for something else than it did before it was interrupted: operation 2\n  \
         recorded: pay({\"amount\":7})\n  now:      pay({\"amount\":8})"
    );
    assert_eq!(again.performed, Vec::<String>::new());
    // With the build that began it, it can still be resumed.
    let right = Program::new(SEQUENTIAL).life(&killed).resume(&written.id);
    assert!(
        matches!(right.result, RunResult::Value(_)),
        "{:?}",
        right.result
    );
}

#[test]
fn a_program_that_needs_no_journal_makes_no_file() {
    let folder = folder("none");
    let store = folder.join("state/runs.db");
    let program = Program::new(
        "import std/fs\nworkflow main() -> int {\n  sleep(1ms)\n  let found = fs.glob(\"*.nothing\")\n  \
         let slow = timeout 5m { sleep(2ms); 3 }\n  for _ in 0..80_000 { let _ = random() }\n  found.len() + slow\n}\n",
    );
    let came = program.life(&store).run(json!({}));
    assert_eq!(came.result, RunResult::Value("3".into()));
    assert!(!store.parent().is_some_and(Path::exists));
}

/// What one process carries no other takes.
#[test]
fn of_many_who_resume_a_run_one_wins() {
    let folder = folder("many");
    let program = Program::new(SEQUENTIAL);
    let store = folder.join("whole.db");
    program.life(&store).run(json!({ "n": 7 }));
    let written = Written::of(&store);
    for round in 0..10 {
        let killed = folder.join(format!("killed-{round}.db"));
        written.killed_after(4, &killed);
        let resume = |life: Life| {
            let (options, ended) = life.options();
            let resumed = life.engine.resume_with(&written.id, options);
            let end = resumed.map(|_| in_process::ended(&ended).result);
            (end, life.world.performed())
        };
        let mut ends: Vec<_> = std::thread::scope(|scope| {
            let lives: Vec<_> = (0..8).map(|_| program.life(&killed)).collect();
            let racing: Vec<_> = lives
                .into_iter()
                .map(|life| scope.spawn(|| resume(life)))
                .collect();
            racing
                .into_iter()
                .map(|it| it.join().expect("it does not panic"))
                .collect()
        });
        let performed: usize = ends.iter().map(|it| it.1.len()).sum();
        ends.retain(|it| it.0.is_ok());
        assert_eq!((ends.len(), performed), (1, 5), "{ends:?}");
    }
}
