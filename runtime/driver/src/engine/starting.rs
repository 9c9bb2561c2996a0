//! The ways to start a run of a workflow.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Canceller, Engine, RunHandle, RunOptions, Starting};
use crate::carrier::OnEnd;
use crate::engine::runs::{Entering, Started, new_id};

/// Why a run that is to be the only one of its input is not started.
#[derive(Debug)]
pub enum NotStarted {
    /// There is one, as text.
    Exists(String),
    /// It cannot be recorded, for this reason.
    Unwritten(String),
}

impl Engine {
    /// Starts a run of a workflow with its parameters by name.
    #[must_use]
    pub fn start(&self, workflow: usize, input: Map<String, Value>) -> RunHandle {
        let (sender, finished) = std::sync::mpsc::channel();
        let options = RunOptions {
            listener: None,
            // The receiver may be gone.
            on_end: Box::new(move |it| drop(sender.send(it))),
        };
        let canceller = self.start_with(workflow, input, options);
        RunHandle {
            canceller,
            finished,
        }
    }

    /// As [`Self::start`], unless a run of this workflow and input was interrupted. It is recorded before it begins, so that of
    /// several processes that start it at once one does.
    ///
    /// # Errors
    /// When there is such a run, or this one cannot be recorded.
    pub fn start_alone(
        &self,
        workflow: usize,
        input: Map<String, Value>,
    ) -> Result<RunHandle, NotStarted> {
        let (sender, finished) = std::sync::mpsc::channel();
        let on_end: OnEnd = Box::new(move |it| drop(sender.send(it)));
        let entering = Entering::Alone {
            index: workflow,
            input,
        };
        let id = new_id();
        match self.runs.start(Arc::clone(&id), entering, None, on_end) {
            Started::New(carrier) => Ok(RunHandle {
                canceller: Canceller { carrier, run: id },
                finished,
            }),
            Started::Elsewhere(why) => Err(NotStarted::Exists(why)),
            Started::Unwritten(why) => Err(NotStarted::Unwritten(why)),
            Started::Exists(_) => unreachable!("nobody else has this id"),
        }
    }

    /// Starts a run of a workflow and returns at once.
    #[must_use]
    pub fn start_with(
        &self,
        workflow: usize,
        input: Map<String, Value>,
        options: RunOptions,
    ) -> Canceller {
        match self.start_once(new_id(), workflow, input, options) {
            Starting::New(run) => run,
            Starting::Exists(_) => unreachable!("nobody else has this id"),
        }
    }

    /// Starts a run of this id, or says what happened to the one that has it already: however often it is asked for, there is
    /// one.
    #[must_use]
    pub fn start_once(
        &self,
        id: Arc<str>,
        workflow: usize,
        input: Map<String, Value>,
        options: RunOptions,
    ) -> Starting {
        let entering = Entering::Workflow {
            index: workflow,
            input,
        };
        let RunOptions { listener, on_end } = options;
        match self.runs.start(Arc::clone(&id), entering, listener, on_end) {
            Started::New(carrier) => Starting::New(Canceller { carrier, run: id }),
            Started::Exists(info) => Starting::Exists(info),
            Started::Elsewhere(_) | Started::Unwritten(_) => {
                unreachable!("only detached runs are written down before they begin")
            }
        }
    }
}
