//! The messages to a carrier, in the order in which the run gets it.

use gsw_engine::operation::{DetachedStart, Failure, OperationId, Outcome};
use gsw_engine::run::Run;
use serde_json::{Map, Value};

use crate::carrier::lasting::Resumption;
use crate::scripted::Entry;

#[derive(Debug)]
pub(super) enum Message {
    Begin {
        workflow: usize,
        input: Map<String, Value>,
    },
    BeginDetached(Box<DetachedStart>),
    Enter(Box<Entry>),
    Resume(Box<Resumption>),
    Completed {
        id: OperationId,
        outcome: Outcome,
        now: i64,
    },
    Look(Look),
    /// Nothing more can be written down.
    Unwritten(String),
    /// Nothing but a turn, which takes what the front asks for.
    Turn,
}

impl Message {
    pub(super) fn begins(&self) -> bool {
        match self {
            Self::Begin { .. } | Self::BeginDetached(_) | Self::Enter(_) | Self::Resume(_) => true,
            Self::Completed { .. } | Self::Look(_) | Self::Unwritten(_) | Self::Turn => false,
        }
    }

    pub(super) fn bring_to(self, run: &mut Run) {
        match self {
            Self::Begin { workflow, input } => run.start(workflow, &input),
            Self::BeginDetached(start) => run.start_detached(&start),
            Self::Enter(entry) => entry.begin(run),
            Self::Completed { id, outcome, now } => bring_outcome(run, id, outcome, now),
            Self::Look(Look(look)) => look(run),
            // Taken before a turn.
            Self::Resume(_) | Self::Unwritten(_) | Self::Turn => {}
        }
    }
}

/// An outcome that does not belong to its request is a bug in the performer, and the request has failed.
pub(crate) fn bring_outcome(run: &mut Run, id: OperationId, outcome: Outcome, now: i64) {
    if let Err(wrong) = run.complete(id, outcome, now) {
        let failure = Failure::Other {
            message: wrong.to_string(),
        };
        // Every request may fail.
        let _ = run.complete(id, Outcome::Failed(failure), now);
    }
}

/// A look at a run between two turns.
pub(super) struct Look(pub(super) Box<dyn FnOnce(&Run) + Send>);

impl std::fmt::Debug for Look {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Look")
    }
}
