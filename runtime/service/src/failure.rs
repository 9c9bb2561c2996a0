//! An error that nobody caught, as people or programs read it.

use std::fmt::Write;

use gsw_engine::run::{RunError, TracePlace};
use gsw_notation::issue::Issue;
use gsw_trace::Shown;
use serde_json::Value;

use crate::exit::Exit;

/// So many errors of a `Many` are shown.
const MOST_PARTS: usize = 20;
/// What the further lines of a text that is not ours begin with, so that none can be taken for a line of ours.
const INDENT: &str = "  ";

/// What an error means for the process's end.
pub fn exit_of(error: &RunError) -> Exit {
    match error.error.as_str() {
        "PermissionDenied" => Exit::Denied,
        "Internal" => Exit::Internal,
        _ => Exit::Raised,
    }
}

/// The error as text: what, where with the source line, the way it took, and what to do.
pub fn text(error: &RunError) -> String {
    let mut out = String::new();
    // The message of a program's own error begins with its name.
    let message = Shown::hanging(&error.message, INDENT);
    if error.message.starts_with(&error.error) {
        let _ = write!(out, "error: {message}");
    } else {
        let _ = write!(out, "error: {}: {message}", Shown::line(&error.error));
    }
    out.push('\n');
    write_parts(&mut out, error);
    let mut places = error.trace.iter();
    if let Some(place) = places.next() {
        write_place(&mut out, place);
    }
    for (index, place) in places.enumerate() {
        // The first one was written above.
        if error.left_out > 0 && index + 1 == error.trace.len() / 2 {
            let _ = writeln!(out, "  … {} more", error.left_out);
        }
        let file = Shown::line(&place.file);
        let _ = writeln!(out, "  from {file}:{}:{}", place.line, place.column);
    }
    if !error.path.is_empty() {
        let _ = writeln!(out, "  in {}", Shown::line(&error.path));
    }
    if let Some(hint) = &error.hint {
        let _ = writeln!(out, "  hint: {}", Shown::hanging(hint, INDENT));
    }
    out
}

/// The errors that a `Many` is made of.
fn write_parts(out: &mut String, error: &RunError) {
    let parts = error.fields.get("errors").and_then(Value::as_array);
    if error.error != "Many" {
        return;
    }
    for part in parts.into_iter().flatten().take(MOST_PARTS) {
        let text = part.get("message").and_then(Value::as_str);
        let text = text.map_or_else(|| part.to_string(), str::to_owned);
        let _ = writeln!(out, "  - {}", Shown::hanging(&text, "    "));
    }
    let more = parts.map_or(0, Vec::len).saturating_sub(MOST_PARTS);
    if more > 0 {
        let _ = writeln!(out, "  - and {more} more");
    }
}

fn write_place(out: &mut String, place: &TracePlace) {
    let _ = writeln!(
        out,
        "  at {}:{}:{}",
        Shown::line(&place.file),
        place.line,
        place.column
    );
    let Some(source) = &place.source else { return };
    let before = (place.column as usize).saturating_sub(1);
    let indent = " ".repeat(before);
    let text = Shown::line(source);
    let width =
        (place.width as usize).clamp(1, source.chars().count().saturating_sub(before).max(1));
    let _ = writeln!(out, "   | {text}\n   | {indent}{}", "^".repeat(width));
}

/// What does not fit in the input, one line each.
pub fn issues(issues: &[Issue]) -> String {
    let mut out = String::from("error: the input does not fit\n");
    for issue in issues {
        let path = issue.path.strip_prefix("$.").unwrap_or(&issue.path);
        // The sentence names the path within the parameter; here the parameter stands before it.
        let text = match issue.message.split_once(": expected ") {
            Some((place, rest)) if place.starts_with("at $") => format!("expected {rest}"),
            Some(_) | None => issue.message.clone(),
        };
        let _ = writeln!(
            out,
            "  {}: {}",
            Shown::line(path),
            Shown::hanging(&text, "    ")
        );
    }
    out
}
