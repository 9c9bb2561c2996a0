//! `answer: exact`: what strict JSON says, and nothing that is not asked for.

use gsw_abi::types::KIND;
pub(crate) use gsw_engine::codec::surplus::NO_SUCH_KEY;
use gsw_notation::issue::Issue;
use gsw_notation::json;
use gsw_notation::text::shortened;
use serde_json::Value;

use super::number::{self, Digits};
use super::place::Place;
use super::shape::{Shape, ShapeId, Shapes};

/// Why a text is no JSON, with the place.
pub(crate) fn no_json(text: &str, shapes: &Shapes) -> Issue {
    match json::parse(text) {
        Err(issue) if !shapes.hides => issue,
        // Any part of the text may be the value of a hidden field.
        Err(_) | Ok(_) => Issue::new("$".into(), "JSON".into(), "a text that is none".into()),
    }
}

/// What a value has that the shape does not: keys that no field has, and digits that would be lost. The check knows the rest.
pub(crate) fn excess(value: &Value, shapes: &Shapes) -> Vec<Issue> {
    let mut finder = Finder {
        shapes,
        issues: Vec::new(),
    };
    finder.value(value, shapes.root, &Place::ROOT);
    finder.issues
}

struct Finder<'s> {
    shapes: &'s Shapes,
    issues: Vec<Issue>,
}

impl Finder<'_> {
    fn value(&mut self, value: &Value, id: ShapeId, place: &Place<'_>) {
        match (self.shapes.get(id), value) {
            (Shape::Record(record), Value::Object(fields)) => {
                for (index, (key, value)) in fields.iter().enumerate() {
                    let below = place.key(key);
                    match record.field_at(index, key) {
                        Some(field) => {
                            self.value(value, field.shape, &field.at(below));
                        }
                        None => self.issue(&below, NO_SUCH_KEY.into(), format!("`{key}`")),
                    }
                }
            }
            (Shape::Map { of, .. }, Value::Object(fields)) => {
                for (key, value) in fields {
                    self.value(value, *of, &place.key(key));
                }
            }
            (Shape::List { of, .. }, Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(item, *of, &place.index(index));
                }
            }
            (Shape::Tuple(parts), Value::Array(items)) => {
                for (index, (item, part)) in items.iter().zip(parts).enumerate() {
                    self.value(item, *part, &place.index(index));
                }
            }
            (Shape::Choice(branches), _) => {
                if let Some(branch) = self.branch(value, branches) {
                    self.value(value, branch, place);
                }
            }
            (Shape::Any, _) => self.any(value, place),
            (Shape::Float, Value::Number(it)) => self.float(it.as_str(), place),
            (Shape::Duration, Value::Number(it)) => self.duration(it.as_str(), place),
            (
                Shape::Null
                | Shape::Bool
                | Shape::Int
                | Shape::Float
                | Shape::Duration
                | Shape::Text
                | Shape::Words(_)
                | Shape::List { .. }
                | Shape::Tuple(_)
                | Shape::Record(_)
                | Shape::Map { .. },
                _,
            ) => {}
        }
    }

    /// The branch that a value is, where branches differ in what is looked for here. An object with keys that no record has a
    /// field for is the record that has fields for most of its keys.
    fn branch(&self, value: &Value, branches: &[ShapeId]) -> Option<ShapeId> {
        self.whole(value, branches).or_else(|| {
            let near = self.shapes.leaves(branches.to_vec()).into_iter();
            let near = near.filter_map(|it| Some((self.unknown_keys(value, it)?, it)));
            near.min_by_key(|it| it.0).map(|it| it.1)
        })
    }

    fn whole(&self, value: &Value, branches: &[ShapeId]) -> Option<ShapeId> {
        branches.iter().find_map(|it| {
            let shape = self.shapes.get(*it);
            if let Shape::Choice(inner) = shape {
                self.whole(value, inner)
            } else {
                is_whole(value, shape).then_some(*it)
            }
        })
    }

    /// How many keys of an object a record has no field for. A variant is known by its kind instead.
    fn unknown_keys(&self, value: &Value, id: ShapeId) -> Option<usize> {
        let (Shape::Record(record), Value::Object(fields)) = (self.shapes.get(id), value) else {
            return None;
        };
        let unknown = fields.keys().filter(|it| record.field_named(it).is_none());
        record.kind.is_none().then(|| unknown.count())
    }

    fn any(&mut self, value: &Value, place: &Place<'_>) {
        match value {
            Value::Number(it) => {
                let digits = number::in_json(it.as_str());
                self.digits(it.as_str(), digits, "digits that a float keeps", place);
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.any(item, &place.index(index));
                }
            }
            Value::Object(fields) => {
                for (key, value) in fields {
                    self.any(value, &place.key(key));
                }
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }

    fn float(&mut self, text: &str, place: &Place<'_>) {
        let digits = number::as_float(text);
        self.digits(text, digits, "digits that a float keeps", place);
    }

    fn duration(&mut self, text: &str, place: &Place<'_>) {
        let digits = number::as_duration(text);
        self.digits(text, digits, "whole nanoseconds", place);
    }

    fn digits(&mut self, text: &str, digits: Digits, kept: &str, place: &Place<'_>) {
        let expected = match digits {
            Digits::Kept => return,
            Digits::Rounded => kept,
            Digits::TooMany => "an int of 64 bits",
        };
        self.issue(place, expected.into(), shortened(text, 60));
    }

    fn issue(&mut self, place: &Place<'_>, expected: String, found: String) {
        self.issues.push(place.issue(expected, found));
    }
}

/// Whether a value matches a shape that is not a choice, one level deep.
fn is_whole(value: &Value, shape: &Shape) -> bool {
    match (shape, value) {
        (Shape::Record(record), Value::Object(fields)) => match &record.kind {
            Some(kind) => fields.get(KIND).and_then(Value::as_str) == Some(kind),
            None => fields.keys().all(|it| record.field_named(it).is_some()),
        },
        (Shape::Any, _)
        | (Shape::Map { .. }, Value::Object(_))
        | (Shape::List { .. } | Shape::Tuple(_), Value::Array(_))
        | (Shape::Float | Shape::Duration, Value::Number(_)) => true,
        (
            Shape::Null
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Duration
            | Shape::Text
            | Shape::Words(_)
            | Shape::List { .. }
            | Shape::Tuple(_)
            | Shape::Record(_)
            | Shape::Map { .. }
            | Shape::Choice(_),
            _,
        ) => false,
    }
}
