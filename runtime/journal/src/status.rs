//! The status of a run, as a store keeps it.

use gsw_abi::run_status::RunStatus;

/// How far a run is, as its owner last wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Running,
    /// For a person or something outside, or for a long time.
    Waiting,
    Completed,
    Failed,
    Cancelled,
    /// What its program asked for was not what it had asked for before.
    Diverged,
}

impl Status {
    const ALL: [Self; 6] = [
        Self::Running,
        Self::Waiting,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Diverged,
    ];

    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Running => 0,
            Self::Waiting => 1,
            Self::Completed => 2,
            Self::Failed => 3,
            Self::Cancelled => 4,
            Self::Diverged => 5,
        }
    }

    pub(crate) fn of(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.number() == number)
    }

    /// As people see it of a run that a process carries or that has ended.
    #[must_use]
    pub const fn shown(self) -> RunStatus {
        match self {
            Self::Running => RunStatus::Running,
            Self::Waiting => RunStatus::Waiting,
            Self::Completed => RunStatus::Completed,
            Self::Failed => RunStatus::Failed,
            Self::Cancelled => RunStatus::Cancelled,
            Self::Diverged => RunStatus::Diverged,
        }
    }

    /// Whether the run has ended.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled => true,
            Self::Running | Self::Waiting | Self::Diverged => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    /// Queries name them by their numbers, and so do the stores that exist.
    #[test]
    fn numbers_are_those_in_queries() {
        let ended = Status::ALL.into_iter().filter(|it| it.is_final());
        let ended: Vec<i64> = ended.map(Status::number).collect();
        assert_eq!(ended, [2, 3, 4]);
        assert_eq!(Status::Running.number(), 0);
        assert_eq!(Status::Waiting.number(), 1);
        for status in Status::ALL {
            assert_eq!(Status::of(status.number()), Some(status));
        }
    }
}
