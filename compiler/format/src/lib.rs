//! From syntax tree and comments back to text, in the one style.
#![warn(clippy::wildcard_enum_match_arm)]

mod comments;
mod document;
mod expression;
mod file;
mod item;
mod pattern;
mod printer;
mod statement;
mod type_expression;

pub use file::{FormatError, format_file};
