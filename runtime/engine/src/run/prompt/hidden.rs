//! What a prompt shows to its model and to nobody else: the `@secret` fields of its arguments.

use gsw_abi::builtin::JSON;
use serde_json::Value;

use crate::codec;
use crate::heap::Heap;

/// What stands for a hidden value; the codec writes it.
const REDACTED: &str = "***";

/// The texts of hidden values, longest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Hidden(Vec<String>);

impl Hidden {
    /// What is hidden in a `json` word, which is borrowed, given what everybody may see of it.
    pub(crate) fn of(heap: &Heap, word: u64, shown: &str) -> Self {
        let whole = codec::encode(heap, JSON, word);
        if whole == shown {
            return Self::default();
        }
        let read = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
        let mut found = Vec::new();
        collect(&read(&whole), &read(shown), &mut found);
        found.sort_by_key(|it| std::cmp::Reverse(it.len()));
        Self(found)
    }

    /// A value in which every text is without them.
    pub(crate) fn redact(&self, value: Value) -> Value {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Value::String(mut text) => {
                for hidden in &self.0 {
                    text = text.replace(hidden.as_str(), REDACTED);
                }
                Value::String(text)
            }
            Value::Array(items) => items.into_iter().map(|it| self.redact(it)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, it)| (name, self.redact(it)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }
}

/// Both are the same value, once whole and once with hidden parts replaced. Strings show as they are and as JSON inside of JSON.
fn collect(whole: &Value, shown: &Value, found: &mut Vec<String>) {
    match (whole, shown) {
        (Value::Object(whole), Value::Object(shown)) => {
            for (name, value) in whole {
                collect(value, shown.get(name).unwrap_or(&Value::Null), found);
            }
        }
        (Value::Array(whole), Value::Array(shown)) if whole.len() == shown.len() => {
            for (value, shown) in whole.iter().zip(shown) {
                collect(value, shown, found);
            }
        }
        (whole, shown) if whole == shown => {}
        (Value::String(text), _) => {
            let quoted = whole.to_string();
            found.extend([text.clone(), quoted.trim_matches('"').to_owned()]);
            found.retain(|it| !it.is_empty());
        }
        (whole, _) => found.push(whole.to_string()),
    }
}
