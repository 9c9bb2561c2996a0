//! What a run shows of itself: the tree of its nodes, its events, and their observers.
//!
//! It knows no run: its callers report what has happened.

#![warn(clippy::wildcard_enum_match_arm)]

pub mod class;
pub mod detail;
pub mod event;
mod name;
pub mod node;
pub mod observe;
pub mod usage;
