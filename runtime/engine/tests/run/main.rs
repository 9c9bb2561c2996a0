//! Runs of hand-written compiled code: tasks, scopes, cancellation, and that nothing is left afterwards.

mod cancel;
mod memory;
mod parallel;
mod program;
mod scopes;
mod tasks;
