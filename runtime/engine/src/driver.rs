//! Drivers carry runs: they perform what a run asks for and bring the outcomes, one a turn.

pub(crate) mod address;
pub(crate) mod beneath;
pub(crate) mod carrier;
pub(crate) mod clock;
pub(crate) mod commands;
pub mod files;
pub(crate) mod outside;
pub(crate) mod path;
pub(crate) mod permissions;
pub(crate) mod pool;
pub(crate) mod process;
pub(crate) mod room;
pub mod scripted;
pub mod testing;
mod timer;
pub(crate) mod work;
