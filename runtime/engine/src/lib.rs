//! Runs compiled programs.

pub mod calendar;
pub mod codec;
pub mod compare;
pub mod duration;
pub mod export;
pub mod heap;
pub mod model;
pub mod number;
pub mod run;
pub mod value;
