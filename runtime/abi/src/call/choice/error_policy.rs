//! What happens to errors where several tasks are waited for at once.

use super::numbered::numbered;

/// What `parallel for` does with errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum ErrorPolicy {
    /// The first error wins and the rest is cancelled.
    First,
    /// All finish; the result is `[Result<T>]`, whose list type is the call's result type.
    Settle,
    /// All finish; one `Many` is raised.
    Merge,
}

numbered!(ErrorPolicy {
    First,
    Settle,
    Merge,
});

/// What `race` does with errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum RacePolicy {
    /// The first task to end decides, with its value or error; the rest is cancelled.
    First,
    /// The first value decides and the rest is cancelled; one `Many` is raised when all have failed.
    Merge,
}

numbered!(RacePolicy { First, Merge });
