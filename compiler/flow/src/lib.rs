//! From typed HIR to Flow IR: one function per instance, ownership made explicit, and a verifier.

#![warn(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants
)]

pub mod compare;
pub mod dump;
mod family;
mod instance;
pub mod ir;
mod lower;
pub mod passes;
mod program_view;
mod query_view;
pub mod role;
mod types;
pub mod verify;
mod waiting;
mod walk;

pub use lower::{
    Outline, Rows, Test, lower_debugged, lower_program, lower_prompts, lower_tests, outline_program,
};
