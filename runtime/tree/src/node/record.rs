//! A node as a record: what programs, hosts and models are shown of it.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use serde::{Deserialize, Serialize};

use crate::event::{JsonText, form};
use crate::node::{NodeId, Status};
use crate::usage::Usage;

/// A node as it was when it was asked for. Secrets in it are `***`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NodeRecord {
    /// Its number in the run.
    pub id: NodeId,
    pub kind: NodeKind,
    pub name: Arc<str>,
    /// What it is called from the outermost node down; the same in every run of the program.
    pub path: String,
    pub status: Status,
    /// The node that it is in.
    pub parent: Option<NodeId>,
    /// The innermost workflow around it, itself included.
    pub workflow: Option<NodeId>,
    /// How many nodes it is in.
    pub depth: u32,
    /// How many nodes are in it directly.
    pub children: u32,
    /// How often it was tried; of a prompt, its requests.
    pub attempts: u32,
    /// When it began, in nanoseconds since 1970; RFC 3339 in JSON.
    #[serde(with = "form::time")]
    pub start: i64,
    #[serde(with = "form::optional_time")]
    pub end: Option<i64>,
    /// How long it took, or has taken until now, in nanoseconds; in JSON seconds.
    #[serde(with = "form::seconds")]
    pub duration: i64,
    pub input: Option<JsonText>,
    pub output: Option<JsonText>,
    /// The error that it ended with.
    pub error: Option<Arc<str>>,
    /// Whether input and output were forgotten to save memory, or left out because the answer is too large.
    pub evicted: bool,
    /// The prompt whose answer has taken the place of this one's.
    pub revised_by: Option<NodeId>,
    /// Tokens, its own and those of what has ended in it.
    pub usage: Usage,
    /// What they cost, as far as prices are known.
    pub cost_usd: Option<f64>,
    /// HTTP requests to models, failed ones included.
    pub requests: u64,
    pub tool_calls: u64,
}

/// What a step or prompt gave.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OutputRecord {
    pub id: NodeId,
    pub kind: NodeKind,
    pub name: Arc<str>,
    pub path: String,
    pub value: Option<JsonText>,
    /// Whether that was forgotten to save memory, or left out because the answer is too large.
    pub evicted: bool,
}
