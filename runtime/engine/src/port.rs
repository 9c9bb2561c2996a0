//! Where a run's notices go: what it says without wanting an answer.

use crate::event::{Event, Verdict};
use crate::exchange::Exchange;
use crate::operation::OperationId;

/// Something that a run says.
#[derive(Clone, Debug)]
pub enum Notice {
    Event(Event),
    /// What happened to an answer to a question.
    Answered {
        operation: OperationId,
        /// The digest of the question.
        digest: String,
        verdict: Verdict,
    },
    /// A prompt call has no answer for the key that others may wait for.
    LetGo {
        /// 64 hex digits.
        key: String,
    },
    /// A request to a model has ended.
    Exchanged(Box<Exchange>),
}

/// Takes the notices of one run, in order and each at once, so that an endless turn is seen to make progress and holds
/// nothing back. It returns nothing, so nothing that a run does depends on its listeners.
pub trait Port: Send {
    /// Whether events are wanted; other notices always are.
    fn wants_events(&self) -> bool;

    /// Whether exchanges with models are wanted: they are recorded, or a recording answers in place of models.
    fn wants_exchanges(&self) -> bool {
        false
    }

    fn take(&mut self, notice: Notice);
}

#[derive(Debug, Default)]
pub struct Deaf;

impl Port for Deaf {
    fn wants_events(&self) -> bool {
        false
    }

    fn take(&mut self, _notice: Notice) {}
}
