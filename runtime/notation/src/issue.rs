//! What does not fit in an answer or another JSON text, and the words for it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longer values are cut in messages; a guess at what a line holds.
const LONGEST: usize = 60;

/// What does not fit in an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Issue {
    /// Where in the value, as in `$.items[2].name`.
    pub path: String,
    /// What was expected in that place.
    pub expected: String,
    /// What was found there instead.
    pub found: String,
    /// All of it in one sentence.
    pub message: String,
}

impl Issue {
    /// An issue with both sides put into a sentence.
    #[must_use]
    pub fn new(path: String, expected: String, found: String) -> Self {
        let message = format!("at {path}: expected {expected}, found {found}");
        Self {
            path,
            expected,
            found,
            message,
        }
    }
}

/// What says nothing of a value but what it is; texts of values are quoted.
const KINDS: [&str; 3] = [NOTHING, ARRAY, OBJECT];
/// Found where a value is missing.
pub const NOTHING: &str = "nothing";
const ARRAY: &str = "an array";
const OBJECT: &str = "an object";

/// Whether what was found is described by its kind alone.
#[must_use]
pub fn is_kind(found: &str) -> bool {
    KINDS.contains(&found)
}

/// What a value is: small ones themselves, lists and objects by name.
#[must_use]
pub fn found(value: &Value) -> String {
    match value {
        Value::Array(_) => ARRAY.into(),
        Value::Object(_) => OBJECT.into(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let text = value.to_string();
            if text.chars().count() <= LONGEST {
                return text;
            }
            let cut: String = text.chars().take(LONGEST).collect();
            format!("{cut}…")
        }
    }
}
