//! The end of a run: its value or error as data, and nothing left of its memory.

use gsw_abi::types::TypeId;
use gsw_notation::issue::Issue;

use crate::codec;
use crate::event::RunError;
use crate::node::{NodeId, Status, Tree};
use crate::run::Run;
use crate::task::{Ending, Role, State, Task};
use crate::wait::Wait;

/// A run that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How.
    pub result: RunResult,
    /// How long it took, in nanoseconds.
    pub duration: i64,
    /// All its nodes.
    pub tree: Tree,
    /// Objects that were not freed; anything but 0 is a bug of ours.
    pub live_objects: u64,
    /// What a test called first that only a mock can answer, also when it caught the error.
    pub unmocked: Option<String>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum RunResult {
    /// With a value, as JSON text.
    Value(String),
    /// With an error that nobody caught.
    Raised(Box<RunError>),
    /// It was told to end.
    Cancelled,
    /// It did not begin: its input does not fit.
    InvalidInput(Vec<Issue>),
    /// A mistake of ours.
    Internal(String),
}

impl Run {
    /// The run's own task has ended.
    pub(crate) fn finish_run(&mut self, ending: Ending) {
        let result = match ending {
            Ending::Value(value) => {
                let text = codec::encode(&self.heap, self.result, value);
                self.heap.release_typed(self.result, value);
                RunResult::Value(text)
            }
            Ending::Error(error) => {
                let described = self.described(error);
                self.heap.release(error);
                RunResult::Raised(described)
            }
            Ending::Cancelled => RunResult::Cancelled,
        };
        self.finished = Some(result);
        let root = self.root;
        self.unlist(root);
        self.tasks.remove(root);
        self.release_mocks();
        self.release_kept_results();
        self.release_states();
        self.heap.release_constants();
        self.collect_handles();
    }

    fn release_mocks(&mut self) {
        for closure in std::mem::take(&mut self.mocks).into_values().flatten() {
            self.heap.release(closure);
        }
    }

    /// How the run ended; one that has not is cancelled.
    pub fn take_finished(&mut self) -> Box<Finished> {
        self.leave_open_nodes();
        Box::new(Finished {
            result: self.finished.take().unwrap_or(RunResult::Cancelled),
            duration: self.now - self.began,
            tree: std::mem::take(&mut self.tree),
            live_objects: self.heap.live(),
            unmocked: self.unmocked.take(),
        })
    }

    /// Ends a run that has not begun.
    pub(crate) fn end_at_once(&mut self, result: RunResult) {
        self.finished = Some(result);
    }

    /// Ends the run because of a mistake of ours; what it holds is freed with its heap.
    pub fn fail_internally(&mut self, message: String) {
        self.finished = Some(RunResult::Internal(message));
    }

    /// Ends a cancelled run whose `defer`s take too long.
    pub(crate) fn drop_all(&mut self) {
        let ids: Vec<_> = self.tasks.ids().collect();
        for &id in &ids {
            self.drop_frames(id);
            let wait = std::mem::take(&mut self.tasks.at_mut(id).wait);
            self.drop_wait(wait);
        }
        for id in ids {
            let Task {
                ending,
                role,
                state,
                result,
                ..
            } = *self.tasks.at(id);
            // The endings of other roles were handed over when they were known.
            if role == Role::Spawned || state != State::Ended {
                self.release_ending(ending, result);
            }
            self.tasks.remove(id);
        }
        self.release_mocks();
        self.release_kept_results();
        self.release_states();
        self.heap.release_constants();
        // Handles go with what held them; the tasks that they name are gone.
        let _ = self.heap.take_dropped();
        self.finished = Some(RunResult::Cancelled);
    }

    /// What is still open when the run is given up was not told of its end: inner nodes first.
    fn leave_open_nodes(&mut self) {
        let open = |run: &Self| run.tree.totals().running + run.tree.totals().idle;
        let mut id = self.tree.len();
        while open(self) > 0 && id > 0 {
            id -= 1;
            self.leave_node(NodeId(id as u32), Status::Cancelled, None);
        }
    }

    fn drop_wait(&mut self, wait: Wait) {
        match wait {
            Wait::Await(word)
            | Wait::AwaitAll { handles: word, .. }
            | Wait::Race { handles: word, .. } => {
                self.heap.release(word);
            }
            Wait::Operation { id, .. } => self.operations.abandon(id),
            Wait::Stopping { id, grace } => {
                self.operations.abandon(id);
                self.operations.abandon(grace);
            }
            Wait::Parallel(parallel) => self.drop_parallel(&parallel),
            Wait::Prompt(prompt) => self.drop_prompt(*prompt),
            Wait::Reflect(reflecting) => self.drop_reflection(*reflecting),
            Wait::Nothing | Wait::Join | Wait::Abort | Wait::Ending | Wait::Keyed { .. } => {}
        }
    }

    fn release_ending(&mut self, ending: Option<Ending>, result: TypeId) {
        match ending {
            Some(Ending::Value(value)) => self.heap.release_typed(result, value),
            Some(Ending::Error(error)) => self.heap.release(error),
            Some(Ending::Cancelled) | None => {}
        }
    }
}
