//! The language server: the one crate that speaks the protocol.

mod backend;
mod convert;
mod documents;
mod frames;
mod worker;

pub use backend::serve;
