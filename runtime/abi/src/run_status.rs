//! How far a run is, as people, programs and hosts see it: one word.

/// In the order of `std/runs`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunStatus {
    /// It continues.
    Running,
    /// For a person or something outside, or for a long time.
    Waiting,
    /// It waits, and no process runs it.
    Parked,
    /// It has not ended, and its process does not run it any more.
    Interrupted,
    /// It has ended with a value.
    Completed,
    /// It has ended with an error, or could not begin.
    Failed,
    /// It has ended because it was cancelled.
    Cancelled,
    /// What its program asked for was not what it had asked for before.
    Diverged,
}

impl RunStatus {
    pub const ALL: [Self; 8] = [
        Self::Running,
        Self::Waiting,
        Self::Parked,
        Self::Interrupted,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Diverged,
    ];

    /// As programs write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Parked => "parked",
            Self::Interrupted => "interrupted",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Diverged => "diverged",
        }
    }
}
