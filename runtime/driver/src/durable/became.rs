//! The results of recording, and the state of a run that others see.

use gsw_journal::list::Status;
use gsw_journal::writer::Journal;

/// Of what a run that begins is to be the only one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Only {
    OfItsId,
    /// Of those of its workflow and input that have not ended, as `--resume` means it.
    OfItsInput,
}

/// What happened to the beginning of a run.
pub(crate) enum Beginning {
    Begun,
    /// There is another one, where it is to be the only one.
    Exists(String),
    Failed(String),
}

/// What happens to a completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Noting {
    /// It is recorded, or will be; the run gets it.
    Noted,
    /// The run has given its operation up: it does not get it.
    Unwanted,
}

/// The state of a run as lists of runs show it, and as workers read it to find runs that are due.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Shown {
    GoesOn,
    /// It waits for the ends of other runs, so a process has to keep running it.
    Awaits {
        /// A description of what it waits for.
        waiting: String,
    },
    Waits {
        /// A description of what it waits for.
        waiting: String,
        /// When it is to be resumed if nothing happens before.
        wake: Option<i64>,
    },
}

impl Shown {
    pub(super) fn write_to(&self, journal: &Journal) {
        match self {
            Self::GoesOn => {
                journal.status(Status::Running, None);
                journal.wake(None);
            }
            Self::Awaits { waiting } => {
                journal.status(Status::Running, Some(waiting.clone()));
                journal.wake(None);
            }
            Self::Waits { waiting, wake } => {
                journal.status(Status::Waiting, Some(waiting.clone()));
                journal.wake(*wake);
            }
        }
    }
}
