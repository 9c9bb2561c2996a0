//! How a `state` variable changed, and where in it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What became of a `state` variable, or of a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StateChange {
    /// It has the value of the event.
    #[default]
    Set,
    /// The value of the event, a list or a string, is joined to its end.
    Append,
}

/// One step from a value to a part of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PathStep {
    /// An element of a list or tuple.
    Index(u64),
    /// A field of a record, or what is under a key of a map.
    Key(Arc<str>),
}
