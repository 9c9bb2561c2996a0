//! A run as lines on standard error: logs, steps and prompts as they end. Never touches standard output.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_engine::event::{Event, EventKind, Level};
use gsw_engine::node::{NodeId, Status};
use gsw_engine::observe::attached::Attached;
use gsw_engine::observe::{Observer, Observers, Replay};

/// Shows runs on standard error from now on.
pub fn start(observers: &Observers) -> std::io::Result<Attached> {
    observers.attach("terminal", Replay::All, Box::new(Lines::default()))
}

/// Turns events into lines.
#[derive(Default)]
struct Lines {
    /// The names of prompts that are on their way; steps name themselves.
    names: HashMap<NodeId, Arc<str>>,
}

impl Observer for Lines {
    fn event(&mut self, event: &Arc<Event>) {
        if let Some(line) = self.line(event) {
            // A closed terminal is no reason to stop a run.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    fn lost(&mut self, count: u64) {
        let _ = writeln!(std::io::stderr(), "({count} events are not shown)");
    }
}

impl Lines {
    fn line(&mut self, event: &Event) -> Option<String> {
        match &event.kind {
            EventKind::ChildAttached {
                kind: NodeKind::Prompt,
                name,
                ..
            } => {
                self.names.insert(event.node, Arc::clone(name));
                None
            }
            EventKind::Log {
                level,
                message,
                data,
            } => Some(log(*level, message, data.as_ref())),
            EventKind::StepEnd {
                step,
                status,
                duration,
            } => Some(ended(*status, "step", step, *duration, "")),
            EventKind::StepRetry {
                step,
                attempt,
                error,
                ..
            } => Some(format!("↻ step {step}: attempt {}: {error}", attempt + 1)),
            EventKind::PromptEnd {
                status,
                duration,
                usage,
                detail,
            } => {
                let name = self.names.remove(&event.node).unwrap_or_default();
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
                Some(ended(*status, "prompt", &name, *duration, &tokens))
            }
            _ => None,
        }
    }
}

fn log(level: Level, message: &str, data: Option<&serde_json::Value>) -> String {
    match data {
        Some(serde_json::Value::Object(fields)) if fields.is_empty() => {
            format!("{}: {message}", level.name())
        }
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
