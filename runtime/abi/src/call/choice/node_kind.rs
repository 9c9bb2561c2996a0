//! The kinds of nodes, which compiled code names by their numbers.

use super::numbered::numbered;

/// What a node of the run's tree is; the first parameter of `node_enter`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u32)]
pub enum NodeKind {
    Workflow,
    Step,
    Task,
    Parallel,
    Iteration,
    Prompt,
    Tool,
    /// What a hook does at a moment.
    Hook,
    Human,
    External,
    Reflection,
    Attempt,
    Region,
    /// The run of an `undo` block.
    Undo,
}

numbered!(NodeKind {
    Workflow,
    Step,
    Task,
    Parallel,
    Iteration,
    Prompt,
    Tool,
    Hook,
    Human,
    External,
    Reflection,
    Attempt,
    Region,
    Undo,
});

impl NodeKind {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Workflow => "workflow",
            Self::Step => "step",
            Self::Task => "task",
            Self::Parallel => "parallel",
            Self::Iteration => "iteration",
            Self::Prompt => "prompt",
            Self::Tool => "tool",
            Self::Hook => "hook",
            Self::Human => "human",
            Self::External => "external",
            Self::Reflection => "reflection",
            Self::Attempt => "attempt",
            Self::Region => "region",
            Self::Undo => "undo",
        }
    }
}
