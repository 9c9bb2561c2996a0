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
    /// The run waits for a person, and can be resumed.
    Parked = 5,
    /// A fault of Groundswell itself.
    Internal = 70,
    /// Cancelled because the terminal has gone away.
    HungUp = 129,
    Cancelled = 130,
}

impl Exit {
    pub const ALL: [Self; 9] = [
        Self::Done,
        Self::Raised,
        Self::Usage,
        Self::Denied,
        Self::Refused,
        Self::Parked,
        Self::Internal,
        Self::HungUp,
        Self::Cancelled,
    ];

    /// The one of two that counts when a command does several things: the one with the larger number, which is that of the graver
    /// failure.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        std::cmp::max_by_key(self, other, |it| *it as u8)
    }

    /// What it says of a program's run.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "success",
            Self::Raised => "the workflow raised an error",
            Self::Usage => "invalid usage, or input that does not fit",
            Self::Denied => "permission denied",
            Self::Refused => {
                "the file is damaged or of another version, or a run has ended or does not go on as it began"
            }
            Self::Parked => "the run waits for an answer, and can be resumed",
            Self::Internal => "internal error of Groundswell",
            Self::HungUp => "cancelled because the terminal was closed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_worse_of_two_counts_in_either_order() {
        for (one, other) in [
            (Exit::Internal, Exit::Raised),
            (Exit::Raised, Exit::Internal),
        ] {
            assert_eq!(one.worse(other), Exit::Internal);
        }
        assert_eq!(Exit::Done.worse(Exit::Done), Exit::Done);
    }
}
