//! What a `hook` can be called for. The form of each handler is a private function of `std/hook` that has its name: its
//! parameters are what the handler is given and, last, what the handler has returned; its result is what the runtime acts on.

use serde::{Deserialize, Serialize};

use crate::program::FunctionIndex;
use crate::types::{Field, TypeId};

/// When a handler of a hook is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// A model wants a tool called, and its arguments fit.
    BeforeTool,
    /// A tool has given a result or an error, which is about to go to the model.
    AfterTool,
    /// A call of a prompt begins.
    SessionStart,
    /// A call of a prompt is about to ask its model, or to look for an answer that was kept.
    BeforePrompt,
    /// A call of a prompt has raised an error.
    OnError,
    /// A call of a prompt has ended because no budget allows it to continue.
    OnBudget,
    /// A call of a prompt has ended.
    SessionEnd,
}

impl Moment {
    pub const ALL: [Self; 7] = [
        Self::BeforeTool,
        Self::AfterTool,
        Self::SessionStart,
        Self::BeforePrompt,
        Self::OnError,
        Self::OnBudget,
        Self::SessionEnd,
    ];

    /// What the handler is called in source.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BeforeTool => "before_tool",
            Self::AfterTool => "after_tool",
            Self::SessionStart => "session_start",
            Self::BeforePrompt => "before_prompt",
            Self::OnError => "on_error",
            Self::OnBudget => "on_budget",
            Self::SessionEnd => "session_end",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// A hook that settings name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hook {
    /// Its name in the settings: outside of the entry module after that of its module and a dot.
    pub name: String,
    pub handlers: Vec<Handler>,
}

/// What a hook does at a moment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Handler {
    pub moment: Moment,
    pub parameters: Vec<Field>,
    /// The type of its decision.
    pub result: TypeId,
    /// The resumable function that takes the parameters.
    pub function: FunctionIndex,
}
