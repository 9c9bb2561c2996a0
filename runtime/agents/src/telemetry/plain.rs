//! Which fields of events are names and figures: what else they hold is what programs, models and people say, and leaves the
//! process only where content is asked for.

use gsw_tree::event::{EventKind, SkillStage, SpawnVerdict};

/// The fields of an event that are names of the program and figures, as JSON calls them. One that is not here is withheld.
pub(super) const fn plain_fields(kind: &EventKind) -> &'static [&'static str] {
    match kind {
        EventKind::ChildDetached { .. } => &["child", "workflow"],
        EventKind::StepRetry { .. } => &["step", "attempt", "delay"],
        EventKind::StepRestarted { .. } => &["step", "attempt"],
        EventKind::StateChanged { .. } => &["name", "op"],
        EventKind::Circuit { .. } => &["model", "change"],
        EventKind::ModelRetry { .. } => &["model", "attempt", "status", "delay"],
        EventKind::CacheHit { .. }
        | EventKind::CacheMiss { .. }
        | EventKind::CacheWait { .. }
        | EventKind::CacheEvict { .. } => &["key"],
        EventKind::PromptRevision { .. } => &["old", "new"],
        EventKind::ReflectionStart { .. } => &["level", "round"],
        EventKind::ReflectionEnd { .. } => &["level", "success"],
        EventKind::HumanRequest { .. } => &["human", "digest"],
        // The key of an external is made of its arguments.
        EventKind::ExternalRequest { .. } => &["external", "digest"],
        EventKind::HumanAnswer { .. } | EventKind::ExternalAnswer { .. } => &["digest", "verdict"],
        EventKind::Budget { .. } => &["calls", "tokens", "usd"],
        // What is refused may be any word of a model.
        EventKind::SpawnRequest { verdict, .. } => match verdict {
            SpawnVerdict::Granted => &["workflow", "verdict"],
            SpawnVerdict::Refused => &["verdict"],
        },
        EventKind::Skill { stage, .. } => match stage {
            SkillStage::Offered | SkillStage::Activated | SkillStage::Read => &["skill", "stage"],
            SkillStage::Refused => &["stage"],
        },
        EventKind::McpEvent { .. } => &["server", "what"],
        EventKind::SessionShortened { .. } => &["session", "gone", "kept", "made"],
        EventKind::ResultsCleared { .. } => &["results", "tokens", "cleared", "window"],
        EventKind::Hook { .. } => &["hook", "moment", "verdict"],
        EventKind::Untrusted(_) => &["tool", "arguments", "verdict"],
        EventKind::Cancel { .. }
        | EventKind::Emit { .. }
        | EventKind::StateSnapshot { .. }
        | EventKind::InvalidResponse { .. } => &[],
        // Their spans say what is known of them.
        EventKind::ChildAttached { .. }
        | EventKind::Status { .. }
        | EventKind::TreeUpdated { .. }
        | EventKind::WorkflowStart { .. }
        | EventKind::WorkflowEnd { .. }
        | EventKind::StepStart { .. }
        | EventKind::StepEnd { .. }
        | EventKind::TaskStart
        | EventKind::TaskEnd { .. }
        | EventKind::Error(_)
        | EventKind::Log { .. }
        | EventKind::PromptStart { .. }
        | EventKind::PromptEnd { .. }
        | EventKind::StreamDelta { .. }
        | EventKind::ModelRequest { .. }
        | EventKind::ModelAnswer { .. }
        | EventKind::ToolCall { .. } => &[],
    }
}
