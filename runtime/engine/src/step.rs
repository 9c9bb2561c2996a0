//! How a call that may wait has ended.

/// What happened to a waiting call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// It has this value at once.
    Done(u64),
    /// It raises this at once.
    Raised(u64),
    /// The current task has a wait, which will end with either.
    Waiting,
}

impl From<Result<u64, u64>> for Step {
    fn from(result: Result<u64, u64>) -> Self {
        result.map_or_else(Self::Raised, Self::Done)
    }
}
