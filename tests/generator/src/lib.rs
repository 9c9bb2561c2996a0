//! Random programs for the tests: the same seed always gives the same program.

mod generate;
mod secret;
mod talk;

pub use generate::generate;
pub use secret::{SecretProgram, Turn, secret_program};
pub use talk::talk_program;
