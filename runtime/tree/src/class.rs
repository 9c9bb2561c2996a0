//! How an effect may be repeated.

use serde::{Deserialize, Serialize};

/// How an effect may be repeated, from harmless to never.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// It changes nothing and depends on nothing that others change.
    Pure,
    /// It reads and changes nothing.
    Reads,
    Idempotent,
    /// Never a second time by itself.
    Once,
}
