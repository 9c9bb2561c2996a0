//! Which events report the end of a node.

use crate::event::{End, EventKind};

impl EventKind {
    /// How something ended, for the kinds that report the end of a node.
    #[must_use]
    pub const fn end(&self) -> Option<&End> {
        match self {
            Self::Status { end }
            | Self::WorkflowEnd { end, .. }
            | Self::StepEnd { end, .. }
            | Self::TaskEnd { end }
            | Self::PromptEnd { end, .. }
            | Self::ToolCall { end, .. } => Some(end),
            Self::ChildAttached { .. }
            | Self::ChildDetached { .. }
            | Self::TreeUpdated { .. }
            | Self::WorkflowStart { .. }
            | Self::StepStart { .. }
            | Self::StepRetry { .. }
            | Self::StepRestarted { .. }
            | Self::TaskStart
            | Self::Error(_)
            | Self::Log { .. }
            | Self::Emit { .. }
            | Self::StateChanged { .. }
            | Self::StateSnapshot { .. }
            | Self::PromptStart { .. }
            | Self::ModelRequest { .. }
            | Self::ModelAnswer { .. }
            | Self::Circuit { .. }
            | Self::ModelRetry { .. }
            | Self::InvalidResponse { .. }
            | Self::CacheHit { .. }
            | Self::CacheMiss { .. }
            | Self::StreamDelta { .. }
            | Self::CacheWait { .. }
            | Self::PromptRevision { .. }
            | Self::CacheEvict { .. }
            | Self::ReflectionStart { .. }
            | Self::ReflectionEnd { .. }
            | Self::HumanRequest { .. }
            | Self::HumanAnswer { .. }
            | Self::ExternalRequest { .. }
            | Self::ExternalAnswer { .. }
            | Self::Cancel { .. }
            | Self::Budget { .. }
            | Self::SpawnRequest { .. }
            | Self::Skill { .. }
            | Self::McpEvent { .. }
            | Self::SessionShortened { .. }
            | Self::ResultsCleared { .. }
            | Self::Hook { .. }
            | Self::Untrusted { .. } => None,
        }
    }
}
