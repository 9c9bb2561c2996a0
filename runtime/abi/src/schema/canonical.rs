//! Hashes of schemas and other JSON, over a form that does not depend on the order of keys.

use gsw_notation::hex;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// 16 hexadecimal digits that change exactly when the schema does.
#[must_use]
pub fn schema_hash(schema: &Value) -> String {
    let mut digits = canonical_digest(schema);
    digits.truncate(16);
    digits
}

/// SHA-256 of a JSON value in 64 hexadecimal digits, whatever the order of its keys.
#[must_use]
pub fn canonical_digest(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    hex::text(Sha256::digest(text.as_bytes()))
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in entries {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&value.to_string());
        }
    }
}
