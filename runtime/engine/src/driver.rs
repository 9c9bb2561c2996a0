//! Drivers carry runs: they perform what a run asks for and bring the outcomes, one a turn.

pub(crate) mod address;
mod beneath;
pub(crate) mod carrier;
pub(crate) mod clock;
pub(crate) mod commands;
pub(crate) mod files;
mod glob;
pub(crate) mod outside;
pub(crate) mod path;
pub(crate) mod permissions;
mod place;
pub(crate) mod pool;
pub(crate) mod process;
pub(crate) mod room;
mod root;
pub mod scripted;
mod spawn;
pub mod testing;
mod timer;
pub(crate) mod work;
