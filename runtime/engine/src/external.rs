//! Answers from outside that are not given by a person: what a run waits for.

use gsw_abi::types::TypeId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest key, in bytes.
const MOST_KEY: usize = 1_000;

/// What a workflow waits for from outside.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct External {
    /// The name of the `external`.
    pub name: String,
    /// Finds it from any run of the program, also when the answer comes first.
    pub key: Option<String>,
    /// The type of the answer.
    pub result: TypeId,
    /// The JSON Schema that the answer must fit.
    pub schema: Value,
    /// The arguments by name, as observers see them; none without parameters.
    pub data: Option<String>,
    /// 64 hex digits over all of that, as observers see it.
    pub digest: String,
}

/// Why a text is no key, if it is none: one that no sender could repeat finds nothing.
#[must_use]
pub fn unfit_key(key: &str) -> Option<&'static str> {
    if key.trim().is_empty() {
        Some("is empty")
    } else if key.len() > MOST_KEY {
        Some("is longer than 1,000 bytes")
    } else if key.chars().any(char::is_control) {
        Some("holds control characters")
    } else {
        None
    }
}
