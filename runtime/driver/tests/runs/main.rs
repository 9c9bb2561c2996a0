//! Runs of hand-written compiled code: tasks, scopes, cancellation, and that nothing is left afterwards.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every function here plays compiled code, whose promises the table of calls states"
)]

mod cancel;
mod depth;
mod engine;
mod memory;
mod parallel;
mod program;
mod prompts;
mod scopes;
mod tasks;
