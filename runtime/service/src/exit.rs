//! The exit codes of a program and of `gswc`, in one place.

/// How a process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// The workflow raised, or the source has errors.
    Raised = 1,
    /// Wrong usage of the command line.
    Usage = 2,
    /// A permission was missing.
    Denied = 3,
    /// The image or its version is refused.
    Refused = 4,
    /// A fault of Groundswell itself.
    Internal = 70,
    /// Cancelled because the terminal has gone away.
    HungUp = 129,
    /// Cancelled from outside.
    Cancelled = 130,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
