//! The end of a run: its value or error as data, and nothing left of its memory.

use gsw_abi::types::TypeId;
use gsw_notation::issue::Issue;

use crate::codec;
use crate::event::{RunError, State as Variables};
use crate::heap::Heap;
use crate::node::{NodeId, Status, Tree};
use crate::run::scheduler::Task;
use crate::run::undo::FailedUndos;
use crate::run::{Run, queue, reflect};
use crate::task::{Ending, Role, State};
use crate::wait::{Race, Wait};

/// A run that has ended.
#[derive(Debug)]
pub struct Finished {
    pub result: RunResult,
    /// How long it took, in nanoseconds.
    pub duration: i64,
    pub tree: Tree,
    /// Objects that were not freed; anything but 0 is a bug.
    pub live_objects: u64,
    /// What is wrong with a test besides its result: it called what nothing answers, or ended well and did not use up a script.
    pub fault: Option<String>,
    /// The `state` variables of its workflow as they were last.
    pub state: Variables,
    /// What the test has taken snapshots of, as JSON, in order.
    pub snapshots: Vec<String>,
    /// What could not be taken back, and what has been since.
    pub failed_undos: FailedUndos,
}

impl Finished {
    /// The end of a run of which nothing but its result is at hand.
    #[must_use]
    pub fn without_run(result: RunResult) -> Box<Self> {
        Box::new(Self {
            result,
            duration: 0,
            tree: Tree::default(),
            live_objects: 0,
            fault: None,
            state: Variables::default(),
            snapshots: Vec::new(),
            failed_undos: FailedUndos::default(),
        })
    }

    /// The end of a run that a bug of its driver took along.
    #[must_use]
    pub fn lost() -> Box<Self> {
        Self::without_run(RunResult::Internal("the driver of the run failed".into()))
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum RunResult {
    /// With a value, as JSON text.
    Value(String),
    /// With an error that was not caught.
    Raised(Box<RunError>),
    Cancelled,
    /// It did not begin: its input does not fit.
    InvalidInput(Vec<Issue>),
    Internal(String),
    /// It has not ended: its driver has left it, and it can be resumed.
    Left(Left),
}

/// A question without an answer, of a run that its process has left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenQuestion {
    /// Of the declaration.
    pub name: String,
    /// By what it is answered in its run: its name, or its number where several have that name.
    pub by: String,
    /// By what it is answered without its run, if it has a key that may be shown.
    pub key: Option<String>,
    /// The last time for an answer, in nanoseconds since 1970.
    pub due: Option<i64>,
}

/// Why a process stops running a run that has not ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Left {
    /// Its process is to end.
    Interrupted,
    /// It waits for a person, or for a long time: for what, as text.
    Parked {
        waiting: String,
        questions: Vec<OpenQuestion>,
    },
    /// What it asks for is not what it asked for before.
    Diverged { why: String },
    /// It cannot be recorded.
    Unwritten { why: String },
    /// The system has no thread for it.
    Uncarried { why: String },
}

impl std::fmt::Display for Left {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Interrupted => f.write_str("the run was interrupted"),
            Self::Parked { waiting, .. } => write!(f, "the run waits for {waiting}"),
            Self::Diverged { why } => write!(
                f,
                "the run asks for something else than it did before it was interrupted: {why}"
            ),
            Self::Unwritten { why } => write!(f, "the run cannot be written down: {why}"),
            Self::Uncarried { why } => write!(f, "the run cannot be carried: {why}"),
        }
    }
}

impl Run {
    /// The run's own task has ended.
    pub(crate) fn finish_run(&mut self, ending: Ending) {
        let result = match ending {
            Ending::Value(value) => {
                let text = codec::encode(&self.heap, self.completion.ty(), value);
                self.heap.release_typed(self.completion.ty(), value);
                RunResult::Value(text)
            }
            Ending::Error(error) => {
                let described = self.described(error);
                self.heap.release(error);
                RunResult::Raised(described)
            }
            Ending::Cancelled => RunResult::Cancelled,
        };
        let root = self.completion.root();
        self.last_state = self.main_state();
        self.completion.set(result);
        self.scheduler.unlist(root);
        self.scheduler.remove(root);
        self.streams.release(&mut self.heap);
        self.mocks.release(&mut self.heap);
        self.tool_keys.release(&mut self.heap);
        self.failed_undos = self.undos.outcome();
        self.undos.release(&mut self.heap);
        self.states.release(&mut self.heap);
        self.debug_end();
        // After everything that may hold a constant; what is live then is a leak, which tests report.
        self.heap.release_constants();
        self.collect_handles();
    }

    /// The `state` variables of the workflow that was started.
    #[must_use]
    pub fn main_state(&self) -> Variables {
        let tree = self.progress.tree();
        let main = tree.children(NodeId::ROOT).next();
        main.map(|it| self.states.of_workflow(&self.heap, it))
            .unwrap_or_default()
    }

    /// How the run ended; one that has not is cancelled.
    pub fn take_finished(&mut self) -> Box<Finished> {
        self.leave_open_nodes();
        let result = self.completion.take().unwrap_or(RunResult::Cancelled);
        let fault = match &result {
            RunResult::Value(_) => self.mocks.take_fault(),
            RunResult::Raised(_)
            | RunResult::Cancelled
            | RunResult::InvalidInput(_)
            | RunResult::Internal(_)
            | RunResult::Left(_) => self.mocks.take_unmocked(),
        };
        Box::new(Finished {
            result,
            duration: self.progress.duration(),
            tree: self.progress.take_tree(),
            live_objects: self.heap.live() + self.plans.leaked(),
            fault,
            snapshots: self.mocks.snapshots(),
            state: std::mem::take(&mut self.last_state),
            failed_undos: std::mem::take(&mut self.failed_undos),
        })
    }

    /// Ends the run because of a bug in the runtime; what it holds is freed with its heap.
    pub fn fail_internally(&mut self, message: String) {
        self.completion.set(RunResult::Internal(message));
    }

    /// Leaves the run because the system has no thread for what it needs.
    pub(crate) fn leave_uncarried(&mut self, why: String) {
        self.completion
            .set(RunResult::Left(Left::Uncarried { why }));
    }

    /// Ends a cancelled run whose `defer`s take too long.
    pub(crate) fn drop_all(&mut self) {
        let ids: Vec<_> = self.scheduler.ids().collect();
        for &id in &ids {
            // In two passes: frames and waits of all tasks first, since they may name other tasks, then the tasks.
            self.drop_frames(id);
            let wait = self.scheduler.take_wait(id);
            self.drop_wait(wait);
        }
        for id in ids {
            let Task {
                ending,
                role,
                state,
                result,
                ..
            } = *self.scheduler.task(id);
            // The endings of other roles were handed over when they were known.
            if role == Role::Spawned || state != State::Ended {
                release_ending(&mut self.heap, ending, result);
            }
            self.scheduler.remove(id);
        }
        self.mocks.release(&mut self.heap);
        self.tool_keys.release(&mut self.heap);
        self.failed_undos = self.undos.outcome();
        self.undos.release(&mut self.heap);
        self.states.release(&mut self.heap);
        self.debug_end();
        self.heap.release_constants();
        // Handles go with what held them; the tasks that they name are gone.
        let _ = self.heap.take_dropped();
        self.completion.set(RunResult::Cancelled);
    }

    /// Ends what is still open when the run is given up, inner nodes first.
    fn leave_open_nodes(&mut self) {
        let open = |run: &Self| {
            let totals = run.progress.tree().totals();
            totals.running + totals.idle
        };
        let mut id = self.progress.tree().len();
        // Numbers grow downwards in the tree, so walking back leaves inner nodes before those around them.
        while open(self) > 0 && id > 0 {
            id -= 1;
            self.leave_node(NodeId(id as u32), Status::Cancelled, None);
        }
        // The counts are without the run itself.
        self.leave_node(NodeId::ROOT, Status::Cancelled, None);
    }

    fn drop_wait(&mut self, wait: Wait) {
        match wait {
            Wait::Await(word)
            | Wait::AwaitAll { handles: word, .. }
            | Wait::Race(Race { handles: word, .. })
            | Wait::Part { stream: word, .. } => {
                self.heap.release(word);
            }
            Wait::Operation { id, .. } => self.operations.abandon(id),
            Wait::Stopping { id, grace } => {
                self.operations.abandon(id);
                self.operations.abandon(grace);
            }
            Wait::Parallel(parallel) => parallel.drop_with(self),
            Wait::Prompt(prompt) => prompt.drop_with(self),
            Wait::Session { session } => self.heap.release(session),
            Wait::Plan { plan, .. } => self.drop_plan(plan),
            Wait::Reflect(reflecting) => reflect::drop_reflection(&mut self.heap, *reflecting),
            wait @ (Wait::Push { .. } | Wait::Pop { .. } | Wait::Received { .. }) => {
                queue::leave_line(self, &wait);
            }
            Wait::Nothing
            | Wait::Undo
            | Wait::Join
            | Wait::Abort
            | Wait::Ending
            | Wait::Keyed { .. } => {}
        }
    }
}

fn release_ending(heap: &mut Heap, ending: Option<Ending>, result: TypeId) {
    match ending {
        Some(Ending::Value(value)) => heap.release_typed(result, value),
        Some(Ending::Error(error)) => heap.release(error),
        Some(Ending::Cancelled) | None => {}
    }
}
