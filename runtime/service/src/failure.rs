//! An error that was not caught, as people or programs read it.

use std::fmt::Write;

use gsw_engine::run::{RunError, TracePlace};
use gsw_notation::issue::Issue;
use gsw_trace::Shown;
use serde_json::Value;

use crate::arguments::EventSink;
use crate::exit::Exit;
use crate::terminal::{Colors, Row, Tone};

/// The most errors of a `Many` that are shown.
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
    styled(error, Colors::Off)
}

/// Like [`text`], with colours.
pub fn styled(error: &RunError, colors: Colors) -> String {
    let mut out = Report::default();
    // The message of a program's own error begins with its name.
    let message = match error.message.starts_with(&error.error) {
        true => error.message.clone(),
        false => format!("{}: {}", error.error, error.message),
    };
    out.hanging(Tone::Bad, "error: ", &message, INDENT);
    write_parts(&mut out, error);
    let mut places = error.trace.iter();
    if let Some(place) = places.next() {
        write_place(&mut out, place);
    }
    // The first one was written above.
    let places = places.as_slice();
    let middle = match error.left_out {
        0 => places.len(),
        _ => places.len() / 2,
    };
    let (above, below) = places.split_at(middle);
    write_way(&mut out, above);
    if error.left_out > 0 {
        out.row(Tone::Dim, &format!("  … {} more", error.left_out));
    }
    write_way(&mut out, below);
    if !error.path.is_empty() {
        out.row(Tone::Dim, &format!("  in {}", error.path));
    }
    for what in &error.not_undone {
        out.hanging(Tone::Bad, "  not undone: ", what, INDENT);
    }
    if let Some(hint) = &error.hint {
        out.hanging(Tone::Busy, "  hint: ", hint, INDENT);
    }
    out.text(colors)
}

/// The most places that follow one another again and again as a function calls itself through others; a guess.
const LONGEST_CYCLE: usize = 8;

/// The places of calls around one another; those that repeat are shown once.
fn write_way(out: &mut Report, mut places: &[TracePlace]) {
    while let Some(first) = places.first() {
        let (length, times) = (1..=LONGEST_CYCLE)
            .map(|length| (length, times(places, length)))
            .find(|(_, times)| *times > 2)
            .unwrap_or((1, 1));
        let cycle = places.get(..length).unwrap_or(std::slice::from_ref(first));
        let often = match length {
            1 if times > 1 => format!(", {times} times"),
            _ => String::new(),
        };
        for place in cycle {
            let TracePlace {
                file, line, column, ..
            } = place;
            out.row(Tone::Dim, &format!("  from {file}:{line}:{column}{often}"));
        }
        if length > 1 {
            out.row(Tone::Dim, &format!("  … these {length}, {times} times"));
        }
        places = places.get(length * times..).unwrap_or_default();
    }
}

/// How often the first `length` of the places repeat, one after the other.
fn times(places: &[TracePlace], length: usize) -> usize {
    let mut cycles = places.chunks_exact(length);
    let first = cycles.next();
    match first {
        Some(first) => 1 + cycles.take_while(|it| *it == first).count(),
        None => 0,
    }
}

/// How to look at a run that has failed: its events, where they were written, else as this says.
pub fn look_closer(events: Option<&EventSink>, otherwise: String, colors: Colors) -> String {
    let how = match events {
        Some(EventSink::File(file)) => format!("`gswc trace {file}`"),
        Some(EventSink::Standard) => "`gswc trace FILE`, with the events in a file".to_owned(),
        None => otherwise,
    };
    let mut out = Report::default();
    out.hanging(Tone::Dim, "  to look closer: ", &how, INDENT);
    out.text(colors)
}

/// Rows of an error, whose texts can do nothing to a terminal.
#[derive(Default)]
struct Report(Vec<Row>);

impl Report {
    fn row(&mut self, tone: Tone, text: &str) {
        self.0.push(Row::default().with(tone, text));
    }

    /// A text after a word in some tone; its further lines are indented.
    fn hanging(&mut self, tone: Tone, word: &str, text: &str, indent: &str) {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        self.0
            .push(Row::default().with(tone, word).with(Tone::Plain, first));
        for line in lines {
            let row = Row::default().with(Tone::Plain, indent);
            self.0.push(row.with(Tone::Plain, line));
        }
    }

    fn text(self, colors: Colors) -> String {
        let lines = self.0.iter().map(|it| it.cut(usize::MAX, colors).0 + "\n");
        lines.collect()
    }
}

/// The errors that a `Many` is made of, each with what people call the node that failed.
fn write_parts(out: &mut Report, error: &RunError) {
    for part in error.parts.iter().take(MOST_PARTS) {
        let name = match part.name.as_str() {
            "" => String::new(),
            name => format!("{name}: "),
        };
        out.hanging(
            Tone::Bad,
            "  - ",
            &format!("{name}{}", part.message),
            "    ",
        );
    }
    let all = error.fields.get("errors").and_then(Value::as_array);
    let all = if error.parts.is_empty() {
        0
    } else {
        all.map_or(error.parts.len(), Vec::len)
    };
    let more = all.saturating_sub(MOST_PARTS);
    if more > 0 {
        out.row(Tone::Plain, &format!("  - and {more} more"));
    }
}

fn write_place(out: &mut Report, place: &TracePlace) {
    let TracePlace {
        file,
        line,
        column,
        source,
        width,
    } = place;
    out.row(Tone::Dim, &format!("  at {file}:{line}:{column}"));
    let Some(source) = source else { return };
    let before = (*column as usize).saturating_sub(1);
    let indent = " ".repeat(before);
    let width = (*width as usize).clamp(1, source.chars().count().saturating_sub(before).max(1));
    let gutter = || Row::default().with(Tone::Dim, "   | ");
    out.0.push(gutter().with(Tone::Plain, source));
    let marks = "^".repeat(width);
    out.0
        .push(gutter().with(Tone::Plain, &indent).with(Tone::Bad, &marks));
}

/// What does not fit in the input, one line each.
pub fn issues(issues: &[Issue]) -> String {
    let mut out = String::from("error: the input does not fit\n");
    for issue in issues {
        let path = issue.path.strip_prefix("$.").unwrap_or(&issue.path);
        // The sentence names the path within the parameter; here the parameter comes before it.
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

#[cfg(test)]
mod tests {
    use super::{Colors, Report, TracePlace, write_way};

    fn way(lines: &[u32]) -> String {
        let places: Vec<TracePlace> = lines
            .iter()
            .map(|line| TracePlace {
                file: "a.gsw".to_owned(),
                line: *line,
                column: 1,
                source: None,
                width: 1,
            })
            .collect();
        let mut out = Report::default();
        write_way(&mut out, &places);
        out.text(Colors::Off)
    }

    #[test]
    fn calls_that_repeat_are_said_once() {
        assert_eq!(way(&[1, 2]), "  from a.gsw:1:1\n  from a.gsw:2:1\n");
        assert_eq!(
            way(&[7, 1, 1, 1, 1, 2]),
            "  from a.gsw:7:1\n  from a.gsw:1:1, 4 times\n  from a.gsw:2:1\n"
        );
        assert_eq!(
            way(&[1, 2, 1, 2, 1, 2, 1]),
            "  from a.gsw:1:1\n  from a.gsw:2:1\n  … these 2, 3 times\n  from a.gsw:1:1\n"
        );
    }
}
