//! JSON without what its type hides, but still of its type: each hidden value is replaced by a stand-in.

use gsw_abi::types::{Field, KIND, Secrecy, Type, TypeId, TypeTable, Variant};
use serde_json::{Map, Value, json};

use crate::codec::places::{REDACTED, shown, shown_fields};

/// The maximal nesting of a stand-in, for recursive types.
const DEEPEST: usize = 64;

/// A tree of this type, with stand-ins for what is hidden. Idempotent.
#[must_use]
pub fn standing_in(types: &TypeTable, ty: TypeId, tree: &Value) -> Value {
    fill(types, ty, shown(types, ty, tree))
}

/// Like [`standing_in`], for an object that is to hold these fields or arguments.
#[must_use]
pub fn fields_standing_in(
    types: &TypeTable,
    fields: &[Field],
    values: &Map<String, Value>,
) -> Value {
    let mut shown = shown_fields(types, fields, values);
    if let Value::Object(shown) = &mut shown {
        *shown = fill_fields(types, fields, std::mem::take(shown));
    }
    shown
}

/// Inserts stand-ins where `shown` has removed a value.
fn fill(types: &TypeTable, ty: TypeId, shown: Value) -> Value {
    match (types.get(types.base(ty)), shown) {
        (Type::Optional(_), Value::Null) => Value::Null,
        (Type::Optional(of), shown) => fill(types, *of, shown),
        (Type::List(of) | Type::Set { of, .. }, Value::Array(items)) => {
            items.into_iter().map(|it| fill(types, *of, it)).collect()
        }
        (Type::Map { value, .. }, Value::Object(entries)) => {
            let entries = entries.into_iter();
            let entries = entries.map(|(key, it)| (key, fill(types, *value, it)));
            Value::Object(entries.collect())
        }
        (Type::Tuple(parts), Value::Array(items)) if parts.len() == items.len() => {
            let items = parts.iter().zip(items);
            items.map(|(part, it)| fill(types, *part, it)).collect()
        }
        (Type::Record(it), Value::Object(values)) => {
            Value::Object(fill_fields(types, &it.fields, values))
        }
        (Type::Enum(it), Value::Object(values)) => {
            let kind = values.get(KIND).and_then(Value::as_str);
            let variant = kind.and_then(|kind| it.variants.iter().find(|it| it.wire == kind));
            let fields = variant.map_or(&[][..], |it| &it.fields);
            Value::Object(fill_fields(types, fields, values))
        }
        (_, shown) => shown,
    }
}

fn fill_fields(
    types: &TypeTable,
    fields: &[Field],
    values: Map<String, Value>,
) -> Map<String, Value> {
    let filled = values.into_iter().map(|(name, value)| {
        let field = fields.iter().find(|it| it.wire == name || it.name == name);
        let value = match field {
            Some(field) if field.secrecy == Secrecy::Redacted => {
                stand_in(types, field.ty, DEEPEST).unwrap_or(Value::Null)
            }
            Some(field) => fill(types, field.ty, value),
            None => value,
        };
        (name, value)
    });
    filled.collect()
}

/// The stand-in for values of this type. `None` for a type that nests deeper than `depth`.
fn stand_in(types: &TypeTable, ty: TypeId, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let value = match types.get(types.base(ty)) {
        Type::Bool => Value::Bool(false),
        Type::Int | Type::Duration => json!(0),
        Type::Float => json!(0.0),
        Type::String | Type::Secret => REDACTED.into(),
        Type::Bytes => "".into(),
        Type::Time => "1970-01-01T00:00:00Z".into(),
        Type::Literals(texts) => texts.first().map_or(REDACTED, |it| it).into(),
        Type::List(_) | Type::Set { .. } => json!([]),
        Type::Map { .. } => json!({}),
        Type::Tuple(parts) => {
            let parts = parts.iter().map(|it| stand_in(types, *it, depth));
            Value::Array(parts.collect::<Option<_>>()?)
        }
        Type::Record(it) => Value::Object(fields_of(types, &it.fields, depth)?),
        Type::Enum(it) => {
            let plain = it.variants.iter().find(|it| it.fields.is_empty());
            match plain {
                Some(variant) => variant.wire.clone().into(),
                None => it
                    .variants
                    .iter()
                    .find_map(|it| variant_of(types, it, depth))?,
            }
        }
        Type::Unit
        | Type::Json
        | Type::Optional(_)
        | Type::Media
        | Type::Error
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => Value::Null,
    };
    Some(value)
}

fn variant_of(types: &TypeTable, variant: &Variant, depth: usize) -> Option<Value> {
    let mut values = Map::from_iter([(KIND.to_owned(), variant.wire.clone().into())]);
    values.extend(fields_of(types, &variant.fields, depth)?);
    Some(Value::Object(values))
}

fn fields_of(types: &TypeTable, fields: &[Field], depth: usize) -> Option<Map<String, Value>> {
    let fields = fields.iter();
    let values = fields.map(|it| Some((it.wire.clone(), stand_in(types, it.ty, depth)?)));
    values.collect()
}
