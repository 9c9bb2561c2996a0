//! `gswc`: arguments and commands over the compiler's queries.

#![deny(clippy::print_stderr, clippy::print_stdout)]
#![warn(clippy::wildcard_enum_match_arm)]

mod arguments;
mod commands;
mod compile;
mod declarations;
mod help;
mod overlay;
mod project;
mod report;
mod signature;
mod test_report;
mod threads;
mod version;
mod written;

pub use arguments::main;
pub use written::compiler;
