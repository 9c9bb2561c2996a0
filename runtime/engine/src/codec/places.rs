//! What observers see of JSON that a type says the places of: not what `@secret` fields hold, nor what is found where the type
//! has no place for it.

use gsw_abi::types::{Enum, Field, KIND, Secrecy, Type, TypeId, TypeTable};
use serde_json::{Map, Value};

pub use crate::hidden::REDACTED;

/// Whether a value of this type may hold something that observers do not see.
#[must_use]
#[expect(
    clippy::too_many_lines,
    reason = "one line a type: rustc names what a new type must join"
)]
pub fn hides(types: &TypeTable, ty: TypeId) -> bool {
    let mut seen = vec![false; types.types.len()];
    let mut waiting = vec![ty];
    while let Some(ty) = waiting.pop() {
        if std::mem::replace(&mut seen[ty.0 as usize], true) {
            continue;
        }
        let mut any_hidden = |fields: &[Field]| {
            waiting.extend(fields.iter().map(|it| it.ty));
            fields.iter().any(|it| it.secrecy == Secrecy::Redacted)
        };
        let is_hidden = match types.get(ty) {
            Type::Secret => true,
            Type::Record(it) => any_hidden(&it.fields),
            Type::ErrorKind(it) => any_hidden(&it.fields),
            Type::Enum(it) => {
                // Each variant is looked into.
                let variants = it.variants.iter();
                let hiding = variants.filter(|it| any_hidden(&it.fields)).count();
                hiding > 0
            }
            Type::Optional(of)
            | Type::List(of)
            | Type::Map { value: of, .. }
            | Type::Set { of, .. } => {
                waiting.push(*of);
                false
            }
            Type::Checked { base, .. } => {
                waiting.push(*base);
                false
            }
            Type::Tuple(parts) => {
                waiting.extend(parts);
                false
            }
            // Errors of any kind: which, only a value says.
            Type::Error => {
                let kinds = (0..).zip(&types.types);
                let kinds = kinds.filter(|(_, it)| matches!(it, Type::ErrorKind(_)));
                waiting.extend(kinds.map(|(index, _)| TypeId(index)));
                false
            }
            Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Float
            | Type::String
            | Type::Bytes
            | Type::Time
            | Type::Duration
            | Type::Json
            | Type::Media
            | Type::Literals(_)
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => false,
        };
        if is_hidden {
            return true;
        }
    }
    false
}

/// Whether something in a value for this field or parameter is hidden from observers.
#[must_use]
pub fn field_hides(types: &TypeTable, field: &Field) -> bool {
    field.secrecy == Secrecy::Redacted || hides(types, field.ty)
}

/// What observers see of a tree that is to be a value of this type, also where it is none.
#[must_use]
pub fn shown(types: &TypeTable, ty: TypeId, tree: &Value) -> Value {
    if !hides(types, ty) {
        return tree.clone();
    }
    match (types.get(types.base(ty)), tree) {
        (Type::Optional(_), Value::Null) => Value::Null,
        (Type::Optional(of), tree) => shown(types, *of, tree),
        (Type::List(of) | Type::Set { of, .. }, Value::Array(items)) => {
            items.iter().map(|it| shown(types, *of, it)).collect()
        }
        (Type::Map { value, .. }, Value::Object(entries)) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, it)| (key.clone(), shown(types, *value, it)));
            Value::Object(entries.collect())
        }
        (Type::Tuple(parts), Value::Array(items)) if parts.len() == items.len() => {
            let items = parts.iter().zip(items);
            items.map(|(part, it)| shown(types, *part, it)).collect()
        }
        (Type::Record(it), Value::Object(values)) => shown_fields(types, &it.fields, values),
        (Type::Enum(it), tree) => shown_variant(types, it, tree),
        _ => REDACTED.into(),
    }
}

/// What observers see of an object that is to hold these fields or arguments. What is none of them may be a misspelt one.
#[must_use]
pub fn shown_fields(types: &TypeTable, fields: &[Field], values: &Map<String, Value>) -> Value {
    let hides_any = fields.iter().any(|it| field_hides(types, it));
    let shown_value = |name: &str, value: &Value| {
        let field = fields.iter().find(|it| it.wire == name || it.name == name);
        match field {
            Some(field) if field.secrecy == Secrecy::Redacted => REDACTED.into(),
            Some(field) => shown(types, field.ty, value),
            None if hides_any => REDACTED.into(),
            None => value.clone(),
        }
    };
    let values = values.iter();
    let values = values.map(|(name, value)| (name.clone(), shown_value(name, value)));
    Value::Object(values.collect())
}

fn shown_variant(types: &TypeTable, it: &Enum, tree: &Value) -> Value {
    let named = |name: &Value| {
        let name = name.as_str()?;
        it.variants.iter().find(|it| it.wire == name)
    };
    match tree {
        Value::String(_) if named(tree).is_some() => tree.clone(),
        Value::Object(values) => match values.get(KIND).and_then(named) {
            Some(variant) => {
                let mut rest = values.clone();
                rest.shift_remove(KIND);
                let mut shown = Map::from_iter([(KIND.to_owned(), variant.wire.clone().into())]);
                if let Value::Object(fields) = shown_fields(types, &variant.fields, &rest) {
                    // A variant's own fields hide nothing; those of another one may have been meant.
                    let is_known = |name: &str| variant.fields.iter().any(|it| it.wire == name);
                    shown.extend(fields.into_iter().map(|(name, value)| {
                        let value = if is_known(&name) {
                            value
                        } else {
                            REDACTED.into()
                        };
                        (name, value)
                    }));
                }
                Value::Object(shown)
            }
            None => REDACTED.into(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            REDACTED.into()
        }
    }
}
