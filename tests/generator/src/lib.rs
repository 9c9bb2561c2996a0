//! Random programs for the tests: the same seed always gives the same program.

mod generate;
mod secret;

pub use generate::generate;
pub use secret::{SecretProgram, Turn, secret_program};
