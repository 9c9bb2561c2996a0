//! A form of a server and what was filled in: fields that are missing have their default values, and all must be of their types.

use serde_json::{Map, Value};

/// What is sent of an answer, or why it does not fit.
pub(super) fn filled(
    form: &Value,
    mut answer: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let none = Map::new();
    let fields = form["properties"].as_object().unwrap_or(&none);
    for (name, field) in fields {
        if !answer.contains_key(name)
            && let Some(default) = field.get("default")
        {
            answer.insert(name.clone(), default.clone());
        }
    }
    // What a program has as none, a form does not have.
    answer.retain(|_, value| !value.is_null());
    for name in form["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        if !answer.contains_key(name) {
            return Err(format!("`{name}` is missing"));
        }
    }
    for (name, value) in &answer {
        let field = fields.get(name);
        let field = field.ok_or_else(|| format!("it has no field `{name}`"))?;
        if !fits(field, value) {
            return Err(format!("`{name}` does not fit {field}"));
        }
    }
    Ok(answer)
}

fn fits(field: &Value, value: &Value) -> bool {
    let is_of_type = match field["type"].as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value
            .as_array()
            .is_some_and(|it| it.iter().all(|it| fits(&field["items"], it))),
        Some(_) | None => true,
    };
    is_of_type && is_choice(field, value)
}

/// Whether a value is among the choices, which are a list or have titles.
fn is_choice(field: &Value, value: &Value) -> bool {
    let listed = field["enum"].as_array().is_none_or(|it| it.contains(value));
    let titled = ["oneOf", "anyOf"].iter().all(|it| {
        let choices = field[*it].as_array();
        choices.is_none_or(|it| it.iter().any(|it| it["const"] == *value))
    });
    listed && titled
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::filled;

    fn form() -> Value {
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "age": { "type": "integer", "default": 30 },
                "status": { "type": "string", "enum": ["on", "off"], "default": "on" },
                "sizes": { "type": "array", "items": { "type": "string", "anyOf": [{ "const": "s", "title": "Small" }] } },
            },
            "required": ["name"],
        })
    }

    fn fill(answer: Value) -> Result<Value, String> {
        let Value::Object(answer) = answer else {
            return Err("a test fills in objects".into());
        };
        filled(&form(), answer).map(Value::Object)
    }

    #[test]
    fn what_is_missing_has_its_default() {
        assert_eq!(
            fill(json!({ "name": "Ada", "sizes": ["s"] })),
            Ok(json!({ "name": "Ada", "sizes": ["s"], "age": 30, "status": "on" }))
        );
        assert_eq!(
            fill(json!({ "name": "Ada", "age": null })),
            Ok(json!({ "name": "Ada", "status": "on" }))
        );
    }

    #[test]
    fn what_does_not_fit_is_said() {
        for (answer, why) in [
            (json!({}), "`name` is missing"),
            (json!({ "name": 1 }), "`name` does not fit"),
            (
                json!({ "name": "Ada", "status": "idle" }),
                "`status` does not fit",
            ),
            (
                json!({ "name": "Ada", "sizes": ["m"] }),
                "`sizes` does not fit",
            ),
            (json!({ "name": "Ada", "other": 1 }), "no field `other`"),
        ] {
            let found = fill(answer);
            assert!(
                found.as_ref().is_err_and(|it| it.contains(why)),
                "{found:?}"
            );
        }
    }
}
