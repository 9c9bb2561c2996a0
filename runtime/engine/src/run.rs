//! One run: a deterministic event loop that compiled code sees as its context.
//!
//! **Idea.** A run is a function from a program, its input and the outcomes of what it asks for to a value, a tree and a stream
//! of events. A driver carries it by turns: [`Run::turn`] runs until every task waits and returns the operations that are to be
//! performed, many of them in portions; [`Run::complete`] takes the outcome of one of them, and the next turn follows. In
//!
//! ```gsw
//! let page = fs.read("a.txt")
//! let brief = summarize(page)
//! ```
//!
//! the first turn gives one operation, `fs.read`, and is blocked; its text comes in through `complete`, and the next turn
//! gives the request to the model.
//!
//! **Invariants.**
//! - Outcomes enter in one place, `complete`, which is where a journal would be, and operations leave in one place, with an
//!   identity that is the same in every life of the run (`operations`). All other notices need no answer and change nothing
//!   (`progress`).
//! - No clock, no randomness, no order of threads reaches a run: time comes with outcomes, and delays are drawn from a seed.
//! - A task runs until it waits; then the one that has been ready longest follows (`scheduler`). What waits has exactly one
//!   `Wait`, which owns the words in it, and is resumed exactly once.
//! - A task ends after the tasks that belong to its node (`ending`, `joining`), so when the root has ended nothing is left.
//! - What stops a run from outside is in its [`Front`]; code that waits for nothing polls it (`interrupt`).
//!
//! The state is in parts with private fields. A method of `Run` joins several of them; what concerns one is its own. `turn` and
//! `complete` are called on a thread with a deep stack.

pub(crate) mod awaiting;
pub(crate) mod budget;
pub(crate) mod by_name;
mod call_stack;
mod cancel;
mod carried;
mod checker;
mod completion;
pub(crate) mod context;
mod deadlock;
pub(crate) mod debugging;
mod describe;
mod doubts;
mod drive;
mod ending;
mod environment;
mod finish;
pub(crate) mod handles;
pub mod human;
pub mod input;
mod interrupt;
pub mod introspection;
mod jitter;
mod joining;
pub(crate) mod keyed_call;
mod mocks;
mod model_access;
mod native;
mod nesting;
mod nodes;
pub mod operations;
mod outcome;
pub mod parallel;
pub(crate) mod plans;
mod progress;
pub mod prompt;
pub mod queue;
pub(crate) mod raise;
pub mod reflect;
pub mod reflection_log;
mod request;
pub(crate) mod retry;
mod scheduler;
pub(crate) mod script;
pub(crate) mod sessions;
pub(crate) mod skills;
pub(crate) mod spawn;
mod start;
pub(crate) mod states;
pub(crate) mod stream;
pub mod tool_key;
pub(crate) mod undo;
pub(crate) mod words;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gsw_abi::layout::{Context, stop};

use crate::codec::checker::Secrets;
use crate::event::State;
use crate::front::Front;
use crate::heap::Heap;
use crate::load::Loaded;
use crate::node::Tree;
use crate::operation::{Operation, OperationId, Outcome};
use crate::run::call_stack::CallStack;
use crate::run::completion::Completion;
use crate::run::deadlock::Suspects;
use crate::run::debugging::Debugging;
use crate::run::debugging::recording::Given;
use crate::run::describe::ReportedErrors;
use crate::run::doubts::Doubts;
use crate::run::environment::Environments;
use crate::run::interrupt::Shutdown;
use crate::run::introspection::Introspection;
use crate::run::jitter::Jitter;
use crate::run::mocks::Mocks;
use crate::run::model_access::ModelAccess;
use crate::run::nesting::Nesting;
use crate::run::operations::Operations;
use crate::run::plans::Plans;
use crate::run::progress::Progress;
use crate::run::queue::Lines;
use crate::run::reflection_log::ReflectionLog;
use crate::run::scheduler::Scheduler;
use crate::run::sessions::Sessions;
use crate::run::states::States;
use crate::run::stream::Streams;
use crate::run::tool_key::ToolKeys;
use crate::run::undo::Undos;
use crate::scope::Scopes;

pub use crate::event::{ErrorPart, RunError, TracePlace};
pub use crate::hidden::Hiding;
pub use doubts::CANCELLED;
pub use finish::{Finished, Left, OpenQuestion, RunResult};
pub use interrupt::Interruption;
pub use operations::{Abandoned, WrongOutcome};
pub use start::{BEHAVIOUR, MocksInTests, PromptsInTests, RunSettings, Start};
pub use undo::{FailedUndos, NotUndone, SettledHow, SettledUndo, UndoStanding, UndoWish, Whose};

#[derive(Debug)]
pub struct Run {
    /// What compiled code polls, and what stops the run writes to.
    pub(crate) front: Arc<Front>,
    /// The values of the program.
    pub(crate) heap: Heap,
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) scheduler: Scheduler,
    pub(crate) suspects: Suspects,
    /// Of the task that has the thread.
    pub(crate) stack: CallStack,
    pub(crate) progress: Progress,
    pub(crate) operations: Operations,
    /// What may have been done although it was given up.
    pub(crate) doubts: Doubts,
    /// Open `timeout`s and `budget`s.
    pub(crate) scopes: Scopes,
    pub(crate) models: ModelAccess,
    pub(crate) reflection_log: ReflectionLog,
    /// The `state` variables of its workflows.
    pub(crate) states: States,
    /// What models may ask of the run.
    pub(crate) introspection: Introspection,
    /// What models have asked of each other.
    pub(crate) nesting: Nesting,
    /// What its models may read.
    pub(crate) skills: skills::Offered,
    /// The programs that its models have written.
    pub(crate) plans: Plans,
    /// What the tools of its models find in the environment.
    pub(crate) environments: Environments,
    pub(crate) tool_keys: ToolKeys,
    /// What is taken back where a workflow fails.
    pub(crate) undos: Undos,
    pub(crate) sessions: Sessions,
    /// The tasks that wait at queues.
    lines: Lines,
    pub(crate) streams: Streams,
    pub(crate) mocks: Mocks,
    jitter: Jitter,
    reported_errors: ReportedErrors,
    shutdown: Shutdown,
    completion: Completion,
    pub(crate) debugging: Debugging,
    /// The `state` variables of its workflow when it ended.
    last_state: State,
    /// What could not be taken back when it ended.
    failed_undos: FailedUndos,
    /// How decoding takes the texts of secrets.
    pub(crate) reads_secrets: Secrets,
}

// SAFETY: a run is used by one thread at a time, and every pointer in it is into its own memory or the loaded program.
unsafe impl Send for Run {}

/// What a turn ended with.
#[derive(Debug)]
pub enum Turn {
    /// Tasks are still ready, and need another turn that nothing may come before. What they have asked for so far can
    /// begin.
    Busy {
        operations: Vec<Operation>,
        abandoned: Vec<Abandoned>,
    },
    Blocked {
        /// What is to be performed, in order of request.
        operations: Vec<Operation>,
        /// Operations whose outcomes are ignored.
        abandoned: Vec<Abandoned>,
    },
    Done(Box<Finished>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pause {
    /// So many operations are requested that the driver should begin them first.
    Busy,
    /// Every task waits.
    Blocked,
    /// It has ended.
    Over,
}

impl Run {
    /// The run of a context.
    ///
    /// # Safety
    /// `context` is what [`Run::context`] gave to the code that calls, and nothing else uses the run during
    /// `'a`.
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

    #[must_use]
    pub fn id(&self) -> &Arc<str> {
        self.progress.run()
    }

    /// Its tree as it is, between two turns.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        self.progress.tree()
    }

    /// Its time, in nanoseconds since 1970: the latest that an outcome brought.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.progress.now()
    }

    /// What observers do not see of the run.
    #[must_use]
    pub fn hiding(&self) -> Hiding {
        Hiding(self.heap.hidden())
    }

    /// What observers see of a few words about an operation.
    #[must_use]
    pub fn shown_summary(&self, summary: &str) -> String {
        self.heap.shown_summary(summary)
    }

    /// Runs until every task waits, many operations are requested, or the run has ended. Its notices go to its port
    /// meanwhile.
    pub fn turn(&mut self) -> Turn {
        self.enter_native();
        let pause = self.go_on();
        if pause == Pause::Over {
            return Turn::Done(self.take_finished());
        }
        let (operations, abandoned) = self.operations.take_requested();
        match pause {
            Pause::Busy => Turn::Busy {
                operations,
                abandoned,
            },
            Pause::Blocked | Pause::Over => Turn::Blocked {
                operations,
                abandoned,
            },
        }
    }

    fn go_on(&mut self) -> Pause {
        while !self.completion.is_known() {
            // Before every task, so that a stop takes effect between two of them and not only at the end of the turn.
            if self.front.has(stop::CANCEL | stop::KILL) {
                self.poll_front();
            } else if self.goes_on_with_next() {
                // A `parallel for` over a million items would otherwise ask for all of them before the first could begin. The driver starts
                // what is there and calls again at once, so the order in the run stays the same.
                if self.operations.are_many() && self.scheduler.has_ready() {
                    return Pause::Busy;
                }
            } else if self.operations.is_waiting() || self.undos.awaits_wish() {
                if !self.break_cycles() {
                    return Pause::Blocked;
                }
            } else {
                // Nothing can come from outside any more, so tasks wait for each other in a cycle.
                self.break_deadlock();
            }
        }
        Pause::Over
    }

    /// Resumes the task that has been ready longest, else a program that a model has written; returns whether there was one.
    fn goes_on_with_next(&mut self) -> bool {
        if let Some(task) = self.scheduler.next_ready() {
            self.drive(task);
            // Between two tasks, when no compiled code is on the stack that could still name a task by a handle.
            self.collect_handles();
            return true;
        }
        let plan = self.plans.next_ready();
        if let Some(plan) = plan {
            self.drive_plan(plan);
        }
        plan.is_some()
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
        self.progress.advance(now);
        if !self.debugging.is_on() {
            return self.take_outcome(id, outcome);
        }
        let kept = outcome.clone();
        self.take_outcome(id, outcome)?;
        self.debugging.keep(|| Given::Outcome {
            id,
            outcome: kept,
            now,
        });
        Ok(())
    }

    /// Cancels the run at `now`: everything is unwound, and `defer`s run.
    pub fn cancel(&mut self, reason: &str, now: i64) {
        self.enter_native();
        self.progress.advance(now);
        self.debugging.keep(|| Given::Cancel {
            reason: reason.to_owned(),
            now,
        });
        self.cancel_all(reason);
    }
}
