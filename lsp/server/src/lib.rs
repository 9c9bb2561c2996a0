//! The language server: the one crate that speaks the protocol.
#![warn(clippy::wildcard_enum_match_arm)]

mod actions;
mod addresses;
mod announced;
mod backend;
mod capabilities;
mod changes;
mod checks;
mod convert;
mod documents;
mod folder;
mod frames;
mod hints;
mod library;
mod loading;
mod markup;
mod navigation;
mod position;
mod reporting;
mod resolving;
mod runtime;
mod semantic_tokens;
mod serving;
mod state;
mod structure;
mod typing;
mod walk;
mod worker;
mod workspace;

pub use runtime::{NoRuntime, Runtime};
pub use serving::{Ending, serve, serve_on};
