//! Runs Groundswell workflows inside of a Rust program.
//!
//! A [`Program`] is a compiled `.gsw` file, a [`Host`] is a program with what its runs may use, and a [`Run`] is a future:
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use groundswell::{Host, Program};
//!
//! let program = Program::from_file("review.gswi")?;
//! let host = Host::builder(program).model("sim/default").build()?;
//! let titles: Vec<String> = host.start("main", &serde_json::json!({ "dir": "src" }))?.await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Run::events`] streams what happens, [`Run::finish`] returns the tree. Dropping a run cancels it cleanly: its `defer`s run.
//! Runs proceed by themselves, on threads of the engine, and use all cores; any executor can await them.

#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

mod error;
mod events;
mod host;
mod human;
mod input;
mod kept;
mod program;
mod run;
mod tool;
mod value;
#[doc(hidden)]
pub mod variant;

pub use error::{Error, HostError};
pub use events::{Events, QUEUE};
pub use gsw_abi::run_status::RunStatus;
pub use gsw_driver::external::{Address, First, NotTaken, Taken};
pub use gsw_engine::run::{ErrorPart, RunError, TracePlace};
pub use gsw_notation::issue::Issue;
pub use gsw_tree::event::{Event, EventKind, Level, LogLine, Verdict};
pub use gsw_tree::node::{Node, NodeId, Status, Tree};
pub use host::{Host, HostBuilder};
pub use human::Question;
#[doc(hidden)]
pub use indexmap;
#[doc(hidden)]
pub use input::Input;
pub use kept::KeptRun;
pub use program::{LoadError, Program};
pub use run::{Finished, Run};
#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use serde_json;
pub use tool::ToolError;
pub use value::{Bytes, Map, Span, Time};

/// The module that `groundswell_build::workflows` generated in the build script, by the name of the entry file:
/// `groundswell::include_workflows!("support")`.
#[macro_export]
macro_rules! include_workflows {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"));
    };
}
