//! What became of what was to be written down, and what others see of a run.

/// What became of the beginning of a run.
pub(crate) enum Beginning {
    Begun,
    /// There is one of its id.
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
    Waits {
        /// In words.
        waiting: String,
        /// When it is to be carried on, if nothing happens before.
        wake: Option<i64>,
    },
}
