//! One run: a deterministic event loop that compiled code sees as its context.
//!
//! A driver carries it by turns: [`Run::turn`] goes on until every task waits and gives the operations that are to be
//! performed, many of them in portions; [`Run::complete`] takes the outcome of one of them, and the next turn follows. Nothing else reaches a run:
//! no clock, no randomness, no order of threads. Both are called on a thread of [`crate::turn_threads::TurnThreads`].

pub(crate) mod awaiting;
mod budget;
mod by_name;
mod cancel;
mod context;
mod deadlock;
mod describe;
mod drive;
pub mod effect;
mod ending;
mod finish;
pub mod human;
pub mod introspection;
mod joining;
pub mod lessons;
mod native;
pub mod parallel;
pub mod prompt;
mod raise;
pub mod reflect;
mod retry;
pub(crate) mod spawn;
mod start;
mod tell;
pub mod tool_key;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use gsw_abi::layout::{Context, stop};

use crate::heap::Heap;
use crate::load::Loaded;
use crate::node::Tree;
use crate::operation::{Operation, OperationId, Outcome};
use crate::run::effect::Operations;
use crate::scope::Scopes;
use crate::services::Services;
use crate::task::{TaskId, Tasks};

pub use crate::event::{RunError, TracePlace};
pub use finish::{Finished, RunResult};
pub use start::Start;

/// How much of its stack a turn may use; the threads have more.
const TURN_STACK: u64 = 16 << 20;

/// One run. Its front is what compiled code gets as its first argument.
#[repr(C)]
#[derive(Debug)]
pub struct Run {
    /// What compiled code touches by itself.
    pub context: Context,
    /// Its memory.
    pub heap: Heap,
    /// The program.
    pub loaded: Arc<Loaded>,
    /// What the process gives to all its runs.
    pub services: Arc<Services>,
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
    pub(crate) detaching: rustc_hash::FxHashMap<OperationId, (crate::node::NodeId, Arc<str>)>,
    /// How decoding takes the texts of secrets.
    pub(crate) reads_secrets: crate::codec::checker::Secrets,
    /// The latest error that was told of.
    told: Option<describe::Told>,
    /// What reflections left behind.
    pub lessons: lessons::Lessons,
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
        abandoned: Vec<OperationId>,
    },
    /// Every task waits.
    Blocked {
        /// What is to be performed, in order of request.
        operations: Vec<Operation>,
        /// Operations whose outcomes are of no interest any more.
        abandoned: Vec<OperationId>,
    },
    /// The run has ended.
    Done(Box<Finished>),
}

impl Run {
    /// The run behind a context.
    ///
    /// # Safety
    /// `context` is the front of a `Run` that nobody else is using during `'a`.
    #[must_use]
    pub unsafe fn of<'a>(context: *mut Context) -> &'a mut Self {
        // SAFETY: as this function demands.
        unsafe { &mut *context.cast::<Self>() }
    }

    /// Goes on until every task waits, many operations are asked for, or the run has ended.
    pub fn turn(&mut self) -> Turn {
        self.enter_native();
        while self.finished.is_none() {
            if let Some(task) = self.ready.pop_front() {
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
    pub fn complete(&mut self, id: OperationId, outcome: Outcome, now: i64) {
        self.enter_native();
        // A clock that was set back must not make durations negative.
        self.now = self.now.max(now);
        self.take_outcome(id, outcome);
    }

    /// Tells the run to end: everything is unwound, and `defer`s run.
    pub fn cancel(&mut self, reason: &str) {
        self.enter_native();
        self.cancel_all(reason);
    }

    /// Compiled code may use so much of the stack from here on.
    pub(crate) fn enter_native(&mut self) {
        let mark = 0u8;
        let here = std::hint::black_box(&raw const mark).addr() as u64;
        self.limit_stack(here.saturating_sub(TURN_STACK));
        if self.is_stopping() {
            // Looked at after the limit was set, because who stops the run sets the flag before the limit.
            self.limit_stack(u64::MAX);
        }
    }

    /// Calls below this address raise; other threads may write it too.
    pub(crate) fn limit_stack(&mut self, limit: u64) {
        // SAFETY: while a run is shared with who may stop it, the limit is written only atomically.
        unsafe { AtomicU64::from_ptr(&raw mut self.context.stack_limit) }
            .store(limit, Ordering::SeqCst);
    }

    /// Whether the run was told to stop at the next loop or call.
    pub(crate) fn is_stopping(&mut self) -> bool {
        // SAFETY: the flag is written by other threads, and only atomically.
        let flag = unsafe { AtomicU32::from_ptr(&raw mut self.context.stop) };
        flag.load(Ordering::SeqCst) & stop::RUN != 0
    }
}
