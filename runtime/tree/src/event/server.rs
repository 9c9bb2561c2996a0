//! What happens with an MCP server between its answers.

use serde::{Deserialize, Serialize};

use crate::event::JsonText;

/// What happened with an MCP server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct McpHappened {
    /// What it was.
    pub what: McpWhat,
    /// What is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<JsonText>,
}

/// What may happen with an MCP server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum McpWhat {
    /// It was started or reached; the payload is its `name`, `version` and `protocol`.
    Started,
    /// It has ended or is out of reach.
    Ended,
    /// It has other tools now.
    ToolsChanged,
    ResourcesChanged,
    PromptsChanged,
    /// It has sent a log message: `level`, `logger` and `data`.
    Log,
    /// It is so far with a call: `progress`, `total` and `message`.
    Progress,
    /// It has asked its caller for something that it is not granted: `method`.
    Refused,
    /// Its `list` (of `tools`, for example) names what cannot be read and is left out: `names`.
    Unreadable,
    /// `count` of these things were too many to be reported.
    Dropped,
}
