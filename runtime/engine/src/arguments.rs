//! The arguments of a call or run, as far as needed to tell whether another one with the same key or id has different ones.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};

/// The names of arguments, each with a digest of its value: values may be large, and secret.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arguments(Box<[(Box<str>, u64)]>);

impl Arguments {
    #[must_use]
    pub fn of(given: &Map<String, Value>) -> Self {
        let digests = given.iter().map(|(name, value)| {
            // Its key is always the same, so that a replayed run describes its arguments alike.
            let mut hasher = DefaultHasher::new();
            feed(value, &mut hasher);
            (name.as_str().into(), hasher.finish())
        });
        Self(digests.collect())
    }

    /// The names of the arguments that differ in another call, as a list for people; `None` where none differs.
    #[must_use]
    pub fn differing(&self, other: &Self) -> Option<String> {
        let value = |of: &Self, name: &str| of.0.iter().find(|it| *it.0 == *name).map(|it| it.1);
        let names = self.0.iter().chain(other.0.iter()).map(|it| &*it.0);
        let mut differing: Vec<String> = Vec::new();
        for name in names {
            let quoted = format!("`{name}`");
            if value(self, name) != value(other, name) && !differing.contains(&quoted) {
                differing.push(quoted);
            }
        }
        (!differing.is_empty()).then(|| differing.join(", "))
    }
}

/// A value, whatever the order of its keys is. JSON nests 512 levels at most.
fn feed(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(it) => (1_u8, it).hash(hasher),
        Value::Number(it) => (2_u8, it.to_string()).hash(hasher),
        Value::String(it) => (3_u8, it).hash(hasher),
        Value::Array(items) => {
            (4_u8, items.len()).hash(hasher);
            items.iter().for_each(|it| feed(it, hasher));
        }
        Value::Object(fields) => {
            (5_u8, fields.len()).hash(hasher);
            let mut keys: Vec<&String> = fields.keys().collect();
            keys.sort();
            for key in keys {
                key.hash(hasher);
                feed(&fields[key], hasher);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Arguments;

    fn of(given: &Value) -> Arguments {
        Arguments::of(given.as_object().expect("arguments have names"))
    }

    #[test]
    fn arguments_that_are_not_the_same_are_named() {
        let first = of(&json!({"order": "o1", "amount": 5, "to": {"a": 1, "b": [2, 3]}}));
        let same = of(&json!({"to": {"b": [2, 3], "a": 1}, "amount": 5, "order": "o1"}));
        assert_eq!(first.differing(&same), None);
        let other = of(&json!({"order": "o1", "amount": 7, "to": {"a": 1, "b": [3, 2]}}));
        assert_eq!(first.differing(&other).as_deref(), Some("`amount`, `to`"));
        let more = of(&json!({"order": "o1", "amount": 5, "to": {"a": 1, "b": [2, 3]}, "by": 1}));
        assert_eq!(first.differing(&more).as_deref(), Some("`by`"));
    }
}
