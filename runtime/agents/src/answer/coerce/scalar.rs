//! Numbers as text, words in another case, and the like.

use std::borrow::Cow;

use serde_json::Value;

use super::Coercion;
use crate::answer::literal;
use crate::answer::parse::loose_number;

/// The texts that a schema allows, when it allows just some.
pub(super) fn allowed(schema: &Value) -> Option<Vec<&str>> {
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values.iter().map(Value::as_str).collect();
    }
    if let Some(constant) = schema.get("const") {
        return constant.as_str().map(|it| vec![it]);
    }
    let branches = crate::answer::fit::branches(schema)?;
    branches
        .iter()
        .map(|it| it.get("const").and_then(Value::as_str))
        .collect()
}

impl Coercion<'_> {
    /// The allowed text that the value means.
    pub(super) fn literal<'v>(
        &mut self,
        value: &'v Value,
        allowed: &[&str],
        path: &str,
    ) -> Cow<'v, Value> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Array(items) if items.len() == 1 => {
                return self.literal(&items[0], allowed, path);
            }
            Value::Object(fields) if fields.len() == 1 => {
                let only = fields.values().next().unwrap_or(value);
                return self.literal(only, allowed, path);
            }
            Value::Null | Value::Array(_) | Value::Object(_) => return Cow::Borrowed(value),
        };
        match literal::meant(&text, allowed) {
            Some(meant) => {
                self.note(path, &format!("read `{}` as `{meant}`", shown(&text)));
                Cow::Owned(meant.into())
            }
            None => Cow::Borrowed(value),
        }
    }

    /// One of several scalar types.
    pub(super) fn scalar_of<'v>(
        &mut self,
        value: &'v Value,
        names: &[&str],
        path: &str,
    ) -> Cow<'v, Value> {
        // In the order of the schema, so `int | string` reads "12" as a number.
        for name in names {
            let before = self.repairs.len();
            let changed = self.scalar(value, name, path);
            if self.repairs.len() > before {
                return changed;
            }
        }
        Cow::Borrowed(value)
    }

    /// A scalar of this type.
    pub(super) fn scalar<'v>(
        &mut self,
        value: &'v Value,
        name: &str,
        path: &str,
    ) -> Cow<'v, Value> {
        // What a model puts around a scalar.
        let value = match value {
            Value::Array(items) if items.len() == 1 => &items[0],
            Value::Object(fields) if fields.len() == 1 => fields
                .values()
                .next()
                .filter(|it| !it.is_null())
                .unwrap_or(value),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => value,
        };
        let changed = match (name, value) {
            ("integer" | "number", Value::String(text)) => loose_number(text),
            ("boolean", Value::String(text)) => boolean(text),
            ("null", Value::String(text)) => null(text),
            ("string", Value::Number(_) | Value::Bool(_)) => Some(value.to_string().into()),
            ("string", Value::Object(_) | Value::Array(_)) => Some(value.to_string().into()),
            ("string", Value::String(_))
            | ("integer" | "number", Value::Number(_))
            | ("boolean", Value::Bool(_)) => Some(value.clone()),
            _ => None,
        };
        match changed {
            Some(changed) => {
                let found = shown(&value.to_string());
                self.note(path, &format!("read {found} as {name}"));
                Cow::Owned(changed)
            }
            None => Cow::Borrowed(value),
        }
    }
}

fn boolean(text: &str) -> Option<Value> {
    match literal::plain(text).as_str() {
        "true" | "yes" => Some(true.into()),
        "false" | "no" => Some(false.into()),
        _ => None,
    }
}

fn null(text: &str) -> Option<Value> {
    matches!(literal::plain(text).as_str(), "null" | "none" | "").then_some(Value::Null)
}

fn shown(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut short: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}
