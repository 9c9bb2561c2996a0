//! The wording of every diagnostic: one function each, by topic. Nothing else in the crate holds prose.

pub mod calls;
pub mod elsewhere;
pub mod hooks;
pub mod patterns;
pub mod records;
pub mod testing;
mod unsupported;
pub mod values;

pub use unsupported::not_compiled_yet;
