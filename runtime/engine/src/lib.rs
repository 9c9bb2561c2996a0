//! Runs compiled programs.

pub mod answers;
pub mod budget;
pub mod calendar;
pub mod codec;
mod compare;
mod data_block;
mod deadline;
pub mod driver;
pub mod duration;
pub mod engine;
pub mod event;
pub mod export;
mod front;
mod heap;
pub mod host;
pub mod human;
pub mod load;
pub mod media;
pub mod model;
mod name;
pub mod node;
pub mod number;
pub mod observe;
pub mod operation;
pub mod port;
pub mod prices;
pub mod run;
mod scope;
pub mod secret;
mod task;
#[cfg(test)]
mod tests;
pub mod turn_threads;
mod value;
mod wait;
pub mod web;
