//! JSON as text: a value of the program as observers see it, encoded once and shared.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use gsw_notation::json;

/// How deep a raw text may nest where a tree is made of it: `serde_json` reads it anew then, with its own limit of 128.
const DEPTH_OF_RAW: usize = 127;

/// A JSON text. It is written as the JSON that it is, not as a string.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct JsonText(Arc<str>);

impl JsonText {
    /// The text, without spaces between its parts.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }

    /// Its text as it can stand in a line of JSON; `None` when it must be written anew: because it has lines of its own, because it
    /// is deeper than what `serde_json` makes a tree of, or because it is no JSON after all.
    fn raw(&self) -> Option<&RawValue> {
        let has_lines = self.0.contains(['\n', '\r']);
        if has_lines || json::is_deeper(&self.0, DEPTH_OF_RAW) {
            return None;
        }
        serde_json::from_str(&self.0).ok()
    }

    /// Its tree. What is no JSON after all, or deeper than what is read, becomes a string, so that nothing is lost.
    #[must_use]
    pub fn tree(&self) -> Value {
        json::parse(&self.0).unwrap_or_else(|_| Value::String(self.0.to_string()))
    }
}

impl From<Arc<str>> for JsonText {
    fn from(text: Arc<str>) -> Self {
        Self(text)
    }
}

impl From<String> for JsonText {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<Value> for JsonText {
    fn from(tree: Value) -> Self {
        Self::from(&tree)
    }
}

impl From<&Value> for JsonText {
    fn from(tree: &Value) -> Self {
        Self(tree.to_string().into())
    }
}

impl std::fmt::Display for JsonText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.raw() {
            Some(raw) => raw.serialize(serializer),
            None => self.tree().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|tree| Self::from(&tree))
    }
}

#[cfg(test)]
impl schemars::JsonSchema for JsonText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "JsonText".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!(true)
    }
}

#[cfg(test)]
mod tests {
    use gsw_notation::json::{MAX_DEPTH, parse};

    use super::JsonText;

    #[test]
    fn a_tree_is_made_of_a_text_that_nests_as_deep_as_any() {
        for depth in [1, 127, 128, 200, MAX_DEPTH] {
            let text = format!("{}1.50{}", "[".repeat(depth), "]".repeat(depth));
            let json = JsonText::from(text.clone());
            let tree = serde_json::json!({ "input": json });
            assert_eq!(
                tree["input"],
                parse(&text).expect("it nests no deeper"),
                "{depth}"
            );
            assert_eq!(serde_json::to_string(&json).ok(), Some(text), "{depth}");
        }
    }
}
