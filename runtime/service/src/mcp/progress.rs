//! Which of a run's events are reported to a caller while it waits.

use gsw_tree::event::{EventKind, Level};

use crate::mcp::callers::Line;
use crate::undos::Stepping;

/// The line for an event; most have none.
pub(super) fn line(event: &EventKind, stepping: Stepping) -> Option<Line> {
    if let EventKind::Log { level, message, .. } = event {
        let text = message.to_string();
        let level = Some(*level);
        return Some(Line { text, level });
    }
    let text = text(event, stepping)?;
    Some(Line { text, level: None })
}

fn text(event: &EventKind, stepping: Stepping) -> Option<String> {
    match event {
        EventKind::StepStart { step } => Some(match stepping {
            Stepping::Step => format!("step {step}"),
            Stepping::Undo => step.to_string(),
        }),
        EventKind::StepRetry {
            step,
            attempt,
            error,
            ..
        } => Some(format!("{step}, attempt {}: {error}", attempt + 1)),
        EventKind::PromptStart { prompt, .. } => Some(format!("prompt {prompt}")),
        EventKind::ToolCall { tool, .. } => Some(format!("tool {tool}")),
        EventKind::Emit { value } => Some(value.text().to_owned()),
        EventKind::ExternalRequest { external, .. } => Some(format!("waits for {external}")),
        EventKind::Log { .. }
        | EventKind::ChildAttached { .. }
        | EventKind::ChildDetached { .. }
        | EventKind::Status { .. }
        | EventKind::TreeUpdated { .. }
        | EventKind::WorkflowStart { .. }
        | EventKind::WorkflowEnd { .. }
        | EventKind::StepEnd { .. }
        | EventKind::StepRestarted { .. }
        | EventKind::TaskStart
        | EventKind::TaskEnd { .. }
        | EventKind::Error(_)
        | EventKind::StateChanged { .. }
        | EventKind::StateSnapshot { .. }
        | EventKind::PromptEnd { .. }
        | EventKind::StreamDelta { .. }
        | EventKind::PromptRevision { .. }
        | EventKind::ModelRequest { .. }
        | EventKind::ModelAnswer { .. }
        | EventKind::Circuit { .. }
        | EventKind::ModelRetry { .. }
        | EventKind::InvalidResponse { .. }
        | EventKind::CacheHit { .. }
        | EventKind::CacheMiss { .. }
        | EventKind::CacheWait { .. }
        | EventKind::CacheEvict { .. }
        | EventKind::ReflectionStart { .. }
        | EventKind::ReflectionEnd { .. }
        | EventKind::HumanRequest { .. }
        | EventKind::HumanAnswer { .. }
        | EventKind::ExternalAnswer { .. }
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

/// The text of what is progress.
pub(crate) fn progress(event: &EventKind, stepping: Stepping) -> Option<String> {
    line(event, stepping).filter(is_progress).map(|it| it.text)
}

/// Whether a line is progress for clients that ask for that.
pub(super) fn is_progress(line: &Line) -> bool {
    match line.level {
        Some(Level::Debug) => false,
        Some(Level::Info | Level::Warn | Level::Error) | None => true,
    }
}
