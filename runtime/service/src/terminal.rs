//! A run as lines on standard error: logs, steps and prompts as they end. Never touches standard output.

use std::io::Write;
use std::sync::Arc;

use gsw_engine::event::{Event, EventKind, JsonText, Level};
use gsw_engine::node::Status;
use gsw_engine::observe::attached::Attached;
use gsw_engine::observe::{Observer, Observers, Replay};

/// Shows runs on standard error from now on.
pub fn start(observers: &Observers) -> std::io::Result<Attached> {
    observers.attach("terminal", Replay::All, Box::new(Lines))
}

/// Turns events into lines.
struct Lines;

impl Observer for Lines {
    fn event(&mut self, event: &Arc<Event>) {
        if let Some(line) = line(event) {
            // A closed terminal is no reason to stop a run.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    fn lost(&mut self, count: u64) {
        let _ = writeln!(std::io::stderr(), "({count} events are not shown)");
    }
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
        } => Some(format!("↻ step {step}: attempt {}: {error}", attempt + 1)),
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

fn log(level: Level, message: &str, data: Option<&JsonText>) -> String {
    match data {
        Some(data) if data.text() == "{}" => format!("{}: {message}", level.name()),
        Some(data) => format!("{}: {message} {data}", level.name()),
        None => format!("{}: {message}", level.name()),
    }
}

fn ended(status: Status, kind: &str, name: &str, nanoseconds: i64, more: &str) -> String {
    let symbol = match status {
        Status::Idle => "○",
        Status::Running => "◐",
        Status::Completed => "✓",
        Status::Failed => "✗",
        Status::Cancelled => "⊘",
    };
    let milliseconds = nanoseconds / 1_000_000;
    let took = if milliseconds < 10_000 {
        format!("{milliseconds} ms")
    } else {
        format!("{} s", milliseconds / 1_000)
    };
    format!("{symbol} {kind} {name} ({took}{more})")
}
