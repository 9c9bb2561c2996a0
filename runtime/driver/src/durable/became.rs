//! What became of what was to be written down, and what others see of a run.

use gsw_journal::list::Status;
use gsw_journal::writer::Journal;

/// Of what a run that begins is to be the only one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Only {
    OfItsId,
    /// Of those of its workflow and input that have not ended, as `--resume` means it.
    OfItsInput,
}

/// What became of the beginning of a run.
pub(crate) enum Beginning {
    Begun,
    /// There is another one, where it is to be the only one.
    Exists(String),
    Failed(String),
}

/// What becomes of a completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Noting {
    /// It is written down, or will be; the run gets it.
    Noted,
    /// The run has given its operation up: it does not get it.
    Unwanted,
}

/// What lists of runs show of one, and what workers that look for due runs read.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Shown {
    GoesOn,
    /// It waits for the ends of other runs, and has to be carried.
    Awaits {
        /// In words.
        waiting: String,
    },
    Waits {
        /// In words.
        waiting: String,
        /// When it is to be carried on, if nothing happens before.
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
