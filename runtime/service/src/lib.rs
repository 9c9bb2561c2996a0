//! What a built program shows outside: its command line.

#![warn(clippy::wildcard_enum_match_arm)]
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod arguments;
pub mod columns;
mod environment;
mod execute;
mod exit;
mod failure;
mod help;
mod interrupt;
mod manifest;
mod memory;
mod open_files;
mod person;
mod prices;
mod result_text;
pub mod say;
pub mod supervise;
mod terminal;
pub mod testing;
mod value_text;
mod watchers;

pub use arguments::{
    BuiltinOptions, Command, EventSink, Invocation, ResultForm, UsageError, Verbosity, parse,
};
pub use execute::{main_with_image, run_program};
pub use exit::Exit;
pub use failure::{issues as issues_text, text as error_text};
pub use help::{program_help, signature_help, workflow_help};
pub use manifest::{input_schema, manifest};
pub use prices::of_user as prices_of_user;
pub use terminal::shows_colors;
