//! How JSON, times, durations, numbers and bytes are written and read.
//!
//! It knows no value of a program, no type and no run.

#![warn(clippy::wildcard_enum_match_arm)]

pub mod calendar;
pub mod difference;
pub mod duration;
pub mod hex;
pub mod issue;
pub mod json;
pub mod near;
pub mod number;
pub mod path;
pub mod text;
pub mod thought;
