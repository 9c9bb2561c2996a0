//! Printing what went wrong.

use std::io::IsTerminal;

use gsw_service::Exit;
use gsw_source::{Database, Diagnostic, Severity};

use crate::arguments::Format;

/// Prints diagnostics and gives the exit code that they call for.
pub fn report(db: &Database, diagnostics: &[Diagnostic], format: Format) -> Exit {
    let locate = |place| gsw_syntax::locate(db, place);
    let terminal = std::io::stderr().is_terminal();
    match format {
        Format::Json => print!("{}", gsw_source::render_json(db, diagnostics, &locate)),
        Format::Auto if !terminal => {
            eprint!("{}", gsw_source::render_plain(db, diagnostics, &locate))
        }
        Format::Plain => eprint!("{}", gsw_source::render_plain(db, diagnostics, &locate)),
        Format::Auto | Format::Pretty => {
            let colours = if terminal && std::env::var_os("NO_COLOR").is_none() {
                gsw_source::Colours::On
            } else {
                gsw_source::Colours::Off
            };
            eprint!("{}", gsw_source::render(db, diagnostics, &locate, colours));
        }
    }
    if diagnostics.iter().any(|it| it.severity == Severity::Error) {
        Exit::Raised
    } else {
        Exit::Done
    }
}

/// Prints a failure that has no place in source.
pub fn failure(message: &impl std::fmt::Display) -> Exit {
    eprintln!("gswc: {message}");
    Exit::Raised
}
