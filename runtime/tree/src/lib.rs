//! What a run shows of itself: the tree of its nodes, its events, and who observes them.
//!
//! It knows no run: others tell it what has happened.

#![warn(clippy::wildcard_enum_match_arm)]

pub mod class;
pub mod detail;
pub mod event;
mod name;
pub mod node;
pub mod observe;
pub mod usage;
