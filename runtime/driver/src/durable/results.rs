//! Whether a run's result is still to be delivered when the run has ended.

use gsw_engine::run::Start;
use gsw_journal::list::Status;

/// When the result of a run counts as delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Results {
    /// Its starter gets it in this process, or finds it in the store.
    AtItsEnd,
    /// When the process has written it out and reports that ([`RunStore::delivered`](super::store::RunStore::delivered)):
    /// should it die before, the next call of the program must get that result, and not another run.
    WhenSaid,
}

/// What has started a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StartedBy {
    /// A caller outside of the program, which wants its result.
    Caller,
    /// Another run, which finds its result in the store.
    Run,
}

impl StartedBy {
    pub(crate) fn of(start: &Start) -> Self {
        match start.parent {
            None => Self::Caller,
            Some(_) => Self::Run,
        }
    }
}

impl Results {
    /// Whether a run that ends so has a result that is still to be reported.
    pub(crate) const fn is_to_be_said(self, started_by: StartedBy, status: Status) -> bool {
        let has_result = match status {
            Status::Completed | Status::Failed => true,
            Status::Running | Status::Waiting | Status::Cancelled | Status::Diverged => false,
        };
        let is_awaited = match (self, started_by) {
            (Self::WhenSaid, StartedBy::Caller) => true,
            (Self::AtItsEnd, _) | (_, StartedBy::Run) => false,
        };
        has_result && is_awaited
    }
}
