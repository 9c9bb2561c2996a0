//! Runs compiled programs.

pub mod calendar;
pub mod codec;
pub mod compare;
pub mod deadline;
pub mod driver;
pub mod duration;
pub mod engine;
pub mod event;
pub mod export;
pub mod heap;
pub mod load;
pub mod model;
pub mod name;
pub mod node;
pub mod number;
pub mod observe;
pub mod operation;
pub mod run;
pub mod scope;
pub mod secret;
pub mod services;
pub mod task;
pub mod turn_threads;
pub mod value;
pub mod wait;
pub mod web;
