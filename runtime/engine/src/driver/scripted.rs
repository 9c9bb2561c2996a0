//! A driver for tests: time is virtual, completions come in an order drawn from a seed, and things go wrong on purpose.

mod replay;

use std::collections::BTreeMap;
use std::sync::Arc;

use gsw_abi::program::FunctionIndex;
use gsw_abi::types::TypeId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::driver::permissions::Permissions;
use crate::load::Loaded;
use crate::model::Media;
use crate::operation::{DetachedStart, Failure, Operation, OperationId, Outcome, Request};
use crate::run::{Finished, Run, RunResult, Start, Turn};
use crate::services::Services;
use crate::turn_threads::TurnThreads;

pub use replay::replay;

/// A run that needs more turns than this hangs.
const MOST_TURNS: u64 = 10_000_000;

/// Why a script cancels.
const REASON: &str = "the test says so";

/// With latencies, an operation takes up to so many nanoseconds more.
const LONGEST_LATENCY: u64 = 20_000_000;

/// Answers requests that a test knows better; `None` leaves one to the driver.
pub type Answer = Box<dyn FnMut(&Request) -> Option<Outcome> + Send>;

/// How a scripted run goes.
#[derive(Default)]
pub struct Script {
    /// Completions are taken in an order drawn from this; 0 takes them as time would.
    pub seed: u64,
    /// Each operation takes some milliseconds more, drawn from this.
    pub latency: Option<u64>,
    /// Every so many operations one fails.
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

/// What is run.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A workflow by its index, with its parameters by name.
    Workflow {
        /// The index.
        index: usize,
        /// The parameters.
        input: Map<String, Value>,
    },
    /// A workflow that another run detaches.
    Detached(Box<DetachedStart>),
    /// A resumable function without parameters.
    Function {
        /// Which.
        function: FunctionIndex,
        /// The type of its result.
        result: TypeId,
    },
}

/// How a scripted run went.
#[derive(Debug)]
pub struct Report {
    /// Its end.
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
    /// An outcome.
    Outcome {
        /// Of which operation.
        id: OperationId,
        /// It.
        outcome: Outcome,
        /// When it came.
        now: i64,
    },
    /// The end, from outside.
    Cancel,
}

/// Runs a program by a script, on a thread with a stack as deep as turns need. `None` when it hangs.
#[must_use]
pub fn run(
    loaded: &Arc<Loaded>,
    services: &Arc<Services>,
    entry: Entry,
    script: Script,
) -> Option<Report> {
    let (loaded, services) = (Arc::clone(loaded), Arc::clone(services));
    TurnThreads::shared().wait_for(move || Driver::new(loaded, services, script).carry(&entry))?
}

impl Entry {
    fn begin(&self, run: &mut Run) {
        match self {
            Self::Workflow { index, input } => run.start(*index, input),
            Self::Detached(start) => run.start_detached(start),
            Self::Function { function, result } => run.start_root(*function, *result, &[]),
        }
    }
}

/// How every scripted run begins.
fn start() -> Start {
    Start {
        id: "scripted".into(),
        now: 0,
        seed: 1,
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
    performed: u64,
    requested: Vec<Operation>,
    record: Vec<Brought>,
}

impl Driver {
    fn new(loaded: Arc<Loaded>, services: Arc<Services>, script: Script) -> Self {
        Self {
            run: Run::new(loaded, services, start()),
            random: script.seed | 1,
            latency: script.latency.unwrap_or_default() | 1,
            script,
            outstanding: BTreeMap::new(),
            ends: FxHashMap::default(),
            now: 0,
            performed: 0,
            requested: Vec::new(),
            record: Vec::new(),
        }
    }

    fn carry(mut self, entry: &Entry) -> Option<Report> {
        entry.begin(&mut self.run);
        let (mut operations, mut suspensions) = (0, 0);
        for _ in 0..MOST_TURNS {
            match self.run.turn() {
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
                self.run.cancel(REASON);
                self.record.push(Brought::Cancel);
                continue;
            }
            self.complete_one()?;
        }
        None
    }

    fn take(&mut self, requested: Vec<Operation>, abandoned: &[OperationId]) {
        for id in abandoned {
            if let Some(end) = self.ends.remove(id) {
                self.outstanding.remove(&(end, *id));
            }
        }
        for operation in requested {
            let length = match operation.request {
                Request::Sleep { nanoseconds } => nanoseconds,
                _ => 0,
            };
            let more = match self.script.latency {
                Some(_) => (drawn(&mut self.latency) % LONGEST_LATENCY).cast_signed(),
                None => 0,
            };
            let end = self.now.saturating_add(length).saturating_add(more);
            self.ends.insert(operation.id, end);
            self.outstanding
                .insert((end, operation.id), operation.request.clone());
            self.requested.push(operation);
        }
    }

    /// Completes one outstanding operation; `None` when there is none although the run is blocked.
    fn complete_one(&mut self) -> Option<()> {
        let place = if self.script.seed == 0 {
            0
        } else {
            (self.draw() as usize).checked_rem(self.outstanding.len())?
        };
        let (end, id) = *self.outstanding.keys().nth(place)?;
        let request = self.outstanding.remove(&(end, id))?;
        self.ends.remove(&id);
        self.now = self.now.max(end);
        let outcome = self.outcome(&request);
        self.record.push(Brought::Outcome {
            id,
            outcome: outcome.clone(),
            now: self.now,
        });
        self.run.complete(id, outcome, self.now);
        Some(())
    }

    fn outcome(&mut self, request: &Request) -> Outcome {
        self.performed += 1;
        let is_sleep = matches!(request, Request::Sleep { .. });
        let must_fail = self
            .script
            .fail_every
            .is_some_and(|every| self.performed.is_multiple_of(every));
        // Time always passes.
        if must_fail && !is_sleep {
            return Outcome::Failed(Failure::Other {
                message: "the test says so".into(),
            });
        }
        if let Some(outcome) = self
            .script
            .answer
            .as_mut()
            .and_then(|answer| answer(request))
        {
            return outcome;
        }
        match request {
            Request::Sleep { .. } => Outcome::Done,
            Request::Now => Outcome::Time(self.now),
            Request::Random => Outcome::Float((self.draw() >> 11) as f64 / (1_u64 << 53) as f64),
            Request::RandomInt { low, .. } => Outcome::Int(*low),
            Request::StartRun { start } => self.detach(start),
            Request::Uuid => {
                Outcome::Text(format!("00000000-0000-4000-8000-{:012x}", self.performed))
            }
            Request::EnvGet { .. } => Outcome::OptionalText(None),
            Request::Release { .. } => Outcome::Released,
            Request::MediaUrl { media } => Permissions::default().admit_media(Media::clone(media)),
            Request::Human { question } => Outcome::Failed(Failure::Declined {
                reason: format!("a test has nobody to ask: mock `{}`", question.human),
            }),
            Request::Host { tool, .. } => Outcome::Failed(Failure::Tool {
                tool: tool.clone(),
                message: "a test has no host: mock the tool".into(),
            }),
            other => Permissions::default().perform_alone(other),
        }
    }

    /// Runs a detached run to its end, in its own time.
    fn detach(&self, start: &DetachedStart) -> Outcome {
        let (loaded, services) = (Arc::clone(&self.run.loaded), Arc::clone(&self.run.services));
        let entry = Entry::Detached(Box::new(start.clone()));
        let report = Self::new(loaded, services, Script::default()).carry(&entry);
        let trouble = match report.map(|it| it.finished) {
            None => Some("it does not end".to_owned()),
            Some(finished) => match (finished.unmocked, finished.result) {
                (Some(message), _) | (None, RunResult::Internal(message)) => Some(message),
                _ => None,
            },
        };
        match trouble {
            Some(message) => Outcome::Failed(Failure::Other {
                message: format!("the detached run of `{}`: {message}", start.workflow),
            }),
            None => Outcome::Text(format!("detached-{}", self.performed)),
        }
    }

    fn draw(&mut self) -> u64 {
        drawn(&mut self.random)
    }
}

/// The next word of a script's own random numbers (xorshift64*).
fn drawn(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_F491_4F6C_DD1D)
}
