//! Printing what went wrong.

use std::io::{ErrorKind, IsTerminal, Write};

use gsw_service::Exit;
use gsw_source::{Colors, Database, Diagnostic, Severity};

use crate::arguments::Format;

/// Prints diagnostics and gives the exit code that they call for.
pub fn report(db: &Database, diagnostics: &[Diagnostic], format: Format) -> Exit {
    let located: Vec<_> = diagnostics
        .iter()
        .map(|it| it.located(|place| gsw_syntax::locate(db, place)))
        .collect();
    let terminal = std::io::stderr().is_terminal();
    match format {
        Format::Json => print!("{}", gsw_source::render_json(db, &located)),
        Format::Auto if !terminal => eprint!("{}", gsw_source::render_plain(db, &located)),
        Format::Plain => eprint!("{}", gsw_source::render_plain(db, &located)),
        Format::Auto | Format::Pretty => {
            let colors = if terminal && std::env::var_os("NO_COLOR").is_none() {
                Colors::On
            } else {
                Colors::Off
            };
            eprint!("{}", gsw_source::render_terminal(db, &located, colors));
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

/// Prints what a command was asked for. A reader that has gone away is no error.
pub fn output(text: &str) -> Exit {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Exit::Done,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => failure(&format!("the result cannot be written: {error}")),
    }
}
