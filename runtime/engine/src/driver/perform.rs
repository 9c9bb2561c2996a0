//! What performs operations, and what ends one that nobody wants any more.

use std::time::{Duration, Instant};

use tokio::task::AbortHandle;

use crate::driver::call::Call;
use crate::driver::commands::CommandHandle;
use crate::driver::room::Room;
use crate::driver::work::{Abandoned, Completion, Work};
use crate::operation::Request;

/// Work on files that is being done when its run ends is waited for so long.
const PATIENCE: Duration = Duration::from_secs(2);

/// Performs requests. Whoever carries a run guards every call: a panic is a failure of that operation.
pub(crate) trait Perform: Send + Sync {
    /// Begins; the outcome goes to the outlet, now or later. What is given back ends it early.
    fn perform(&self, request: Request, call: Call, outlet: Outlet) -> Handle;
}

/// Where an outcome goes, and what there is room for.
#[derive(Debug)]
pub(crate) struct Outlet {
    pub(crate) completion: Completion,
    /// What the run's memory leaves.
    pub(crate) room: Room,
}

/// Ends an operation early.
#[derive(Debug)]
pub(crate) enum Handle {
    /// There is nothing to end.
    None,
    /// What waits for the network, a host or a person is dropped.
    Task(AbortHandle),
    /// A program of the system is killed; it still completes.
    Command(CommandHandle),
    /// Work on files that has changed nothing yet never will.
    Files(Work),
}

impl Handle {
    /// Ends it, and says whether its outcome is still to be waited for.
    pub(crate) fn end(self) -> Abandoned {
        match self {
            Self::None => Abandoned::MustWait,
            Self::Task(task) => {
                task.abort();
                Abandoned::Stopped
            }
            Self::Command(command) => {
                command.abandon();
                // What it had begun ends with it, and it says when that is so.
                Abandoned::MustWait
            }
            Self::Files(work) => work.abandon(),
        }
    }

    /// Ends all that a run had begun. Files that are being written are waited for: the process may end next, and would leave
    /// half of them beside their places.
    pub(crate) fn end_all(handles: Vec<Self>) {
        let mut files = Vec::new();
        for handle in handles {
            if let Self::Files(work) = &handle {
                files.push(work.clone());
            }
            handle.end();
        }
        let due = Instant::now() + PATIENCE;
        for work in files {
            work.wait_for_end(due);
        }
    }
}
