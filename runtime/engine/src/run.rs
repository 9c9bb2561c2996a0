//! One run: a deterministic event loop that compiled code sees as its context.
//!
//! A driver carries it by turns: [`Run::turn`] goes on until every task waits and gives the operations that are to be
//! performed, many of them in portions; [`Run::complete`] takes the outcome of one of them, and the next turn follows. Nothing else reaches a run:
//! no clock, no randomness, no order of threads. Both are called on a thread with a deep stack.

pub(crate) mod awaiting;
mod budget;
mod by_name;
mod cancel;
mod carried;
mod checker;
mod context;
mod deadlock;
mod describe;
mod drive;
pub mod effect;
mod ending;
mod finish;
pub mod human;
mod interrupt;
pub mod introspection;
mod joining;
pub mod lessons;
mod native;
mod outbox;
pub mod parallel;
pub mod prompt;
mod raise;
pub mod reflect;
mod retry;
pub(crate) mod spawn;
mod start;
pub(crate) mod state;
mod tell;
pub mod tool_key;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gsw_abi::layout::{Context, stop};

use crate::front::Front;
use crate::heap::Heap;
use crate::load::Loaded;
use crate::model::Prompts;
use crate::node::{NodeId, Tree};
use crate::operation::{Operation, OperationId, Outcome};
use crate::run::effect::Operations;
use crate::run::outbox::Outbox;
use crate::scope::Scopes;
use crate::task::{TaskId, Tasks};

pub use crate::event::{RunError, TracePlace};
pub use effect::{Abandoned, WrongOutcome};
pub use finish::{Finished, RunResult};
pub use start::{BEHAVIOUR, RunSettings, Start};

/// Makes the machines of prompt calls, where anything does.
struct Prompting(Option<Arc<dyn Prompts>>);

impl std::fmt::Debug for Prompting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Prompting").field(&self.0.is_some()).finish()
    }
}

/// One run.
#[derive(Debug)]
pub struct Run {
    /// What compiled code polls, and who stops the run writes to.
    pub(crate) front: Arc<Front>,
    /// The end of the stack that a turn may use.
    native_limit: u64,
    /// Whether the run as a whole was told to end.
    is_cancelled: bool,
    /// Whether it was told so while it was too busy to hear it.
    is_hurried: bool,
    /// Its memory.
    pub heap: Heap,
    /// The program.
    pub loaded: Arc<Loaded>,
    /// Makes the machines of prompt calls; without it every prompt fails.
    prompts: Prompting,
    /// What the process has settled for it.
    settings: RunSettings,
    /// What it says.
    outbox: Outbox,
    /// The keys that prompt calls hold which others may wait for, by their nodes.
    cache_keys: rustc_hash::FxHashMap<NodeId, String>,
    /// Its name in events.
    pub id: Arc<str>,
    /// Its tasks.
    pub tasks: Tasks,
    /// Its tree.
    pub tree: Tree,
    /// Its open scopes.
    pub scopes: Scopes,
    /// What it has asked for.
    pub operations: Operations,
    /// The tasks that can go on, first in, first out.
    pub ready: VecDeque<TaskId>,
    /// The task on the native stack.
    pub current: TaskId,
    /// How many frames the current task has.
    pub depth: u32,
    /// The latest time that an outcome brought, in nanoseconds since 1970.
    pub now: i64,
    /// When it began.
    pub began: i64,
    /// The state of its own random numbers, seeded from outside; only delays are drawn from it.
    pub random: u64,
    /// The number of the next event.
    pub events: u64,
    /// The runs of their own that are being started: from which node, which workflow.
    pub(crate) detaching: rustc_hash::FxHashMap<OperationId, (NodeId, Arc<str>)>,
    /// How decoding takes the texts of secrets.
    pub(crate) reads_secrets: crate::codec::checker::Secrets,
    /// The latest error that was told of.
    told: Option<describe::Told>,
    /// What reflections left behind.
    pub lessons: lessons::Lessons,
    /// The `state` variables of its workflows.
    pub(crate) states: state::States,
    /// What models may ask of the run.
    pub introspection: introspection::Introspection,
    /// The results of tool calls with keys.
    pub tool_keys: tool_key::ToolKeys,
    /// The closures that stand in for items, by the item's number, in order; only in tests.
    pub mocks: rustc_hash::FxHashMap<u64, Vec<u64>>,
    /// What a test called first that only a mock can answer.
    pub unmocked: Option<String>,
    /// The run's own task.
    pub root: TaskId,
    /// The type of the run's value.
    pub result: gsw_abi::types::TypeId,
    finished: Option<RunResult>,
}

// SAFETY: a run is used by one thread at a time, and every pointer in it is into its own memory or the loaded program.
unsafe impl Send for Run {}

/// What a turn ended with.
#[derive(Debug)]
pub enum Turn {
    /// Tasks can still go on, in another turn that nothing may come before. What they have asked for so far can begin.
    Busy {
        /// As in `Blocked`.
        operations: Vec<Operation>,
        /// As in `Blocked`.
        abandoned: Vec<Abandoned>,
    },
    /// Every task waits.
    Blocked {
        /// What is to be performed, in order of request.
        operations: Vec<Operation>,
        /// Operations whose outcomes are of no interest any more.
        abandoned: Vec<Abandoned>,
    },
    /// The run has ended.
    Done(Box<Finished>),
}

impl Run {
    /// The run behind a context.
    ///
    /// # Safety
    /// `context` is what [`Run::context`] gave to the code that calls, and nobody else is using the run during `'a`.
    #[must_use]
    pub unsafe fn of<'a>(context: *mut Context) -> &'a mut Self {
        // SAFETY: as this function demands; the address was stored when the code was entered.
        unsafe { &mut *(*context).run.load(Ordering::Relaxed).cast::<Self>() }
    }

    /// What compiled code gets as its first argument, for as long as this run stays where it is.
    pub fn context(&mut self) -> *mut Context {
        let run: *mut Self = self;
        self.front.enter(run.cast())
    }

    /// Goes on until every task waits, many operations are asked for, or the run has ended. What it says meanwhile goes to
    /// its port.
    pub fn turn(&mut self) -> Turn {
        self.enter_native();
        while self.finished.is_none() {
            if self.front.has(stop::CANCEL | stop::KILL) {
                self.heed_front();
            } else if let Some(task) = self.ready.pop_front() {
                self.drive(task);
                self.collect_handles();
                if self.operations.are_many() && !self.ready.is_empty() {
                    let (operations, abandoned) = self.operations.take_requested();
                    return Turn::Busy {
                        operations,
                        abandoned,
                    };
                }
            } else if self.operations.is_waiting() {
                let (operations, abandoned) = self.operations.take_requested();
                return Turn::Blocked {
                    operations,
                    abandoned,
                };
            } else {
                // Nothing can come from outside any more, so somebody waits in a circle.
                self.break_deadlock();
            }
        }
        Turn::Done(self.take_finished())
    }

    /// Takes the outcome of an operation, which came at `now` (nanoseconds since 1970). One that was abandoned is ignored.
    ///
    /// # Errors
    /// When the request cannot have such an outcome, which is refused: words of compiled code would be made of it. The
    /// operation stays outstanding.
    pub fn complete(
        &mut self,
        id: OperationId,
        outcome: Outcome,
        now: i64,
    ) -> Result<(), WrongOutcome> {
        self.enter_native();
        // A clock that was set back must not make durations negative.
        self.now = self.now.max(now);
        self.take_outcome(id, outcome)
    }

    /// Tells the run, at `now`, to end: everything is unwound, and `defer`s run.
    pub fn cancel(&mut self, reason: &str, now: i64) {
        self.enter_native();
        self.now = self.now.max(now);
        self.cancel_all(reason);
    }
}
