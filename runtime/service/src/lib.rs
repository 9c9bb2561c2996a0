//! What a built program shows outside: its command line.

#![warn(clippy::wildcard_enum_match_arm)]
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod arguments;
mod builds;
pub mod cache;
pub mod columns;
mod consent;
pub mod debugging;
mod environment;
mod execute;
mod exit;
mod failure;
mod help;
mod interrupt;
mod manifest;
mod mcp;
mod memory;
mod open_files;
mod painted;
mod person;
mod prices;
mod report;
mod result_text;
mod runs;
pub mod say;
mod setup;
pub mod shell;
mod state;
mod store;
pub mod supervise;
mod table;
mod tape;
mod terminal;
pub mod testing;
mod undos;
mod value_text;
mod watchers;
mod worker;

pub use arguments::{
    BuiltinOptions, Command, EventSink, Invocation, ResultForm, Topic, UsageError, Verbosity, parse,
};
pub use consent::authorizing;
pub use execute::{main_with_image, run_program};
pub use exit::Exit;
pub use failure::{issues as issues_text, text as error_text};
pub use help::{program_help, signature_help, workflow_help};
pub use manifest::manifest;
pub use mcp::login::{Act, Login, log};
pub use mcp::pipes::Pipes;
pub use painted::print_help;
pub use prices::of_user as prices_of_user;
pub use report::short;
pub use runs::happened::{happened, records_of};
pub use runs::newest::newest_runs;
pub use runs::of_store::{OfStore, runs_of_store};
pub use runs::replay::{Replayed, Verdict, dry_replay, in_flight};
pub use store::Origin;
pub use terminal::shows_colors;
