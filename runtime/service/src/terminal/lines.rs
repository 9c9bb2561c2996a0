//! A run as plain lines: logs, steps and prompts as they end.

use std::sync::Arc;
use std::time::Duration;

use gsw_notation::issue::Issue;
use gsw_trace::{Shown, measure};
use gsw_tree::event::{CircuitChange, Event, EventKind, JsonText, Level, Verdict};
use gsw_tree::node::Status;
use gsw_tree::observe::Observer;

use crate::terminal::held::{self, Ended, Held};
use crate::terminal::row::{Row, Tone};
use crate::terminal::stage::Stage;
use crate::undos::{Stepping, Undos};

/// How often is looked whether lines were held back long enough.
const BEAT: Duration = Duration::from_millis(100);

/// Prints events as lines. What failed, warned or was logged is printed at once and always; what went well is held back for a
/// moment, so that a thousand steps are not a thousand lines.
pub struct Lines {
    stage: Arc<Stage>,
    held: Held,
    undos: Undos,
}

impl Lines {
    pub fn new(stage: Arc<Stage>) -> Self {
        Self {
            stage,
            held: Held::new(),
            undos: Undos::default(),
        }
    }

    fn print(&self, lines: Vec<String>) {
        for line in lines {
            self.stage.line(line);
        }
    }

    fn print_at_once(&mut self, line: String) {
        let before = self.held.before_another();
        self.print(before);
        self.held.wrote(1);
        self.stage.line(line);
    }
}

/// What is waited for, and how an answer finds it.
fn waits_for(external: &str, key: Option<&str>, run: &str) -> String {
    let external = Shown::line(external);
    match key {
        Some(key) => format!(
            "… waits for `{external}` from outside, by the key {}",
            Shown::line(key)
        ),
        None => format!("… waits for `{external}` from outside, in the run {run}"),
    }
}

/// An answer that was kept, or was sent by another version of the program, does not fit.
fn refused_answer(issues: &[Issue]) -> String {
    let issues: Vec<&str> = issues.iter().map(|it| &*it.message).collect();
    let issues = issues.join("; ");
    format!(
        "! an answer from outside does not fit and is ignored: {}",
        Shown::line(&issues)
    )
}

impl Observer for Lines {
    fn event(&mut self, event: &Arc<Event>) {
        match line(event, self.undos.see(event)) {
            Some(Line::AtOnce(line)) => self.print_at_once(line),
            Some(Line::Ended(ended)) => self.held.add(&ended),
            None => {}
        }
        if let EventKind::HumanRequest { digest, .. } = &event.kind {
            let before = self.held.all();
            self.print(before);
            self.stage.announce(digest);
        }
        let due = self.held.due();
        self.print(due);
    }

    fn past(&mut self, event: &Arc<Event>) {
        self.undos.see(event);
        // It was printed then; but a question that has no answer is asked again.
        if let EventKind::HumanRequest { digest, .. } = &event.kind {
            self.stage.announce(digest);
        }
    }

    fn lost(&mut self, count: u64) {
        self.print_at_once(format!("({count} events are not shown)"));
    }

    fn pause(&mut self) {
        let due = self.held.due();
        self.print(due);
    }

    fn pulse(&self) -> Option<Duration> {
        (!self.held.is_empty()).then_some(BEAT)
    }

    fn end(&mut self) {
        let rest = self.held.all();
        self.print(rest);
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

/// The row that reports events that found no room.
pub fn lost_row(count: u64) -> Row {
    Row::default().with(Tone::Warn, &format!("({count} events are not shown)"))
}

/// The line that is shown for an event.
enum Line<'a> {
    AtOnce(String),
    /// That it has ended as a matter of course.
    Ended(Ended<'a>),
}

#[expect(
    clippy::too_many_lines,
    reason = "one line a kind: rustc names what a new kind must join"
)]
fn line(event: &Event, stepping: Stepping) -> Option<Line<'_>> {
    match &event.kind {
        EventKind::Log {
            level,
            message,
            data,
        } => Some(Line::AtOnce(log(*level, message, data.as_ref()))),
        EventKind::StepEnd { step, end } => Some(ended(Ended {
            kind: match stepping {
                Stepping::Step => Some("step"),
                Stepping::Undo => None,
            },
            name: step,
            time: event.time,
            end,
            usage: None,
            more: "",
            dropped: 0,
        })),
        EventKind::ToolCall { tool, end, .. } => Some(ended(Ended {
            kind: Some("tool"),
            name: tool,
            time: event.time,
            end,
            usage: None,
            more: "",
            dropped: 0,
        })),
        EventKind::StepRetry {
            step,
            attempt,
            error,
            ..
        } => Some(Line::AtOnce(format!(
            "↻ {}: attempt {}: {}",
            Shown::line(step),
            attempt + 1,
            Shown::line(error)
        ))),
        EventKind::Circuit { model, change, .. } => {
            let model = Shown::line(model);
            Some(Line::AtOnce(match change {
                CircuitChange::Opened => {
                    format!("✗ {model} is down: prompts that name another model ask that one")
                }
                CircuitChange::Closed => format!("✓ {model} answers again"),
            }))
        }
        EventKind::ModelRetry {
            model,
            attempt,
            error,
            delay,
            ..
        } => Some(Line::AtOnce(format!(
            "↻ {}: request {attempt} in {}: {}",
            Shown::line(model),
            measure::duration(*delay),
            Shown::line(error)
        ))),
        EventKind::PromptEnd {
            prompt,
            end,
            usage,
            detail,
        } => {
            let (is_cached, is_simulated) = detail
                .as_ref()
                .map_or((false, false), |it| (it.cached, it.simulated));
            let dropped = detail.as_ref().map_or(0, |it| it.dropped.len());
            Some(ended(Ended {
                kind: Some("prompt"),
                name: prompt,
                time: event.time,
                end,
                usage: Some(*usage),
                more: match (is_cached, is_simulated) {
                    (false, false) => "",
                    (true, false) => ", cached",
                    (false, true) => ", simulated",
                    (true, true) => ", cached, simulated",
                },
                dropped,
            }))
        }
        EventKind::ExternalRequest { external, key, .. } => Some(Line::AtOnce(waits_for(
            external,
            key.as_deref(),
            &event.run,
        ))),
        EventKind::ExternalAnswer {
            verdict: Verdict::Refused,
            issues,
            ..
        } => Some(Line::AtOnce(refused_answer(issues))),
        EventKind::ChildAttached { .. }
        | EventKind::ChildDetached { .. }
        | EventKind::Status { .. }
        | EventKind::TreeUpdated { .. }
        | EventKind::WorkflowStart { .. }
        | EventKind::WorkflowEnd { .. }
        | EventKind::StepStart { .. }
        | EventKind::StepRestarted { .. }
        | EventKind::TaskStart
        | EventKind::TaskEnd { .. }
        | EventKind::Error(_)
        | EventKind::Emit { .. }
        | EventKind::StateChanged { .. }
        | EventKind::StateSnapshot { .. }
        | EventKind::PromptStart { .. }
        | EventKind::ModelRequest { .. }
        | EventKind::ModelAnswer { .. }
        | EventKind::InvalidResponse { .. }
        | EventKind::CacheHit { .. }
        | EventKind::CacheMiss { .. }
        | EventKind::StreamDelta { .. }
        | EventKind::CacheWait { .. }
        | EventKind::PromptRevision { .. }
        | EventKind::CacheEvict { .. }
        | EventKind::ReflectionStart { .. }
        | EventKind::ReflectionEnd { .. }
        | EventKind::HumanRequest { .. }
        | EventKind::HumanAnswer { .. }
        | EventKind::ExternalAnswer {
            verdict: Verdict::Accepted,
            ..
        }
        | EventKind::Cancel { .. }
        | EventKind::Budget { .. }
        | EventKind::SpawnRequest { .. }
        | EventKind::Skill { .. }
        | EventKind::McpEvent { .. }
        | EventKind::SessionShortened { .. }
        | EventKind::ResultsCleared { .. }
        | EventKind::Hook { .. }
        | EventKind::Untrusted { .. } => None,
    }
}

/// What has failed or lost something is shown at once.
fn ended(ended: Ended<'_>) -> Line<'_> {
    if ended.dropped > 0 {
        return Line::AtOnce(held::line(&ended));
    }
    match ended.end.status {
        Status::Failed => Line::AtOnce(held::line(&ended)),
        Status::Idle | Status::Running | Status::Completed | Status::Cancelled => {
            Line::Ended(ended)
        }
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
