//! A run as plain lines: logs, steps and prompts as they end.

use std::sync::Arc;

use gsw_engine::event::{Event, EventKind, JsonText, Level};
use gsw_engine::node::Status;
use gsw_engine::observe::Observer;
use gsw_trace::Shown;

use crate::terminal::row::{Row, Tone};
use crate::terminal::stage::Stage;

/// Prints events as lines.
pub struct Lines(pub Arc<Stage>);

impl Observer for Lines {
    fn event(&mut self, event: &Arc<Event>) {
        if let EventKind::HumanRequest { digest, .. } = &event.kind {
            self.0.announce(digest);
        }
        if let Some(line) = line(event) {
            self.0.line(line);
        }
    }

    fn lost(&mut self, count: u64) {
        self.0.line(format!("({count} events are not shown)"));
    }
}

/// A line of the log as rows.
pub fn log_rows(level: Level, message: &str, data: Option<&JsonText>) -> Vec<Row> {
    let tone = match level {
        Level::Debug => Tone::Dim,
        Level::Info => Tone::Busy,
        Level::Warn => Tone::Warn,
        Level::Error => Tone::Bad,
    };
    let text = log(level, message, data);
    let rest = text.strip_prefix(level.name()).unwrap_or(&text);
    let mut lines = rest.lines();
    let first = Row::default()
        .with(tone, level.name())
        .with(Tone::Plain, lines.next().unwrap_or_default());
    let rest = lines.map(|it| Row::default().with(Tone::Plain, it));
    std::iter::once(first).chain(rest).collect()
}

/// What is said when events found no room.
pub fn lost_row(count: u64) -> Row {
    Row::default().with(Tone::Warn, &format!("({count} events are not shown)"))
}

/// The line of an event that has one.
fn line(event: &Event) -> Option<String> {
    match &event.kind {
        EventKind::Log {
            level,
            message,
            data,
        } => Some(log(*level, message, data.as_ref())),
        EventKind::StepEnd { step, end } => Some(ended(end.status, "step", step, end.duration, "")),
        EventKind::StepRetry {
            step,
            attempt,
            error,
            ..
        } => Some(format!(
            "↻ step {}: attempt {}: {}",
            Shown::line(step),
            attempt + 1,
            Shown::line(error)
        )),
        EventKind::PromptEnd {
            prompt,
            end,
            usage,
            detail,
        } => {
            let detail = detail.as_ref();
            let simulated = if detail.is_some_and(|it| it.simulated) {
                ", simulated"
            } else {
                ""
            };
            let cached = if detail.is_some_and(|it| it.cached) {
                ", cached"
            } else {
                ""
            };
            let tokens = format!(
                ", {} tokens in, {} out{cached}{simulated}",
                usage.input_tokens, usage.output_tokens
            );
            Some(ended(end.status, "prompt", prompt, end.duration, &tokens))
        }
        _ => None,
    }
}

/// A line of the log, or several: the further ones are indented, so that none can be taken for another line.
fn log(level: Level, message: &str, data: Option<&JsonText>) -> String {
    let (level, message) = (level.name(), Shown::hanging(message, "  "));
    match data {
        Some(data) if data.text() != "{}" => {
            format!("{level}: {message} {}", Shown::json(data.text()))
        }
        _ => format!("{level}: {message}"),
    }
}

fn ended(status: Status, kind: &str, name: &str, nanoseconds: i64, more: &str) -> String {
    let symbol = gsw_trace::symbol(status);
    let milliseconds = nanoseconds / 1_000_000;
    let took = if milliseconds < 10_000 {
        format!("{milliseconds} ms")
    } else {
        format!("{} s", milliseconds / 1_000)
    };
    format!("{symbol} {kind} {} ({took}{more})", Shown::line(name))
}
