//! Drives runs: performs the operations that they request and delivers the outcomes, one per turn.
//!
//! It knows no value and no frame: what runs ask for and are given is data.

#![warn(clippy::wildcard_enum_match_arm)]

mod address;
mod alarms;
mod allowance;
pub mod answers;
mod beneath;
pub mod call;
mod carrier;
mod clock;
mod commands;
mod compile;
pub mod crash;
mod deadline;
mod driver;
pub mod durable;
pub mod engine;
pub mod external;
mod files;
mod glob;
mod guard;
pub mod host;
pub mod human;
mod masked;
pub mod models;
mod network;
mod overrun;
mod path;
pub mod pauses;
mod perform;
mod performers;
mod permissions;
mod place;
mod pool;
mod portions;
mod process;
mod reactor;
pub mod receivers;
mod root;
pub mod scripted;
pub mod servers;
pub mod simulation;
mod spawn;
mod system;
pub mod tape;
pub mod testing;
mod threads;
mod timer;
pub mod turn_threads;
pub mod web;
mod work;
