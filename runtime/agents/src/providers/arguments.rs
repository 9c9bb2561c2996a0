//! The arguments of a tool call, which a model writes as text.

use gsw_notation::number;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::classify::shortened;
use crate::answer::strict_json;

pub(crate) fn none() -> Value {
    Value::Object(Map::new())
}

/// The arguments, and why they cannot be read; they are none then. A text of nothing means none as well.
pub(crate) fn read(text: &str) -> (Value, Option<String>) {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return (none(), None);
    }
    match strict_json(text) {
        Some(value) => checked(value),
        None => (
            none(),
            Some(format!("{}: `{}`", flaw(text), shortened(text))),
        ),
    }
}

/// Checks arguments that came as JSON.
pub(crate) fn checked(value: Value) -> (Value, Option<String>) {
    match value {
        Value::Object(_) => match beyond(&value) {
            None => (value, None),
            Some(digits) => (
                none(),
                Some(format!(
                    "no float can hold the number `{}`",
                    shortened(&digits)
                )),
            ),
        },
        Value::Null => (none(), None),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let shown = shortened(&value.to_string());
            (
                none(),
                Some(format!("this is not a JSON object: `{shown}`")),
            )
        }
    }
}

/// The first number in a value that is too large to be one.
fn beyond(value: &Value) -> Option<String> {
    match value {
        Value::Number(it) => Some(it.to_string()).filter(|it| !number::is_held(it)),
        Value::Array(items) => items.iter().find_map(beyond),
        Value::Object(fields) => fields.values().find_map(beyond),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

fn flaw(text: &str) -> String {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return format!("this is not JSON ({error})");
    }
    // This parser takes a field twice and nests less deep than ours.
    match serde_json::from_str::<Value>(text) {
        Ok(_) => "a field is named twice".into(),
        Err(error) if error.to_string().starts_with("recursion limit") => {
            "this is nested too deep".into()
        }
        Err(error) => format!("this is not JSON ({error})"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn what_cannot_be_read_says_why() {
        for text in ["", " ", "{}", "null", "\u{feff}{}"] {
            assert_eq!(read(text), (json!({}), None), "{text}");
        }
        let deep = format!("{{\"a\": {}1{}}}", "[".repeat(500), "]".repeat(500));
        assert_eq!(read(&deep).1, None);
        let deeper = deep.replace('1', "[[[[[[[[[[[[[1]]]]]]]]]]]]]");
        for (text, part) in [
            (
                "{\"a\": 1",
                "not JSON (EOF while parsing an object at line 1 column 7): `{\"a\": 1`",
            ),
            ("[1]", "not a JSON object: `[1]`"),
            (
                "{\"a\": \"\\ud800\"}",
                "not JSON (unexpected end of hex escape",
            ),
            ("{\"a\": 1, \"a\": 2}", "named twice"),
            (
                "{\"a\": [{\"b\": -1e999}]}",
                "no float can hold the number `-1e999`",
            ),
            (deeper.as_str(), "nested too deep"),
        ] {
            let (input, flaw) = read(text);
            let flaw = flaw.expect("a flaw");
            assert!(flaw.contains(part), "{flaw}");
            assert_eq!(input, json!({}));
        }
    }
}
