//! What compiled code and the runtime agree on: values, types, the table of runtime calls, the image.
//!
//! `codegen` and `engine` meet here and nowhere else. Everything that changes this agreement changes [`abi_hash`].

#![warn(clippy::wildcard_enum_match_arm)]

pub mod bounds;
pub mod builtin;
pub mod call;
mod hash;
pub mod hook;
pub mod image;
pub mod judge;
pub mod layout;
pub mod option;
pub mod permission;
pub mod program;
pub mod provider;
pub mod run_status;
pub mod schema;
pub mod setting;
pub mod site;
pub mod speaker;
pub mod types;

pub use hash::abi_hash;
