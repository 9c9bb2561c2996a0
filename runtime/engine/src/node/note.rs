//! What a tree remembers of events besides the nodes themselves: keys of the cache.

use std::sync::Arc;

use crate::event::EventKind;
use crate::node::{Status, Tree};

impl Tree {
    /// Remembers what is to be asked for later.
    pub(crate) fn note(&mut self, kind: &EventKind) {
        match kind {
            EventKind::CacheHit { key } => {
                self.cache_keys.insert(key.as_str().into());
            }
            EventKind::PromptEnd { end, detail, .. } => {
                if end.status == Status::Completed {
                    let key = detail.as_ref().and_then(|it| it.cache_key.as_deref());
                    self.cache_keys.extend(key.map(Arc::from));
                }
            }
            EventKind::ChildAttached { .. }
            | EventKind::ChildDetached { .. }
            | EventKind::Status { .. }
            | EventKind::TreeUpdated { .. }
            | EventKind::WorkflowStart { .. }
            | EventKind::WorkflowEnd { .. }
            | EventKind::StepStart { .. }
            | EventKind::StepEnd { .. }
            | EventKind::StepRetry { .. }
            | EventKind::StepRestarted { .. }
            | EventKind::TaskStart
            | EventKind::TaskEnd { .. }
            | EventKind::Error(_)
            | EventKind::Log { .. }
            | EventKind::Emit { .. }
            | EventKind::StateChanged { .. }
            | EventKind::StateSnapshot { .. }
            | EventKind::PromptStart { .. }
            | EventKind::ModelRequest { .. }
            | EventKind::ModelAnswer { .. }
            | EventKind::InvalidResponse { .. }
            | EventKind::CacheMiss { .. }
            | EventKind::CacheWait { .. }
            | EventKind::CacheEvict { .. }
            | EventKind::ReflectionStart { .. }
            | EventKind::ReflectionEnd { .. }
            | EventKind::HumanRequest { .. }
            | EventKind::HumanAnswer { .. }
            | EventKind::Cancel { .. }
            | EventKind::Budget { .. }
            | EventKind::SpawnRequest { .. }
            | EventKind::ToolCall { .. } => {}
        }
    }
}
