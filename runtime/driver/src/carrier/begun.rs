//! What a carrier knows of an operation that it has begun.

use std::sync::Arc;

use gsw_engine::operation::{Failure, GivenUp, Operation, OperationId, Outcome};

use super::awaiting::Awaited;
use crate::carrier::Carrier;
use crate::durable::care::Care;
use crate::perform::Handle;
use crate::work::Abandoned;

/// An operation that has no outcome yet.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) handle: Handle,
    /// Who may answer it besides the performer, by this digest.
    pub(super) question: Option<String>,
    /// The run whose end it waits for.
    pub(super) awaits: Option<Arc<str>>,
    /// Nobody is here who could answer it.
    pub(super) is_unanswered: bool,
    pub(super) care: Care,
    /// Not before its intent is written, if it needs one.
    pub(super) is_begun: bool,
    /// Its outcome is still waited for, and nothing else of it.
    pub(super) is_given_up: bool,
}

impl Begun {
    /// Before it begins.
    pub(super) fn of(operation: &Operation, care: Care) -> Self {
        Self {
            handle: Handle::None,
            question: operation.request.question().map(str::to_owned),
            awaits: Awaited::by(&operation.request),
            is_unanswered: false,
            care,
            is_begun: false,
            is_given_up: false,
        }
    }
}

impl Carrier {
    /// Keeps what ends an operation that has just begun. It may be time for that already: what is performed on another thread than
    /// turns can be given up, or answered, while it begins.
    pub(super) fn keep_handle(self: &Arc<Self>, id: OperationId, handle: Handle) {
        let mut outside = self.outside();
        let Some(begun) = outside.begun.get_mut(&id) else {
            drop(outside);
            // Of no use where it has an outcome of its own, and then it does nothing.
            handle.end();
            return;
        };
        begun.handle = handle.clone();
        let is_given_up = begun.is_given_up;
        drop(outside);
        if is_given_up {
            self.end_given_up(id, handle, GivenUp::AwaitedFirst);
        }
    }

    /// Ends what the run has given up.
    pub(super) fn end_given_up(self: &Arc<Self>, id: OperationId, handle: Handle, how: GivenUp) {
        match (handle.end(), how) {
            // It waits for a thread perhaps, after work that takes long; that nothing will come of it is known at once.
            (Abandoned::Stopped, GivenUp::AwaitedFirst) => {
                self.complete(id, Outcome::Failed(Failure::Stopped));
            }
            (Abandoned::Stopped, GivenUp::Dropped)
            | (Abandoned::Finished | Abandoned::MustWait, _) => {}
        }
    }
}
