//! The strict form of a schema, for providers that constrain answers by it: few keywords; the rest becomes a description.

use serde_json::{Map, Value, json};

use super::bound::describe;

/// Formats of strings that providers know.
const FORMATS: &[&str] = &[
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
];
/// Keywords that are taken over as they are.
const KEPT: &[&str] = &[
    "type",
    "title",
    "description",
    "enum",
    "const",
    "$ref",
    "required",
];
/// Keywords that say nothing to a reader.
const SILENT: &[&str] = &[
    "$schema",
    "$id",
    "writeOnly",
    "additionalProperties",
    "propertyNames",
];

/// The schema in strict form, and what of it moved into descriptions: paths of keywords. Values must still be checked
/// by the schema itself.
#[must_use]
pub fn strict(schema: &Value) -> (Value, Vec<String>) {
    let mut rewriter = Rewriter {
        dropped: Vec::new(),
    };
    let schema = rewriter.schema(schema, "#");
    (schema, rewriter.dropped)
}

/// Why a schema has no strict form that takes its values: it holds a map, any `json`, or itself.
#[must_use]
pub fn strict_obstacle(schema: &Value) -> Option<String> {
    obstacle(schema, schema, "#", &mut Vec::new())
}

struct Rewriter {
    dropped: Vec<String>,
}

impl Rewriter {
    fn schema(&mut self, schema: &Value, path: &str) -> Value {
        let Value::Object(keywords) = schema else {
            return schema.clone();
        };
        let mut result = Map::new();
        let mut words = Vec::new();
        for (keyword, value) in keywords {
            let inside = format!("{path}/{keyword}");
            match self.keyword(keyword, value, &inside) {
                Some(value) => {
                    result.insert(keyword.clone(), value);
                }
                None => {
                    if !SILENT.contains(&keyword.as_str()) && keyword != "prefixItems" {
                        words.push(format!("{keyword}: {value}"));
                    }
                    if keyword != "$schema" && *value != Value::Bool(false) {
                        self.dropped.push(inside);
                    }
                }
            }
        }
        if let Some(Value::Array(places)) = keywords.get("prefixItems") {
            self.places(places, path, &mut result, &mut words);
        }
        if keywords.get("type").is_some_and(|it| it == "object") {
            result.insert("additionalProperties".into(), false.into());
        }
        if !words.is_empty() {
            describe(&mut result, &format!("({})", words.join("; ")));
        }
        Value::Object(result)
    }

    /// The strict form of one keyword; `None` when there is none.
    fn keyword(&mut self, keyword: &str, value: &Value, path: &str) -> Option<Value> {
        match (keyword, value) {
            ("properties" | "$defs", Value::Object(schemas)) => {
                let schemas = schemas.iter().map(|(name, schema)| {
                    (name.clone(), self.schema(schema, &format!("{path}/{name}")))
                });
                Some(Value::Object(schemas.collect()))
            }
            ("anyOf" | "allOf", Value::Array(schemas)) => {
                let schemas = schemas.iter().enumerate();
                let schemas = schemas.map(|(at, it)| self.schema(it, &format!("{path}/{at}")));
                Some(schemas.collect())
            }
            ("items", Value::Object(_)) => Some(self.schema(value, path)),
            ("minItems", Value::Number(it)) if it.as_u64().is_some_and(|it| it < 2) => {
                Some(value.clone())
            }
            ("format", Value::String(it)) if FORMATS.contains(&it.as_str()) => Some(value.clone()),
            _ => KEPT.contains(&keyword).then(|| value.clone()),
        }
    }

    /// A tuple as a list of any of its parts, whose order is described in words.
    fn places(
        &mut self,
        places: &[Value],
        path: &str,
        result: &mut Map<String, Value>,
        words: &mut Vec<String>,
    ) {
        let mut parts: Vec<Value> = Vec::new();
        for (index, place) in places.iter().enumerate() {
            let part = self.schema(place, &format!("{path}/prefixItems/{index}"));
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        let items = if parts.len() == 1 {
            parts.remove(0)
        } else {
            json!({ "anyOf": parts })
        };
        result.insert("items".into(), items);
        // The words that follow list the bounds.
        words.retain(|it| !it.contains("Items") && !it.starts_with("items"));
        let kinds = places
            .iter()
            .map(Value::to_string)
            .collect::<Vec<_>>()
            .join(", ");
        words.push(format!(
            "exactly {} items, in this order: {kinds}",
            places.len()
        ));
    }
}

fn obstacle(schema: &Value, root: &Value, path: &str, open: &mut Vec<String>) -> Option<String> {
    let keywords = schema.as_object()?;
    if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
        if open.iter().any(|it| it == reference) {
            return Some(format!("{path}: contains itself"));
        }
        let target = root.pointer(reference.strip_prefix('#')?)?;
        open.push(reference.to_owned());
        let found = obstacle(target, root, path, open);
        open.pop();
        return found;
    }
    if keywords
        .get("additionalProperties")
        .is_some_and(|it| *it != Value::Bool(false))
    {
        return Some(format!("{path}: a map has no fixed properties"));
    }
    let says_something = ["type", "enum", "const", "anyOf", "allOf"];
    if !says_something.iter().any(|it| keywords.contains_key(*it)) {
        return Some(format!("{path}: any JSON is accepted"));
    }
    for (keyword, value) in keywords {
        let path = format!("{path}/{keyword}");
        let found = match (keyword.as_str(), value) {
            ("properties", Value::Object(schemas)) => schemas
                .iter()
                .find_map(|(name, it)| obstacle(it, root, &format!("{path}/{name}"), open)),
            ("anyOf" | "allOf" | "prefixItems", Value::Array(schemas)) => schemas
                .iter()
                .enumerate()
                .filter(|(_, it)| keyword != "allOf" || it.get("type").is_some())
                .find_map(|(at, it)| obstacle(it, root, &format!("{path}/{at}"), open)),
            ("items", Value::Object(_)) => obstacle(value, root, &path, open),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}
