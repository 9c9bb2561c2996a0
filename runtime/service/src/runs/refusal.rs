//! Why a command about runs was not done, and the exit code of that.

use gsw_driver::engine::resuming::NotResumed;
use gsw_driver::engine::standing::NotAdded;
use gsw_driver::external::NotTaken;
use gsw_journal::store::Error;

use crate::exit::Exit;

#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) why: String,
    pub(crate) exit: Exit,
}

/// Of a run that has ended it is the same whatever was asked of it: that is no wrong use of a command.
const fn exit_of(error: &Error) -> Exit {
    if let Error::Ended { .. } = error {
        return Exit::Refused;
    }
    Exit::Usage
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self {
            why,
            exit: Exit::Usage,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self {
            why: error.to_string(),
            exit: exit_of(&error),
        }
    }
}

impl From<NotTaken> for Refusal {
    fn from(error: NotTaken) -> Self {
        let exit = match &error {
            NotTaken::Over { .. } => Exit::Refused,
            NotTaken::NoRun { .. }
            | NotTaken::NotAsked { .. }
            | NotTaken::Several { .. }
            | NotTaken::Again { .. }
            | NotTaken::Unfit { .. }
            | NotTaken::Closed { .. }
            | NotTaken::Late { .. }
            | NotTaken::UnfitKey { .. }
            | NotTaken::AskedElsewhere { .. }
            | NotTaken::NotAPerson { .. }
            | NotTaken::Store { .. }
            | NotTaken::Full
            | NotTaken::Gone => Exit::Usage,
        };
        Self {
            why: error.to_string(),
            exit,
        }
    }
}

impl From<NotAdded> for Refusal {
    fn from(error: NotAdded) -> Self {
        let exit = match &error {
            NotAdded::Run(NotResumed::Store(error)) => exit_of(error),
            NotAdded::Ended { .. } => Exit::Refused,
            NotAdded::Run(
                NotResumed::NoStore
                | NotResumed::Unreadable { .. }
                | NotResumed::Behaviour { .. }
                | NotResumed::NoWorkflow { .. }
                | NotResumed::OtherBuild { .. },
            )
            | NotAdded::Diverged { .. }
            | NotAdded::NotInDoubt { .. }
            | NotAdded::NothingToUndo { .. }
            | NotAdded::UndoSettled { .. }
            | NotAdded::NothingToTry { .. }
            | NotAdded::NoResult { .. } => Exit::Usage,
        };
        Self {
            why: error.to_string(),
            exit,
        }
    }
}
