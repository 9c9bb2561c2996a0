//! The language server: the one crate that speaks the protocol.
#![warn(clippy::wildcard_enum_match_arm)]

mod actions;
mod backend;
mod capabilities;
mod checks;
mod colours;
mod convert;
mod documents;
mod folder;
mod frames;
mod library;
mod navigation;
mod position;
mod reporting;
mod state;
mod structure;
mod typing;
mod worker;
mod workspace;

pub use backend::{Ending, serve, serve_on};
