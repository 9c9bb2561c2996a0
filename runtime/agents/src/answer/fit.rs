//! Whether a value fits a schema in shape; only for choosing between ways to read it, never instead of the real check.

use serde_json::{Map, Value};

/// How deep references are followed.
const MOST_DEPTH: u32 = 600;

/// The schema behind references.
pub(crate) fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    // A chain of references is short; a circle of them describes nothing.
    for _ in 0..32 {
        let reference = schema.get("$ref").and_then(Value::as_str);
        match reference.and_then(|it| root.pointer(it.strip_prefix('#')?)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// The alternatives of a schema, if it is a choice.
pub(crate) fn branches(schema: &Value) -> Option<&Vec<Value>> {
    let choice = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    choice.as_array()
}

/// The types that a schema names; none means any.
pub(crate) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether the value has the shape that the schema asks for.
pub(crate) fn fits(value: &Value, schema: &Value, root: &Value) -> bool {
    fits_at(value, schema, root, 0)
}

fn fits_at(value: &Value, schema: &Value, root: &Value, depth: u32) -> bool {
    if depth > MOST_DEPTH {
        return false;
    }
    let schema = resolved(schema, root);
    let Value::Object(keywords) = schema else {
        return schema != &Value::Bool(false);
    };
    if keywords.get("const").is_some_and(|it| it != value) {
        return false;
    }
    if let Some(Value::Array(allowed)) = keywords.get("enum")
        && !allowed.contains(value)
    {
        return false;
    }
    if let Some(branches) = branches(schema)
        && !branches
            .iter()
            .any(|it| fits_at(value, it, root, depth + 1))
    {
        return false;
    }
    let types = types(schema);
    if !types.is_empty() && !types.iter().any(|it| is_of(value, it)) {
        return false;
    }
    match value {
        Value::Array(items) => items_fit(items, keywords, root, depth),
        Value::Object(fields) => fields_fit(fields, keywords, root, depth),
        _ => true,
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match (value, name) {
        (Value::Null, "null")
        | (Value::Bool(_), "boolean")
        | (Value::String(_), "string")
        | (Value::Array(_), "array")
        | (Value::Object(_), "object")
        | (Value::Number(_), "number") => true,
        (Value::Number(number), "integer") => {
            number.is_i64() || number.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        _ => false,
    }
}

fn items_fit(items: &[Value], schema: &Map<String, Value>, root: &Value, depth: u32) -> bool {
    let places = schema.get("prefixItems").and_then(Value::as_array);
    let place = |index: usize| {
        places
            .and_then(|it| it.get(index))
            .or_else(|| schema.get("items"))
    };
    let is_whole = places.is_none_or(|it| it.len() == items.len());
    let mut items = items.iter().enumerate();
    is_whole
        && items.all(|(index, it)| {
            place(index).is_none_or(|schema| fits_at(it, schema, root, depth + 1))
        })
}

fn fields_fit(
    fields: &Map<String, Value>,
    schema: &Map<String, Value>,
    root: &Value,
    depth: u32,
) -> bool {
    let known = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let mut names = required.into_iter().flatten().filter_map(Value::as_str);
    names.all(|it| fields.contains_key(it))
        && fields.iter().all(|(name, it)| {
            let own = known.and_then(|it| it.get(name));
            let schema = own.or_else(|| {
                schema
                    .get("additionalProperties")
                    .filter(|it| it.is_object())
            });
            schema.is_none_or(|schema| fits_at(it, schema, root, depth + 1))
        })
}
