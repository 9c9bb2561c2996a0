//! Runs compiled programs.

pub mod model;
