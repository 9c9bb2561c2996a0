//! Where a run's notices go: what it says without wanting an answer.

use crate::event::{Event, Verdict};
use crate::operation::OperationId;

/// So many notices leave a turn together. A guess: enough that handing them over costs little beside making them, and few
/// enough that a turn without end holds a bounded number.
pub(crate) const AT_ONCE: usize = 256;

/// Something that a run says.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Something has happened.
    Event(Event),
    /// What has become of an answer to a question.
    Answered {
        /// Which operation asked.
        operation: OperationId,
        /// The digest of the question.
        digest: String,
        /// Whether it counts.
        verdict: Verdict,
    },
    /// A prompt call has no answer for the key that others may wait for.
    LetGo {
        /// 64 hex digits.
        key: String,
    },
}

/// Takes the notices of one run, in order, at the end of each turn and during long ones. It gives nothing back, so nothing
/// that a run does depends on who listens.
pub trait Port: Send {
    /// Whether events are of any use; notices of other kinds always are.
    fn wants_events(&self) -> bool;

    /// Takes notices.
    fn take(&mut self, notices: Vec<Notice>);
}

/// Listens to nothing.
#[derive(Debug, Default)]
pub struct Deaf;

impl Port for Deaf {
    fn wants_events(&self) -> bool {
        false
    }

    fn take(&mut self, _notices: Vec<Notice>) {}
}
