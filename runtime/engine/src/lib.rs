//! One run of a compiled program: what it computes, what it asks for, what it says.
//!
//! It knows no driver, no thread and no clock: its carrier gives a run turns and outcomes.

#![warn(clippy::wildcard_enum_match_arm)]

pub mod answers;
pub mod arguments;
pub mod budget;
pub mod codec;
mod compare;
pub mod conversation;
mod data_block;
pub mod debug;
pub mod exchange;
pub mod export;
pub mod external;
pub mod front;
mod heap;
mod hidden;
pub mod human;
pub mod load;
pub mod media;
pub mod model;
pub mod operation;
pub mod panic;
pub mod port;
pub mod prices;
pub mod run;
mod scope;
pub mod secret;
mod step;
mod task;
#[cfg(test)]
mod tests;
mod value;
mod wait;

use gsw_tree::{event, node};

pub use heap::limit::MAX_OBJECT;
