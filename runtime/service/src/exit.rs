//! The exit codes of a program and of `gswc`, in one place.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    Done = 0,
    /// The workflow raised, or the source has errors.
    Raised = 1,
    /// Wrong usage of the command line.
    Usage = 2,
    Denied = 3,
    /// The image or its version is refused.
    Refused = 4,
    /// A fault of Groundswell itself.
    Internal = 70,
    /// Cancelled because the terminal has gone away.
    HungUp = 129,
    Cancelled = 130,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
