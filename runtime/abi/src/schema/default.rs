//! Schemas of what others fill in, with the defaults of parameters as far as they are written out in the source.
//!
//! A model that calls a tool of ours gets no defaults: they would make another request of it, and other keys of kept answers.

use serde_json::Value;

use super::schema_of_fields;
use crate::types::{Enum, Field, Type, TypeId, TypeTable};

/// The schema of parameters as [`schema_of_fields`] has it, with a `default` where it is a constant that JSON has as well.
#[must_use]
pub fn input_schema(types: &TypeTable, fields: &[Field]) -> Value {
    let mut schema = schema_of_fields(types, fields);
    for field in fields {
        let source = field.default.as_ref().and_then(|it| it.source.as_deref());
        let default = source.and_then(|it| constant(types, field.ty, it));
        if let (Some(default), Some(property)) =
            (default, schema["properties"].get_mut(&field.wire))
        {
            property["default"] = default;
        }
    }
    schema
}

/// The value that a source text writes, where it is the same in JSON.
fn constant(types: &TypeTable, ty: TypeId, source: &str) -> Option<Value> {
    match types.get(types.base(ty)) {
        Type::Optional(of) => constant(types, *of, source),
        Type::Enum(it) => variant(it, source),
        Type::Int => source.replace('_', "").parse::<i64>().ok().map(Value::from),
        Type::Bool | Type::Float | Type::String | Type::Literals(_) | Type::List(_) => {
            // A string literal of the source denotes another text, which JSON would read as it is written.
            let is_plain = !source.contains("${");
            is_plain.then(|| serde_json::from_str(source).ok())?
        }
        Type::Unit
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => None,
    }
}

/// The text of a variant without fields, which may be named with its enum.
fn variant(of: &Enum, source: &str) -> Option<Value> {
    let name = source.rsplit('.').next()?;
    let mut variants = of.variants.iter();
    let named = variants.find(|it| it.name == name && it.fields.is_empty());
    let is_plain = of.variants.iter().all(|it| it.fields.is_empty());
    named.filter(|_| is_plain).map(|it| it.wire.as_str().into())
}
