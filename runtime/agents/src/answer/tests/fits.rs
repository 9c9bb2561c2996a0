//! A check like the engine's, by the schema: it knows types, required fields and bounds, and passes over other keys.

use gsw_notation::calendar;
use gsw_notation::issue::{self, Issue};
use gsw_notation::number;
use serde_json::{Map, Value};

/// What does not fit.
pub fn check(value: &Value, schema: &Value) -> Result<(), Vec<Issue>> {
    let mut checker = Checker {
        root: schema,
        issues: Vec::new(),
    };
    checker.value(value, schema, "$");
    if checker.issues.is_empty() {
        Ok(())
    } else {
        Err(checker.issues)
    }
}

struct Checker<'s> {
    root: &'s Value,
    issues: Vec<Issue>,
}

impl Checker<'_> {
    fn value(&mut self, value: &Value, schema: &Value, path: &str) {
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self.root.pointer(reference.trim_start_matches('#'));
            return self.value(value, target.expect("a reference leads somewhere"), path);
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            return self.choice(value, branches, path);
        }
        let is_allowed = schema["enum"]
            .as_array()
            .is_none_or(|it| it.contains(value))
            && schema.get("const").is_none_or(|it| it == value);
        if !is_allowed {
            let allowed = schema.get("enum").or(schema.get("const"));
            return self.wrong(path, &format!("{}", allowed.unwrap_or(schema)), value);
        }
        match (schema["type"].as_str(), value) {
            (None, _) if schema.get("properties").is_none() => {}
            (None | Some("object"), Value::Object(fields)) => self.object(fields, schema, path),
            (Some("array"), Value::Array(items)) => self.items(items, schema, path),
            (Some(name), _) if is_scalar(name, value, schema) => {}
            (name, _) => self.wrong(path, name.unwrap_or("object"), value),
        }
    }

    fn choice(&mut self, value: &Value, branches: &[Value], path: &str) {
        let mut fewest: Option<Vec<Issue>> = None;
        for branch in branches {
            let mut attempt = Checker {
                root: self.root,
                issues: Vec::new(),
            };
            attempt.value(value, branch, path);
            if attempt.issues.is_empty() {
                return;
            }
            // The branch that says most about it: that of its kind.
            if fewest
                .as_ref()
                .is_none_or(|it| attempt.issues[0].path > it[0].path)
            {
                fewest = Some(attempt.issues);
            }
        }
        self.issues.extend(fewest.unwrap_or_default());
    }

    fn object(&mut self, fields: &Map<String, Value>, schema: &Value, path: &str) {
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().expect("a name");
            if !fields.contains_key(name) {
                self.issues.push(Issue::new(
                    format!("{path}.{name}"),
                    "a value".into(),
                    "nothing".into(),
                ));
            }
        }
        for (name, value) in fields {
            let own = schema["properties"].get(name);
            let others = schema
                .get("additionalProperties")
                .filter(|it| it.is_object());
            if let Some(schema) = own.or(others) {
                let before = self.issues.len();
                self.value(value, schema, &format!("{path}.{name}"));
                if schema["writeOnly"] == true && self.issues.len() > before {
                    self.issues.truncate(before);
                    let hidden = "***".to_owned();
                    self.issues
                        .push(Issue::new(format!("{path}.{name}"), hidden.clone(), hidden));
                }
            }
        }
    }

    fn items(&mut self, items: &[Value], schema: &Value, path: &str) {
        let places = schema["prefixItems"].as_array();
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
        if places.is_some_and(|it| it.len() != items.len())
            || !(least..=most).contains(&(items.len() as u64))
        {
            return self.wrong(path, "another number of items", &Value::from(items.len()));
        }
        for (index, item) in items.iter().enumerate() {
            if schema["uniqueItems"] == true && items[..index].contains(item) {
                self.wrong(path, "each element once", item);
            }
            let place = places.and_then(|it| it.get(index)).or(schema.get("items"));
            if let Some(place) = place {
                self.value(item, place, &format!("{path}[{index}]"));
            }
        }
    }

    fn wrong(&mut self, path: &str, expected: &str, value: &Value) {
        let found = issue::found(value);
        self.issues
            .push(Issue::new(path.into(), expected.into(), found));
    }
}

fn is_scalar(name: &str, value: &Value, schema: &Value) -> bool {
    match (name, value) {
        ("null", Value::Null) | ("boolean", Value::Bool(_)) => true,
        ("string", Value::String(text)) => {
            let is_time = schema["format"] == "date-time";
            let least = schema["minLength"].as_u64().unwrap_or(0);
            (!is_time || calendar::parse_rfc3339(text).is_some())
                && text.chars().count() as u64 >= least
        }
        ("integer", Value::Number(it)) => {
            let float = it.as_f64().unwrap_or(f64::NAN);
            number::int(it.as_str()).is_some() && is_within(float, schema)
        }
        ("number", Value::Number(it)) => {
            let float = it.as_f64().unwrap_or(f64::NAN);
            float.is_finite() && is_within(float, schema)
        }
        ("number", Value::String(text)) => number::special(text).is_some(),
        _ => false,
    }
}

fn is_within(number: f64, schema: &Value) -> bool {
    schema["minimum"].as_f64().is_none_or(|it| number >= it)
        && schema["maximum"].as_f64().is_none_or(|it| number <= it)
}
