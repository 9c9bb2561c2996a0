//! Random programs for the tests: the same seed always gives the same program.

mod generate;

pub use generate::generate;
