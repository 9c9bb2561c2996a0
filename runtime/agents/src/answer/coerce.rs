//! Changes a value along the schema where models habitually differ from it, and names each change.
//!
//! Whatever fits is left as it is. A change that does not lead to a fit is of no use: the real check comes after.

mod object;
mod scalar;

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::Value;

use super::fit::{branches, fits, kind_fits, resolved, types};
use super::{literal, parse};

/// The value, changed, and what was changed; nothing if it fits or nothing is known to help.
pub(crate) fn coerced(value: &Value, schema: &Value) -> (Value, Vec<String>) {
    let (steps, fit_steps) = (Cell::new(MOST_STEPS), Cell::new(MOST_FIT_STEPS));
    let mut coercion = Coercion {
        root: schema,
        steps: &steps,
        hidden: None,
        fit_steps: &fit_steps,
        repairs: Vec::new(),
    };
    let value = coercion.value(value, schema, "$").into_owned();
    (value, coercion.repairs)
}

/// How many values are looked at at most: trying all ways through nested choices can take for ever.
const MOST_STEPS: u32 = 10_000;
/// How many steps all questions whether a value fits take together: each of those values may be as large as the answer.
const MOST_FIT_STEPS: u32 = 4_000_000;

/// A change on its way.
struct Coercion<'a> {
    root: &'a Value,
    /// The steps that are left, shared by all attempts.
    steps: &'a Cell<u32>,
    /// The path of the hidden field that is being changed: its values are part of no repair.
    hidden: Option<String>,
    /// Likewise, of questions whether a value fits.
    fit_steps: &'a Cell<u32>,
    repairs: Vec<String>,
}

impl<'a> Coercion<'a> {
    /// The value; borrowed where nothing in it is changed, since it may be large and be tried often.
    fn value<'v>(&mut self, value: &'v Value, schema: &'a Value, path: &str) -> Cow<'v, Value> {
        let schema = resolved(schema, self.root);
        // Out of steps the value stays as it is, and the check refuses it: never a guess because of the time it takes.
        let Some(left) = self.steps.get().checked_sub(1) else {
            return Cow::Borrowed(value);
        };
        self.steps.set(left);
        if self.fits(value, schema) {
            return Cow::Borrowed(value);
        }
        if let Some(allowed) = scalar::allowed(schema) {
            return self.literal(value, &allowed, path);
        }
        if let Some(branches) = branches(schema) {
            return self.choice(value, branches, path);
        }
        let names = types(schema);
        if names.len() > 1 {
            // Each type by itself is tried only for scalars; records are never in such a list.
            return self.scalar_of(value, &names, path);
        }
        match names.first().copied() {
            Some("array") => self.array(value, schema, path),
            Some("object") => self.object(value, schema, path),
            Some(name) => self.scalar(value, name, path),
            None => Cow::Borrowed(value),
        }
    }

    fn fits(&self, value: &Value, schema: &Value) -> bool {
        fits(value, schema, self.root, self.fit_steps)
    }

    /// The branch that takes the fewest changes; the earlier one of equals.
    fn choice<'v>(
        &mut self,
        value: &'v Value,
        branches: &'a [Value],
        path: &str,
    ) -> Cow<'v, Value> {
        let mut best: Option<(Cow<'v, Value>, Vec<String>)> = None;
        for branch in branches {
            if !may_be(value, resolved(branch, self.root)) {
                continue;
            }
            let mut attempt = Coercion {
                root: self.root,
                steps: self.steps,
                hidden: self.hidden.clone(),
                fit_steps: self.fit_steps,
                repairs: Vec::new(),
            };
            let changed = attempt.value(value, branch, path);
            let count = attempt.repairs.len();
            let is_better = best.as_ref().is_none_or(|it| count < it.1.len());
            // Fewer changes alone do not choose a branch: a branch that changes nothing and does not fit would win.
            if is_better && self.fits(&changed, branch) {
                best = Some((changed, attempt.repairs));
            }
        }
        match best {
            Some((changed, repairs)) => {
                self.repairs.extend(repairs);
                changed
            }
            None => Cow::Borrowed(value),
        }
    }

    fn array<'v>(&mut self, value: &'v Value, schema: &'a Value, path: &str) -> Cow<'v, Value> {
        match value {
            Value::Array(items) => {
                // Repairs are the only sign of a change; without any the value is passed on without a copy.
                let before = self.repairs.len();
                let changed = self.items(items, schema, path);
                if self.repairs.len() == before {
                    return Cow::Borrowed(value);
                }
                Cow::Owned(owned(changed))
            }
            Value::String(text) => match parse::strict(text) {
                Some(Value::Array(items)) => {
                    self.note(path, "read a text as the list in it");
                    Cow::Owned(owned(self.items(&items, schema, path)))
                }
                _ => self.single(value, schema, path),
            },
            Value::Object(fields) if fields.len() == 1 => match fields.values().next() {
                Some(Value::Array(items)) => {
                    self.note(path, "took a list out of an object around it");
                    Cow::Owned(owned(self.items(items, schema, path)))
                }
                _ => self.single(value, schema, path),
            },
            // `null` for a list is more likely a missing value than a list of one `null`.
            Value::Null => Cow::Borrowed(value),
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                self.single(value, schema, path)
            }
        }
    }

    fn items<'v>(
        &mut self,
        items: &'v [Value],
        schema: &'a Value,
        path: &str,
    ) -> Vec<Cow<'v, Value>> {
        let places = schema.get("prefixItems").and_then(Value::as_array);
        let changed = items.iter().enumerate().map(|(index, item)| {
            let place = places
                .and_then(|it| it.get(index))
                .or_else(|| schema.get("items"));
            match place {
                Some(place) => self.value(item, place, &format!("{path}[{index}]")),
                None => Cow::Borrowed(item),
            }
        });
        changed.collect()
    }

    fn single<'v>(&mut self, value: &'v Value, schema: &'a Value, path: &str) -> Cow<'v, Value> {
        self.note(path, "read one value as a list of it");
        let items = self.items(std::slice::from_ref(value), schema, path);
        Cow::Owned(owned(items))
    }

    fn note(&mut self, path: &str, what: &str) {
        self.repairs.push(match &self.hidden {
            Some(path) => format!("{path}: repaired a hidden value"),
            None => format!("{path}: {what}"),
        });
    }

    /// The value of a field or entry, which may be hidden.
    fn field<'v>(&mut self, value: &'v Value, schema: &'a Value, path: &str) -> Cow<'v, Value>
    where
        'a: 'v,
    {
        let outer = self.hidden.clone();
        if is_hidden(schema) {
            self.hidden.get_or_insert_with(|| path.to_owned());
        }
        let value = self.value(value, schema, path);
        self.hidden = outer;
        value
    }
}

/// Whether what the schema describes is hidden from observers.
fn is_hidden(schema: &Value) -> bool {
    schema.get("writeOnly") == Some(&Value::Bool(true))
}

/// Whether the schema describes something hidden anywhere.
pub(crate) fn hides(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => is_hidden(schema) || fields.values().any(hides),
        Value::Array(items) => items.iter().any(hides),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn owned(items: Vec<Cow<'_, Value>>) -> Value {
    items.into_iter().map(Cow::into_owned).collect()
}

/// Whether the value can be this branch: the constant that discriminates variants is usually right.
fn may_be(value: &Value, branch: &Value) -> bool {
    let known = branch.get("properties").and_then(Value::as_object);
    match (value, known) {
        (Value::Object(fields), Some(known)) if fields.contains_key("kind") => {
            let plain = |it: &Value| it.as_str().map(literal::plain);
            let wanted = known.get("kind").and_then(|it| it.get("const"));
            kind_fits(fields, known) || wanted.and_then(plain) == fields.get("kind").and_then(plain)
        }
        _ => true,
    }
}
