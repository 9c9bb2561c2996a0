//! What a built program starts with: finds the image in its own file, checks it and runs it.

#![warn(clippy::wildcard_enum_match_arm)]
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod refusal;
mod run;

pub use refusal::Refusal;
pub use run::{load, run, run_if_bundled};
