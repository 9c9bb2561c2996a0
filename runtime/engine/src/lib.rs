//! Runs compiled programs.

pub mod heap;
pub mod model;
pub mod run;
pub mod value;
