//! Prints diagnostics and errors.

use std::io::{IsTerminal, Result};

use clap::ValueEnum;
use gsw_service::Exit;
use gsw_service::say::{self, say};
use gsw_source::{Colors, Database, Diagnostic, LocatedDiagnostic, Severity};
use serde::Serialize;

/// The format of diagnostics.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Source excerpts and colours on a terminal, plain lines otherwise.
    Auto,
    /// Source excerpts.
    Pretty,
    /// One line per diagnostic.
    Plain,
    /// One JSON object per line.
    Json,
}

/// Prints diagnostics and returns the exit code that they call for.
pub fn report(db: &Database, diagnostics: &[Diagnostic], format: Format) -> Exit {
    let located = located(db, diagnostics);
    let terminal = std::io::stderr().is_terminal();
    match format {
        Format::Json => {
            output_json(&gsw_source::render_json(db, &located));
        }
        Format::Auto if !terminal => plain(db, &located),
        Format::Plain => plain(db, &located),
        Format::Auto | Format::Pretty => {
            let colors = match terminal && gsw_service::shows_colors() {
                true => Colors::On,
                false => Colors::Off,
            };
            say::say_styled(&gsw_source::render_terminal(db, &located, colors));
            if let Some(summary) = gsw_source::summary(&located) {
                say(&summary);
            }
        }
    }
    if diagnostics.iter().any(|it| it.severity == Severity::Error) {
        Exit::Raised
    } else {
        Exit::Done
    }
}

/// A line for each diagnostic.
pub fn plain_text(db: &Database, diagnostics: &[Diagnostic]) -> String {
    gsw_source::render_plain(db, &located(db, diagnostics))
}

/// One JSON object per line.
pub fn json_text(db: &Database, diagnostics: &[Diagnostic]) -> String {
    gsw_source::render_json(db, &located(db, diagnostics))
}

fn located(db: &Database, diagnostics: &[Diagnostic]) -> Vec<LocatedDiagnostic> {
    let located = diagnostics.iter();
    located
        .map(|it| it.located(|place| gsw_syntax::locate(db, place)))
        .collect()
}

/// Prints a line for each diagnostic, and no other, for programs that read lines.
fn plain(db: &Database, located: &[LocatedDiagnostic]) {
    say::say_styled(&gsw_source::render_plain(db, located));
}

/// Prints a failure that has no place in source.
pub fn failure(message: &impl std::fmt::Display) -> Exit {
    say(&format!("gswc: {message}"));
    Exit::Raised
}

/// Prints a remark that is no part of a result.
pub fn note(message: &impl std::fmt::Display) {
    say(&format!("gswc: {message}"));
}

/// Prints what is wrong with how a command was called.
pub fn usage(message: &impl std::fmt::Display) -> Exit {
    say(&format!("gswc: {message}"));
    Exit::Usage
}

/// Prints what a command was asked for. A reader that has gone away is no error.
pub fn output(text: &str) -> Exit {
    printed(say::print(text))
}

/// Prints what a command was asked for, which may have colours.
pub fn output_styled(text: &str) -> Exit {
    printed(say::print_styled(text))
}

/// Prints the help of a command.
pub fn output_help(text: &str) -> Exit {
    printed(gsw_service::print_help(text))
}

/// Prints what a command was asked for as JSON.
pub fn output_json(json: &str) -> Exit {
    printed(say::print_json(json))
}

/// Prints what may be a lot of JSON, piece by piece.
pub fn output_value(value: &impl Serialize) -> Exit {
    printed(say::print_value(value))
}

fn printed(done: Result<()>) -> Exit {
    match done {
        Ok(()) => Exit::Done,
        Err(error) => failure(&format!("cannot write the result: {error}")),
    }
}
