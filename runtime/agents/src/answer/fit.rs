//! Whether a value fits a schema in shape; only for choosing between ways to read it, never instead of the real check.

use std::cell::Cell;

use serde_json::{Map, Value};

/// How many steps one question takes at most: nested choices can be wound so that trying them all never ends.
const MOST_STEPS: u32 = 200_000;

/// The schema that a chain of references ends at.
pub(crate) fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    // A chain of references is short; a cycle of them describes nothing.
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

/// Whether the value has the shape that the schema asks for; not, when that takes too long to find out: one question takes
/// 200,000 steps at most, and all that share `left` no more than that.
pub(crate) fn fits(value: &Value, schema: &Value, root: &Value, left: &Cell<u32>) -> bool {
    let given = left.get().min(MOST_STEPS);
    let steps = Cell::new(given);
    let question = Question {
        root,
        steps: &steps,
    };
    let fits = question.fits(value, schema);
    // What this question did not use goes back, so many small questions cost no more than they are.
    left.set(left.get() - (given - steps.get()));
    fits
}

#[derive(Clone, Copy)]
struct Question<'a> {
    root: &'a Value,
    /// The steps that are left, shared by all attempts.
    steps: &'a Cell<u32>,
}

impl Question<'_> {
    fn fits(self, value: &Value, schema: &Value) -> bool {
        let Some(left) = self.steps.get().checked_sub(1) else {
            return false;
        };
        self.steps.set(left);
        let schema = resolved(schema, self.root);
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
        // `anyOf` and `oneOf` alike: the schemas made here have disjoint branches.
        if let Some(branches) = branches(schema)
            && !branches.iter().any(|it| self.fits(value, it))
        {
            return false;
        }
        let types = types(schema);
        if !types.is_empty() && !types.iter().any(|it| is_of(value, it)) {
            return false;
        }
        match value {
            Value::Array(items) => self.items_fit(items, keywords),
            Value::Object(fields) => self.fields_fit(fields, keywords),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        }
    }

    fn items_fit(self, items: &[Value], schema: &Map<String, Value>) -> bool {
        let places = schema.get("prefixItems").and_then(Value::as_array);
        let place = |index: usize| {
            let own = places.and_then(|it| it.get(index));
            own.or_else(|| schema.get("items"))
        };
        let is_whole = places.is_none_or(|it| it.len() == items.len());
        let mut items = items.iter().enumerate();
        is_whole && items.all(|(index, it)| place(index).is_none_or(|schema| self.fits(it, schema)))
    }

    fn fields_fit(self, fields: &Map<String, Value>, schema: &Map<String, Value>) -> bool {
        let known = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let mut names = required.into_iter().flatten().filter_map(Value::as_str);
        let others = schema
            .get("additionalProperties")
            .filter(|it| it.is_object());
        // The constant that discriminates variants comes before their fields.
        known.is_none_or(|it| kind_fits(fields, it))
            && names.all(|it| fields.contains_key(it))
            && fields.iter().all(|(name, it)| {
                let own = known.and_then(|it| it.get(name)).or(others);
                own.is_none_or(|schema| self.fits(it, schema))
            })
    }
}

/// Whether the fields that a record has as constants have these values, where they are there.
pub(crate) fn kind_fits(fields: &Map<String, Value>, known: &Map<String, Value>) -> bool {
    known.iter().all(
        |(name, schema)| match (schema.get("const"), fields.get(name)) {
            (Some(constant), Some(found)) => constant == found,
            _ => true,
        },
    )
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
