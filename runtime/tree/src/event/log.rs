//! Lines of the log.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::event::{JsonText, form};
use crate::node::NodeId;

/// How grave a line of the log is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// For debugging.
    Debug,
    /// For every reader of the log.
    Info,
    /// Something may be wrong; the run continues.
    Warn,
    /// Something is wrong; the run may continue.
    Error,
}

impl Level {
    /// The level that `log` names by a number; everything above the last is the last.
    #[must_use]
    pub const fn of(number: u64) -> Self {
        match number {
            0 => Self::Debug,
            1 => Self::Info,
            2 => Self::Warn,
            _ => Self::Error,
        }
    }

    /// Its word in JSON and in texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// A line of the log, as it is kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LogLine {
    /// When it was written; RFC 3339 in JSON.
    #[serde(with = "form::time")]
    #[cfg_attr(test, schemars(with = "form::Time"))]
    pub time: i64,
    /// The node that wrote it.
    pub node: NodeId,
    /// How grave the line is.
    pub level: Level,
    /// The text of the line.
    pub message: Arc<str>,
    /// The values that were given beside the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<JsonText>,
}
