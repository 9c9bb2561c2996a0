//! An error as data: what an `error` event holds, and what a run that did not rescue it ends with.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::{JsonText, LogLine};
use crate::node::NodeId;

/// The `state` variables of a workflow at one time, in the order of their declarations.
pub type State = IndexMap<Arc<str>, JsonText>;

/// An error with what was around it when it arose.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunError {
    /// Its kind, such as `Failed` or `Timeout`.
    pub error: String,
    /// Its text, as people read it.
    pub message: String,
    /// Its fields by name, as JSON.
    pub fields: Value,
    /// Of `Many`: what it is made of, the first hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ErrorPart>,
    /// Whether it is a fault, which is part of no signature.
    pub is_fault: bool,
    /// The places that it passed, from the inside out.
    pub trace: Vec<TracePlace>,
    /// How many places are left out in the middle of the trace.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// The path of the node in which it arose.
    pub path: String,
    /// The workflow in which it arose; none outside of any.
    #[serde(default)]
    pub workflow: Option<NodeId>,
    /// The state of that workflow when it arose.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, Value>"))]
    pub state: State,
    /// The last lines that the node in which it arose had logged, and what was below it.
    #[serde(default)]
    pub logs: Vec<LogLine>,
    /// What workflows had done and could not take back when they failed: where, and why not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_undone: Vec<String>,
    /// What the user can do.
    pub hint: Option<String>,
}

/// One of the errors that a `Many` is made of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorPart {
    /// The name of the error's type.
    pub error: String,
    /// What it says.
    pub message: String,
    /// The path of the node in which it arose; empty when that is not known.
    pub path: String,
    /// What people call that node: the names on the way to it from where the errors were gathered.
    pub name: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl RunError {
    /// About how many bytes of text it holds.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        let state: usize = self.state.values().map(|it| it.text().len()).sum();
        let log =
            |it: &LogLine| it.message.len() + it.data.as_ref().map_or(0, |it| it.text().len());
        let logs: usize = self.logs.iter().map(log).sum();
        let part = |it: &ErrorPart| it.message.len() + it.path.len() + it.name.len();
        let parts: usize = self.parts.iter().map(part).sum();
        self.message.len() + state + logs + parts
    }
}

/// A place in source that an error has passed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TracePlace {
    /// The file, as shown to the user.
    pub file: String,
    /// The line in the file, from 1.
    pub line: u32,
    /// From 1, in Unicode scalar values.
    pub column: u32,
    /// The whole line, unless sources were stripped.
    pub source: Option<String>,
    /// How many characters of that line are meant.
    pub width: u32,
}
