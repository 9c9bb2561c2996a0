//! Checks `.gsw` files in a build script, compiles them, and generates typed Rust for what they take and give.
//!
//! ```no_run
//! // build.rs
//! groundswell_build::workflows("workflows/support.gsw");
//! ```
//!
//! writes `support.rs` and `support.image` into `OUT_DIR`, to be used by `groundswell::include_workflows!("support")`.

#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

mod build;
mod compile;
mod rust;

pub use build::workflows;
pub use compile::{BuildError, Built, compile, compile_written};
pub use rust::generate;
