//! A driver for tests: time is virtual, completions come in an order drawn from a seed, and things go wrong on purpose.

mod replay;
pub(crate) mod world;

use std::collections::BTreeMap;
use std::sync::Arc;

use gsw_abi::program::FunctionIndex;
use gsw_abi::types::TypeId;
use gsw_engine::answers::Found;
use gsw_engine::answers::WhenBusy;
use gsw_engine::load::Loaded;
use gsw_engine::model::Prompts;
use gsw_engine::operation::{DetachedStart, GivenUp, Operation, OperationId, Outcome, Request};
use gsw_engine::run::{Abandoned, BEHAVIOUR, Finished, Run, RunSettings, Start, Turn};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::overrun;
use crate::receivers::Receivers;
use crate::tape::Played;
use crate::turn_threads::TurnThreads;

pub use replay::replay;
pub(crate) use world::{World, drawn};

/// A run that needs more turns than this hangs.
const MOST_TURNS: u64 = 10_000_000;

const REASON: &str = "the test says so";

/// With latencies, an operation takes up to this many nanoseconds more.
const LONGEST_LATENCY: u64 = 20_000_000;

/// What a scripted run has around it.
#[derive(Clone, Default)]
pub struct Around {
    /// Makes the machines of prompt calls.
    pub prompts: Option<Arc<dyn Prompts>>,
    /// The settings of the machine that it pretends to run on.
    pub settings: RunSettings,
    /// Receives its notices; answers of models are kept there, too.
    pub receivers: Receivers,
}

impl Around {
    pub(crate) fn run(&self, loaded: &Arc<Loaded>) -> Box<Run> {
        self.run_called("scripted", loaded)
    }

    fn run_called(&self, id: &str, loaded: &Arc<Loaded>) -> Box<Run> {
        self.run_from(self.start(id), loaded)
    }

    /// How a run begins: the same for every one of this id.
    pub(crate) fn start(&self, id: &str) -> Start {
        Start {
            id: id.into(),
            now: 0,
            seed: 1,
            settings: self.settings.clone(),
            parent: None,
            behaviour: BEHAVIOUR,
        }
    }

    /// A run that begins so.
    pub(crate) fn run_from(&self, start: Start, loaded: &Arc<Loaded>) -> Box<Run> {
        let port = self.receivers.clone().port(Arc::clone(&start.id));
        Run::new(Arc::clone(loaded), self.prompts.clone(), start, port)
    }
}

/// When an operation ends that never does.
const NEVER: i64 = i64::MAX;

/// How long a look-up waits for another call before it looks again, in nanoseconds.
const LOOK_AGAIN: i64 = 1_000_000;

/// Answers requests that a test knows better; `None` leaves one to the driver.
pub type Answer = Box<dyn FnMut(&Request) -> Option<Outcome> + Send>;

/// How a scripted run goes.
#[derive(Default)]
pub struct Script {
    /// Completions are taken in an order drawn from this; 0 takes them as time would.
    pub seed: u64,
    /// Each operation takes some milliseconds more, drawn from this.
    pub latency: Option<u64>,
    /// One operation in this many fails.
    pub fail_every: Option<u64>,
    /// The run is cancelled at the suspension of this number, from 1.
    pub cancel_at: Option<u64>,
    /// Answers requests before the driver does.
    pub answer: Option<Answer>,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Script")
            .field("seed", &self.seed)
            .field("latency", &self.latency)
            .field("fail_every", &self.fail_every)
            .field("cancel_at", &self.cancel_at)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug)]
pub enum Entry {
    /// A workflow by its index, with its parameters by name.
    Workflow {
        index: usize,
        /// The parameters.
        input: Map<String, Value>,
    },
    /// A workflow that another run detaches.
    Detached(Box<DetachedStart>),
    /// A resumable function without parameters.
    Function {
        function: FunctionIndex,
        /// The type of its result.
        result: TypeId,
    },
    /// A resumable function without result that is given one value.
    With {
        function: FunctionIndex,
        /// The type of its input.
        ty: TypeId,
        argument: Arc<Value>,
    },
}

/// How a scripted run went.
#[derive(Debug)]
pub struct Report {
    pub finished: Box<Finished>,
    /// How often it was blocked.
    pub suspensions: u64,
    /// How many operations it requested.
    pub operations: u64,
    /// What it requested, in order.
    pub requested: Vec<Operation>,
    /// What was brought to it, in order.
    pub record: Vec<Brought>,
}

/// What a driver brings to a run before its next turn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Brought {
    Outcome {
        id: OperationId,
        outcome: Outcome,
        now: i64,
    },
    Cancel {
        /// When it was asked for.
        now: i64,
    },
}

/// Runs a program by a script, on a thread with a stack as deep as turns need. `None` when it hangs.
#[must_use]
pub fn run(loaded: &Arc<Loaded>, around: &Around, entry: Entry, script: Script) -> Option<Report> {
    let (loaded, around) = (Arc::clone(loaded), around.clone());
    TurnThreads::shared().wait_for(move || Driver::new(&loaded, around, script).carry(&entry))?
}

impl Entry {
    pub(crate) fn begin(&self, run: &mut Run) {
        match self {
            Self::Workflow { index, input } => run.start(*index, input),
            Self::Detached(start) => run.start_detached(start),
            Self::Function { function, result } => run.start_function(*function, *result),
            Self::With {
                function,
                ty,
                argument,
            } => run.start_with(*function, *ty, argument),
        }
    }
}

struct Driver {
    run: Box<Run>,
    script: Script,
    /// What is outstanding, by the time of its end.
    outstanding: BTreeMap<(i64, OperationId), Request>,
    ends: FxHashMap<OperationId, i64>,
    now: i64,
    random: u64,
    latency: u64,
    world: World,
    requested: Vec<Operation>,
    record: Vec<Brought>,
}

impl Driver {
    fn new(loaded: &Arc<Loaded>, around: Around, script: Script) -> Self {
        let run = around.run(loaded);
        Self::of_run(run, loaded, around, script)
    }

    /// For a run that another one detaches, under an id of its own.
    fn detached(id: &str, loaded: &Arc<Loaded>, outer: &World) -> Self {
        let around = outer.around().clone();
        let run = around.run_called(id, loaded);
        let mut driver = Self::of_run(run, loaded, around, Script::default());
        driver.world = driver.world.inside_of(outer);
        driver
    }

    fn of_run(run: Box<Run>, loaded: &Arc<Loaded>, around: Around, mut script: Script) -> Self {
        Self {
            run,
            random: script.seed | 1,
            latency: script.latency.unwrap_or_default() | 1,
            world: World::new(loaded, around, script.answer.take(), script.fail_every),
            script,
            outstanding: BTreeMap::new(),
            ends: FxHashMap::default(),
            now: 0,
            requested: Vec::new(),
            record: Vec::new(),
        }
    }

    fn carry(mut self, entry: &Entry) -> Option<Report> {
        entry.begin(&mut self.run);
        let (mut operations, mut suspensions) = (0, 0);
        for _ in 0..MOST_TURNS {
            let watched = overrun::watch(self.run.front());
            let turn = self.run.turn();
            drop(watched);
            match turn {
                Turn::Busy {
                    operations: requested,
                    abandoned,
                } => {
                    operations += requested.len() as u64;
                    self.take(requested, &abandoned);
                    continue;
                }
                Turn::Done(finished) => {
                    return Some(Report {
                        finished,
                        suspensions,
                        operations,
                        requested: self.requested,
                        record: self.record,
                    });
                }
                Turn::Blocked {
                    operations: requested,
                    abandoned,
                } => {
                    operations += requested.len() as u64;
                    self.take(requested, &abandoned);
                }
            }
            suspensions += 1;
            if self.script.cancel_at == Some(suspensions) {
                self.run.cancel(REASON, self.now);
                self.record.push(Brought::Cancel { now: self.now });
                continue;
            }
            self.complete_one()?;
        }
        None
    }

    fn take(&mut self, requested: Vec<Operation>, abandoned: &[Abandoned]) {
        for Abandoned { id, how } in abandoned {
            if *how == GivenUp::Dropped
                && let Some(end) = self.ends.remove(id)
            {
                self.outstanding.remove(&(end, *id));
            }
        }
        for operation in requested {
            let length = if let Request::Sleep { nanoseconds } = operation.request {
                nanoseconds
            } else {
                0
            };
            let more = match self.script.latency {
                Some(_) => (drawn(&mut self.latency) % LONGEST_LATENCY).cast_signed(),
                None => 0,
            };
            let mut end = self.now.saturating_add(length).saturating_add(more);
            let mut request = operation.request.clone();
            match self.world.played(&request) {
                Some(Played::Outcome(outcome)) => request = Request::Scripted { outcome },
                Some(Played::Never) => end = NEVER,
                None => {}
            }
            self.ends.insert(operation.id, end);
            self.outstanding.insert((end, operation.id), request);
            self.requested.push(operation);
        }
    }

    /// Completes one outstanding operation; `None` when there is none although the run is blocked.
    fn complete_one(&mut self) -> Option<()> {
        let place = if self.script.seed == 0 {
            0
        } else {
            (drawn(&mut self.random) as usize).checked_rem(self.outstanding.len())?
        };
        let (end, id) = *self.outstanding.keys().nth(place)?;
        let request = self.outstanding.remove(&(end, id))?;
        self.ends.remove(&id);
        if end == NEVER && matches!(request, Request::Model { .. }) {
            return None;
        }
        self.now = self.now.max(end);
        let outcome = self.world.outcome(&request, self.now);
        if let (
            Request::LookUp {
                when_busy: WhenBusy::Wait,
                ..
            },
            Outcome::Found(Found::Busy),
        ) = (&request, &outcome)
        {
            let later = self.now.saturating_add(LOOK_AGAIN);
            self.ends.insert(id, later);
            self.outstanding.insert((later, id), request);
            return Some(());
        }
        self.record.push(Brought::Outcome {
            id,
            outcome: outcome.clone(),
            now: self.now,
        });
        // A script that answers with what a request cannot have hangs its run.
        self.run.complete(id, outcome, self.now).ok()
    }
}
