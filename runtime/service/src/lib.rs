//! What a built program shows outside: its command line.

mod arguments;
mod exit;
mod help;
mod manifest;
mod value_text;

pub use arguments::{
    BUILTIN_OPTIONS, BuiltinOptions, Command, EventSink, Invocation, ResultForm, UsageError,
    Verbosity, parse,
};
pub use exit::Exit;
pub use help::{program_help, type_name, workflow_help};
pub use manifest::manifest;
