//! The language server: the one crate that speaks the protocol.
#![warn(clippy::wildcard_enum_match_arm)]

mod backend;
mod convert;
mod documents;
mod frames;
mod worker;

pub use backend::serve;
