//! What programs mean: evaluates the typed HIR with plain functions, for constants while compiling, and as the reference that
//! compiled code is compared with.
//!
//! Slow and simple on purpose: no reference counts, no colours, no frames, no shared code with the engine.

#![warn(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants
)]

mod assignment;
mod call;
mod constant;
mod construct;
mod control;
mod decode;
mod default;
mod equal;
mod evaluate;
mod expression;
mod frame;
mod interpolation;
mod intrinsic;
mod json;
mod machine;
mod modifier;
mod number_text;
mod operator;
mod parallel;
mod pattern;
mod queue;
mod statement;
mod stop;
mod task;
mod undo;
mod value;

pub use constant::{FailedConstant, Failure, failing_constants};
pub use default::constant_default;
pub use evaluate::{Verdict, evaluate};
