//! What performs operations, and what ends one that is not needed any more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gsw_engine::operation::Request;
use tokio::task::AbortHandle;

use crate::allowance::Allowance;
use crate::call::Call;
use crate::commands::CommandHandle;
use crate::external::Waiting;
use crate::work::{Abandoned, Completion, Work};

/// Work on files that is being done when its run ends is waited for this long.
const PATIENCE: Duration = Duration::from_secs(2);

/// Performs requests. The carrier of a run guards every call: a panic is a failure of that operation.
pub(crate) trait Perform: Send + Sync {
    /// Begins; the outcome goes to the outlet, now or later. What is given back ends it early.
    fn perform(&self, request: Request, call: Call, outlet: Outlet) -> Handle;

    /// Whether this process can receive answers from outside.
    fn outside(&self) -> FromOutside {
        FromOutside::Comes
    }

    /// All runs wait: those that cannot be answered here may be left.
    fn all_rest(&self) {}

    /// A run waits for the ends of other runs, and for nothing else.
    fn awaits_runs(&self, _run: &Arc<str>) {}
}

/// Whether answers from outside reach a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FromOutside {
    Comes,
    /// Nothing here brings them. A recorded run waits for one without a process.
    NeverComes,
}

/// Where an outcome goes, and the memory that it may take.
#[derive(Debug)]
pub(crate) struct Outlet {
    pub(crate) completion: Completion,
    /// What the run's memory leaves.
    pub(crate) allowance: Allowance,
}

#[derive(Clone, Debug)]
pub(crate) enum Handle {
    /// There is nothing to end.
    None,
    /// What waits for the network, a host or a person is dropped.
    Task(AbortHandle),
    /// An answer from outside is not waited for any more.
    External(Waiting),
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
            Self::External(waiting) => waiting.end(),
            Self::Command(command) => {
                command.abandon();
                // What it had begun ends with it, and it says when that is so.
                Abandoned::MustWait
            }
            Self::Files(work) => match work.abandon() {
                // Until it has noticed, what it has written so far is beside its place.
                Abandoned::Stopped if !work.has_ended() => Abandoned::MustWait,
                abandoned @ (Abandoned::Stopped | Abandoned::Finished | Abandoned::MustWait) => {
                    abandoned
                }
            },
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use gsw_engine::operation::Outcome;

    use super::Handle;
    use crate::pool::Pool;
    use crate::work::{Abandoned, Completion, Job, Work};

    #[test]
    fn work_on_files_that_has_begun_is_waited_for_and_what_waits_in_the_queue_is_not() {
        let pool = Pool::new("test", 1);
        let ((begins, begun), (release, held)) = (channel(), channel::<()>());
        let (going, queued) = (Work::default(), Work::default());
        let perform = move |_: &Work| {
            let _ = begins.send(());
            let _ = held.recv();
            Outcome::Done
        };
        let nobody = || Completion::new(drop);
        pool.run(Job::new(going.clone(), perform, nobody()));
        pool.run(Job::new(queued.clone(), |_| Outcome::Done, nobody()));
        assert_eq!(begun.recv(), Ok(()));
        assert_eq!(Handle::Files(queued).end(), Abandoned::Stopped);
        assert_eq!(Handle::Files(going.clone()).end(), Abandoned::MustWait);
        drop(release);
        Handle::end_all(vec![Handle::Files(going.clone())]);
        assert!(going.has_ended());
    }
}
