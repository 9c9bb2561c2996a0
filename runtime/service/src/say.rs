//! The one door to standard error and standard output: whatever goes through it is safe on a terminal.
//!
//! Nothing else in the crates of the command line prints; clippy refuses `print!` and its kin there. What is drawn on a terminal
//! is made of rows, which are as careful.

use std::io::{self, BufWriter, IsTerminal, Write, stderr, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use gsw_trace::Shown;
use serde::Serialize;

/// Writes a message to standard error; should a text in it have several lines, the further ones are indented. A standard error
/// that is closed, or a terminal that has gone away, is no reason to stop.
pub fn say(message: &str) {
    let text = Shown::hanging(message, "  ").text();
    let _ = stderr().write_all(format!("{text}\n").as_bytes());
}

/// Writes a composed message, such as an error with its excerpt, to standard error.
pub fn say_lines(lines: &str) {
    let text = Shown::lines(lines.strip_suffix('\n').unwrap_or(lines)).text();
    let _ = stderr().write_all(format!("{text}\n").as_bytes());
}

/// Writes the beginning of a line to standard error, after which a person types.
pub fn ask(text: &str) {
    let _ = stderr().write_all(Shown::line(text).text().as_bytes());
}

/// Writes a line of JSON to standard error.
pub fn say_json(json: &str) {
    let text = Shown::json(json).text();
    let _ = stderr().write_all(format!("{text}\n").as_bytes());
}

/// Writes a text of ours, which may have colours, to standard error.
pub fn say_styled(text: &str) {
    let _ = stderr().write_all(Shown::styled(text).text().as_bytes());
}

/// Prints a text on standard output: exactly in a pipe, as it can be shown on a terminal.
///
/// # Errors
/// When it cannot be written; a reader that has gone away is no error.
pub fn print(text: &str) -> io::Result<()> {
    if stdout().is_terminal() {
        write(&Shown::lines(text).text())
    } else {
        write(text)
    }
}

/// Prints JSON on standard output: exactly in a pipe, with what a terminal would obey escaped on one.
///
/// # Errors
/// As of [`print()`].
pub fn print_json(json: &str) -> io::Result<()> {
    if stdout().is_terminal() {
        write(&Shown::json(json).text())
    } else {
        write(json)
    }
}

/// Prints a value as indented JSON on standard output, in a pipe piece by piece.
///
/// # Errors
/// As of [`print()`].
pub fn print_value(value: &impl Serialize) -> io::Result<()> {
    if stdout().is_terminal() {
        return print_json(&format!("{}\n", serde_json::to_string_pretty(value)?));
    }
    let mut out = BufWriter::with_capacity(64 << 10, stdout().lock());
    let written = serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from);
    unless_gone(
        written
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush()),
    )
}

/// Prints a text of ours, which may have colours, on standard output.
///
/// # Errors
/// As of [`print()`].
pub fn print_styled(text: &str) -> io::Result<()> {
    write(&Shown::styled(text).text())
}

fn write(text: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    unless_gone(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Whether something was written to standard output after its reader had gone.
static IS_UNREAD: AtomicBool = AtomicBool::new(false);

/// Whether the reader of standard output was gone before it had all.
pub(crate) fn is_unread() -> bool {
    IS_UNREAD.load(Ordering::Relaxed)
}

fn unless_gone(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            IS_UNREAD.store(true, Ordering::Relaxed);
            Ok(())
        }
        written => written,
    }
}
