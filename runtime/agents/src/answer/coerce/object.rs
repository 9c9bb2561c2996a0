//! Records and maps: keys in another spelling, an object around the object, a record written as text.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Coercion;
use crate::answer::{literal, parse};

impl<'a> Coercion<'a> {
    pub(super) fn object<'v>(
        &mut self,
        value: &'v Value,
        schema: &'a Value,
        path: &str,
    ) -> Cow<'v, Value> {
        let known = schema.get("properties").and_then(Value::as_object);
        match value {
            Value::Object(fields) => match inner(fields, known) {
                Some(inner) => {
                    self.note(path, "took an object out of another one around it");
                    Cow::Owned(owned(self.fields(inner, known, schema, path)))
                }
                None => {
                    // As for lists: without a repair nothing has changed, and the value is passed on without a copy.
                    let before = self.repairs.len();
                    let changed = self.fields(fields, known, schema, path);
                    if self.repairs.len() == before {
                        return Cow::Borrowed(value);
                    }
                    Cow::Owned(owned(changed))
                }
            },
            Value::String(text) => match parse::strict(text) {
                // Strictly, because a text that is only nearly an object may be meant as a text.
                Some(Value::Object(fields)) => {
                    self.note(path, "read a text as the object in it");
                    Cow::Owned(owned(self.fields(&fields, known, schema, path)))
                }
                _ => self.only_field(value, known, path),
            },
            Value::Array(items) if items.len() == 1 && items[0].is_object() => {
                self.note(path, "took the only item of a list");
                self.object(&items[0], schema, path)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                self.only_field(value, known, path)
            }
        }
    }

    fn fields<'v>(
        &mut self,
        fields: &'v Map<String, Value>,
        known: Option<&'a Map<String, Value>>,
        schema: &'a Value,
        path: &str,
    ) -> Vec<(&'v str, Cow<'v, Value>)>
    where
        'a: 'v,
    {
        let others = schema
            .get("additionalProperties")
            .filter(|it| it.is_object());
        let mut changed = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let spelled = known.and_then(|it| spelled(name, it));
            let name = match spelled {
                // A key in the spelling of the schema beside it wins: renaming would overwrite it.
                Some(ours) if ours != name && !fields.contains_key(ours) => {
                    self.note(path, &format!("read the key `{name}` as `{ours}`"));
                    ours
                }
                _ => name,
            };
            // Unknown keys stay as they are: the check says whether they are allowed.
            let own = known.and_then(|it| it.get(name)).or(others);
            let value = match own {
                Some(own) => self.field(value, own, &format!("{path}.{name}")),
                None => Cow::Borrowed(value),
            };
            changed.push((name, value));
        }
        changed
    }

    /// A bare value for a record of one field.
    fn only_field<'v>(
        &mut self,
        value: &'v Value,
        known: Option<&'a Map<String, Value>>,
        path: &str,
    ) -> Cow<'v, Value> {
        let only = known
            .filter(|it| it.len() == 1)
            .and_then(|it| it.iter().next());
        // `null` for a record is most likely no answer.
        let Some((name, schema)) = only.filter(|_| !value.is_null()) else {
            return Cow::Borrowed(value);
        };
        self.note(path, &format!("read a bare value as the field `{name}`"));
        let inner = self.field(value, schema, &format!("{path}.{name}"));
        Cow::Owned(owned(vec![(name, inner)]))
    }
}

fn owned(fields: Vec<(&str, Cow<'_, Value>)>) -> Value {
    let fields = fields.into_iter();
    let fields = fields.map(|(name, value)| (name.to_owned(), value.into_owned()));
    Value::Object(fields.collect())
}

/// What a wrapper holds: its only key is none of the schema and its value has one of the schema.
fn inner<'v>(
    fields: &'v Map<String, Value>,
    known: Option<&Map<String, Value>>,
) -> Option<&'v Map<String, Value>> {
    let known = known?;
    // `{"answer": {…}}`; with other keys beside it, something would be lost.
    let (name, inner) = fields.iter().next().filter(|_| fields.len() == 1)?;
    let inner = inner.as_object()?;
    let is_ours = |it: &String| spelled(it, known).is_some();
    (!is_ours(name) && inner.keys().any(is_ours)).then_some(inner)
}

/// Our name for a key: the same but for case and separators.
fn spelled<'a>(name: &str, known: &'a Map<String, Value>) -> Option<&'a str> {
    if let Some((ours, _)) = known.get_key_value(name) {
        return Some(ours);
    }
    let plain = literal::plain(name);
    let mut same = known.keys().filter(|it| literal::plain(it) == plain);
    let found = same.next()?;
    // Two fields that differ only in case: which is meant cannot be known.
    same.next().is_none().then_some(found)
}
