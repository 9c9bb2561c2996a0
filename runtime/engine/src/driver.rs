//! Drivers carry runs: they perform what a run asks for and bring the outcomes, one a turn.

pub(crate) mod carrier;
pub(crate) mod clock;
pub mod files;
pub(crate) mod outside;
pub mod process;
pub mod scripted;
mod timer;
