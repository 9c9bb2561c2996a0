//! The answer's schema as providers take it: their strict form, a root that is an object, or a description in words.

use gsw_engine::model::ModelFailure;
use serde_json::{Value, json};

use crate::answer::{WRAPPED, strict_json};

/// The schema in the form that constrained decoding takes. What it cannot express goes into descriptions, and is checked here.
pub(crate) fn strict(schema: &Value) -> Value {
    gsw_abi::schema::strict(schema).0
}

/// Whether constrained decoding takes the schema at all: it knows no maps, no free JSON, no recursion.
pub(crate) fn can_constrain(schema: &Value) -> bool {
    gsw_abi::schema::strict_obstacle(schema).is_none()
}

/// The schema with every property required, as one of the protocols wants it.
pub(crate) fn with_all_required(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(keywords) => {
            if let Some(Value::Object(properties)) = keywords.get("properties") {
                let names: Vec<Value> = properties.keys().map(|it| it.as_str().into()).collect();
                keywords.insert("required".into(), names.into());
            }
            for value in keywords.values_mut() {
                *value = with_all_required(value.take());
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = with_all_required(item.take());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    schema
}

/// The schema with an object at its root, and whether it had to be wrapped for that.
pub(crate) fn with_object_root(schema: Value) -> (Value, bool) {
    if schema.get("type").and_then(Value::as_str) == Some("object") {
        return (schema, false);
    }
    let mut inner = schema;
    let definitions = inner
        .as_object_mut()
        .and_then(|it| it.shift_remove("$defs"));
    let mut root = json!({
        "type": "object",
        "properties": { WRAPPED: inner },
        "required": [WRAPPED],
        "additionalProperties": false,
    });
    if let (Some(definitions), Some(root)) = (definitions, root.as_object_mut()) {
        root.insert("$defs".into(), definitions);
    }
    (root, true)
}

/// The text of the answer inside of its wrapper; any other text as it is.
pub(crate) fn unwrapped(text: String) -> String {
    match strict_json(&text) {
        Some(Value::Object(mut object)) if object.len() == 1 => {
            match object.shift_remove(WRAPPED) {
                Some(value) => value.to_string(),
                None => text,
            }
        }
        _ => text,
    }
}

/// The system text with the schema described, for models and servers that take none.
pub(crate) fn described(system: Option<&str>, schema: &Value) -> String {
    let before = system.map_or(String::new(), |it| format!("{it}\n\n"));
    format!(
        "{before}Answer with one JSON value that fits this JSON Schema, without any other text around it:\n{schema}"
    )
}

/// Whether a request failed because of its schema, so that describing it instead may work.
pub(crate) fn is_refused(failure: &ModelFailure) -> bool {
    const SIGNS: &[&str] = &[
        "grammar",
        "schema",
        "output_config",
        "response_format",
        "structured output",
    ];
    matches!(failure.status, Some(400 | 422)) && SIGNS.iter().any(|it| failure.message.contains(it))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{unwrapped, with_all_required, with_object_root};

    #[test]
    fn a_list_is_wrapped_and_unwrapped() {
        let list = json!({"type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {}}});
        let (root, is_wrapped) = with_object_root(list);
        assert!(is_wrapped);
        assert_eq!(root["$defs"], json!({"A": {}}));
        assert_eq!(unwrapped(r#"{"value": [1, 2.50]}"#.into()), "[1,2.50]");
        assert_eq!(unwrapped("{\"value\": [1".into()), "{\"value\": [1");
    }

    #[test]
    fn properties_of_properties_are_required() {
        let inner = json!({"type": "object", "properties": {"b": {}, "c": {}}});
        let outer = json!({"properties": {"a": inner}, "required": []});
        let all = with_all_required(outer);
        assert_eq!(all["required"], json!(["a"]));
        assert_eq!(all["properties"]["a"]["required"], json!(["b", "c"]));
    }
}
