//! The reference for what programs mean: evaluates the typed HIR with plain functions, so that compiled code has something to be
//! compared with; and a generator of programs to compare on.
//!
//! Slow and simple on purpose: no reference counts, no colours, no frames, no shared code with the engine.

mod call;
mod construct;
mod control;
mod decode;
mod equal;
mod evaluate;
mod expression;
mod frame;
mod generate;
mod interpolation;
mod intrinsic;
mod json;
mod machine;
mod modifier;
mod number_text;
mod operator;
mod parallel;
mod pattern;
mod statement;
mod stop;
mod task;
mod value;

pub use evaluate::{Verdict, evaluate};
pub use generate::generate;
