//! `gswc`: arguments and commands over the compiler's queries.

mod arguments;
mod commands;
mod compile;
mod help;
mod project;
mod report;
mod signature;
mod test_report;
mod threads;

pub use arguments::main;
