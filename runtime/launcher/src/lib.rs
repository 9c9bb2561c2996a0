//! What a built program starts with: finds the image in its own file, checks it and runs it.

mod footer;
mod refusal;
mod run;

pub use refusal::Refusal;
pub use run::{run, run_if_bundled};
