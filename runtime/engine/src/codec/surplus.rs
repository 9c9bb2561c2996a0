//! Keys of JSON that no field takes. Decoding passes over them, since data may hold more than a program wants; arguments and
//! answers may not: a misspelt key would silently leave its field at the default.

use gsw_abi::types::{Enum, Field, KIND, Secrecy, Type, TypeId, TypeTable};
use gsw_notation::issue::Issue;
use gsw_notation::path::{self, Step};
use serde_json::{Map, Value};

use crate::codec::places::REDACTED;

/// What is expected where a key has no place.
pub const NO_SUCH_KEY: &str = "no such key";

/// The keys in a tree, which is read as a value of this type, that no field takes.
#[must_use]
pub fn keys(types: &TypeTable, ty: TypeId, tree: &Value) -> Vec<Issue> {
    find(types, Secrecy::Shown, ty, tree)
}

/// The same for the value of a field or parameter.
#[must_use]
pub fn keys_of_field(types: &TypeTable, field: &Field, tree: &Value) -> Vec<Issue> {
    find(types, field.secrecy, field.ty, tree)
}

fn find(types: &TypeTable, secrecy: Secrecy, ty: TypeId, tree: &Value) -> Vec<Issue> {
    let mut finder = Finder {
        types,
        hidden_from: (secrecy == Secrecy::Redacted).then_some(0),
        steps: Vec::new(),
        issues: Vec::new(),
    };
    finder.value(ty, tree);
    finder.issues
}

struct Finder<'t> {
    types: &'t TypeTable,
    /// Inside of what observers do not see: how many steps lead there.
    hidden_from: Option<usize>,
    steps: Vec<Step<'t>>,
    issues: Vec<Issue>,
}

impl<'t> Finder<'t> {
    fn value(&mut self, ty: TypeId, tree: &Value) {
        match (self.types.get(self.types.base(ty)), tree) {
            (Type::Optional(of), tree) if !tree.is_null() => self.value(*of, tree),
            (Type::List(of) | Type::Set { of, .. }, Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.within(Step::Index(index), |it| it.value(*of, item));
                }
            }
            (Type::Tuple(parts), Value::Array(items)) => {
                for (index, (part, item)) in parts.iter().zip(items).enumerate() {
                    self.within(Step::Index(index), |it| it.value(*part, item));
                }
            }
            (Type::Map { value, .. }, Value::Object(entries)) => {
                for (key, entry) in entries {
                    self.within(Step::Key(key.clone().into()), |it| it.value(*value, entry));
                }
            }
            (Type::Record(record), Value::Object(values)) => {
                self.fields(&record.fields, values, |_| false);
            }
            (Type::Enum(it), Value::Object(values)) => self.variant(it, values),
            // What does not fit is reported by who decodes it; errors and the rest have no fields that somebody writes.
            _ => {}
        }
    }

    fn variant(&mut self, it: &'t Enum, values: &Map<String, Value>) {
        let kind = values.get(KIND).and_then(Value::as_str);
        let variant = it
            .variants
            .iter()
            .find(|it| kind == Some(&it.wire) && !it.fields.is_empty());
        if let Some(variant) = variant {
            self.fields(&variant.fields, values, |key| key == KIND);
        }
    }

    fn fields(
        &mut self,
        fields: &'t [Field],
        values: &Map<String, Value>,
        is_other: impl Fn(&str) -> bool,
    ) {
        for (key, value) in values {
            match fields.iter().find(|it| it.wire == *key) {
                Some(field) => {
                    let outer = self.hidden_from;
                    if field.secrecy == Secrecy::Redacted {
                        self.hidden_from = outer.or(Some(self.steps.len() + 1));
                    }
                    self.within(Step::Key(key.clone().into()), |it| {
                        it.value(field.ty, value);
                    });
                    self.hidden_from = outer;
                }
                None if is_other(key) => {}
                None => self.within(Step::Key(key.clone().into()), |it| it.report(key)),
            }
        }
    }

    fn report(&mut self, key: &str) {
        let issue = match self.hidden_from {
            None => Issue::new(
                path::text(&self.steps),
                NO_SUCH_KEY.into(),
                format!("`{key}`"),
            ),
            Some(depth) => Issue::new(
                path::text(&self.steps[..depth]),
                NO_SUCH_KEY.into(),
                REDACTED.into(),
            ),
        };
        self.issues.push(issue);
    }

    fn within(&mut self, step: Step<'t>, body: impl FnOnce(&mut Self)) {
        self.steps.push(step);
        body(self);
        self.steps.pop();
    }
}
