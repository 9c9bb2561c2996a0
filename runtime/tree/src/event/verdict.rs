//! What is judged in a run, and how: answers, reflections, workflows that a model wants started.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What came of a model's request to start a workflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpawnVerdict {
    /// The workflow is started as the model asked.
    Granted,
    /// The workflow is not started, for the reason given.
    Refused,
}

/// How far a model is with a skill.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SkillStage {
    /// The model is given the name and what the skill is for.
    Offered,
    /// It has read the instructions.
    Activated,
    /// It has read a file of the skill.
    Read,
    /// What it asked for is not there, or not for this prompt.
    Refused,
}

/// What came of asking a hook.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HookVerdict {
    /// It has left everything as it was.
    Passed,
    /// It has changed what it was shown, or added to it.
    Changed,
    /// What it was asked about does not happen.
    Denied,
    /// It has raised an error, which counts as a denial where it could have denied something.
    Failed,
}

/// Untrusted content, where only trusted content may be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Untrusted {
    /// The tool that the model calls, by its name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Arc<str>>,
    /// The places in the arguments of the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Whether it may be there.
    pub verdict: TrustVerdict,
    /// Why it is trusted, or which untrusted content is in the conversation.
    pub reason: String,
}

/// What becomes of untrusted content where only trusted content may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TrustVerdict {
    /// The call is not made.
    Refused,
    /// It is accepted, since the program vouches for it.
    Trusted,
}

/// What became of the circuit of a model, which the runs of a process share: while it is open, the model is not asked where
/// another one follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CircuitChange {
    /// The model failed as often in a row as is borne.
    Opened,
    /// It answers again.
    Closed,
}

/// What a reflection looks at again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReflectionLevel {
    /// The answer of a model.
    Prompt,
    /// A failed step or block.
    Step,
    /// A workflow whose body has failed.
    Workflow,
}

impl ReflectionLevel {
    /// As in JSON, and as a judge sees it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Step => "step",
            Self::Workflow => "workflow",
        }
    }
}

/// What becomes of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is the value of the call.
    Accepted,
    /// It does not fit, and is asked for again.
    Refused,
}
