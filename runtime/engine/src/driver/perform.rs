//! What performs operations, and what ends one that nobody wants any more.

use tokio::task::AbortHandle;

use crate::driver::call::{Call, Completion};
use crate::driver::process::Group;
use crate::operation::Request;

/// Performs requests. The one who carries a run guards every call: a panic is a failure of that operation.
pub(crate) trait Perform: Send + Sync {
    /// Begins; the outcome goes to `completion`, now or later. What is given back ends it early.
    fn perform(&self, request: Request, call: Call, completion: Completion) -> Handle;
}

/// Ends an operation early.
#[derive(Debug)]
pub(crate) enum Handle {
    /// There is nothing to end.
    None,
    /// What waits for the network, a host or a person is dropped.
    Task(AbortHandle),
    /// A program of the system is killed; it still completes.
    Process(Group),
}

impl Handle {
    /// Ends it.
    pub(crate) fn end(self) {
        match self {
            Self::None => {}
            Self::Task(task) => task.abort(),
            Self::Process(group) => group.kill(),
        }
    }
}
