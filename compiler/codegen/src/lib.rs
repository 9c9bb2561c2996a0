//! From Flow IR to an image: machine code, constants and tables, and the file that carries them.

#![warn(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants
)]

mod arithmetic;
mod bundle;
mod call;
mod compile;
mod constants;
mod counting;
mod error;
mod frame;
mod function;
mod image;
mod inline;
mod instruction;
mod layout;
mod link;
mod object;
mod place;
mod replace;
mod routine;
mod runtime_calls;
mod signature;
mod target;
mod terminator;
mod waiting;

pub use bundle::{Bundle, BundleError, bundle};
pub use compile::{Options, clif, compile};
pub use error::CodegenError;
pub use replace::{Access, replace};
pub use target::Verification;
