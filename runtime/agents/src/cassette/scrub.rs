//! Takes keys and secrets out of what is recorded, wherever a provider or a tool has repeated them.

use gsw_abi::provider::Provider;
use gsw_driver::host::UsedSecrets;
use serde_json::Value;

use crate::environment::Environment;

/// The fewest characters of a text that is taken out: shorter ones are parts of too many words. A guess.
const SHORTEST: usize = 4;
const REDACTED: &str = "***";

/// The object keys and secret values that a recording leaves out.
#[derive(Debug)]
pub(super) struct Scrub {
    keys: Vec<String>,
    secrets: UsedSecrets,
}

impl Scrub {
    pub fn new(environment: &Environment, secrets: UsedSecrets) -> Self {
        let providers = Provider::ALL.iter();
        let mut keys: Vec<String> = providers
            .filter_map(|it| environment.get(it.key()?))
            .collect();
        keys.dedup();
        Self { keys, secrets }
    }

    /// Replaces them in `value`.
    pub fn value(&self, value: Value) -> Value {
        let mut hidden: Vec<String> = self.keys.clone();
        hidden.extend(self.secrets.values());
        hidden.retain(|it| it.chars().count() >= SHORTEST);
        // A part of one must leave nothing of the other.
        hidden.sort_by_key(|it| std::cmp::Reverse(it.len()));
        without(value, &hidden)
    }
}

fn without(value: Value, hidden: &[String]) -> Value {
    match value {
        Value::String(text) => {
            let text = hidden
                .iter()
                .fold(text, |text, it| text.replace(it, REDACTED));
            Value::String(text)
        }
        Value::Array(items) => items.into_iter().map(|it| without(it, hidden)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, it)| (name, without(it, hidden)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}
