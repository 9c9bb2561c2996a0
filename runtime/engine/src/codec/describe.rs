//! Names types in messages about JSON that does not fit.

use gsw_abi::types::{Enum, Type, TypeId, TypeTable, Variant};
use serde_json::Value;

/// What is expected where a value of this type should be, with the form of what has one of its own.
#[must_use]
pub fn expected(types: &TypeTable, ty: TypeId) -> String {
    let base = types.get(types.base(ty));
    if let Type::Enum(it) = base {
        return variants(it);
    }
    let inside = if let Type::Optional(of) = base {
        types.get(types.base(*of))
    } else {
        base
    };
    let forms = [
        (Type::Time, " in RFC 3339, such as `2026-01-31T09:30:00Z`"),
        (Type::Duration, " in seconds, such as 1.5"),
        (Type::Bytes, " in Base64"),
    ];
    let known = forms.iter().find(|it| it.0 == *inside);
    let form = if let Type::Set { .. } = inside {
        " as an array"
    } else {
        known.map_or("", |it| it.1)
    };
    format!("{}{form}", type_name(types, ty))
}

/// An enum with the form that each of its variants has in JSON: a string, or an object that is told by its `kind`.
#[must_use]
pub fn variants(it: &Enum) -> String {
    let (alone, with_fields) = halves(it);
    let objects = (!with_fields.is_empty())
        .then(|| format!("an object whose `kind` is {}", one_of(&with_fields)));
    let forms: Vec<String> = alone.into_iter().chain(objects).collect();
    format!("{} ({})", it.name, forms.join(", "))
}

/// What the `kind` of an object may be that is to be a variant of an enum.
#[must_use]
pub fn kinds(it: &Enum) -> String {
    let (alone, with_fields) = halves(it);
    let kinds = one_of(&with_fields);
    match &alone[..] {
        [] => kinds,
        alone => format!("{kinds} (or {} in place of the object)", one_of(alone)),
    }
}

/// The names in JSON of variants without fields, and of those with some.
fn halves(it: &Enum) -> (Vec<String>, Vec<String>) {
    let (alone, with_fields): (Vec<&Variant>, Vec<&Variant>) =
        it.variants.iter().partition(|it| it.fields.is_empty());
    let names = |variants: Vec<&Variant>| {
        let quoted = variants
            .iter()
            .map(|it| Value::from(it.wire.as_str()).to_string());
        quoted.collect()
    };
    (names(alone), names(with_fields))
}

/// `a, b or c`.
fn one_of(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A type as written in source, with aliases and records by name.
#[must_use]
pub fn type_name(types: &TypeTable, ty: TypeId) -> String {
    let list = |parts: &[TypeId]| {
        parts
            .iter()
            .map(|&it| type_name(types, it))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match types.get(ty) {
        Type::Unit => "()".into(),
        Type::Bool => "bool".into(),
        Type::Int => "int".into(),
        Type::Float => "float".into(),
        Type::String => "string".into(),
        Type::Bytes => "bytes".into(),
        Type::Time => "time".into(),
        Type::Duration => "duration".into(),
        Type::Json => "json".into(),
        Type::Secret => "secret".into(),
        Type::Media => "image or document".into(),
        Type::Error => "Error".into(),
        Type::Literals(texts) => {
            let texts = texts.iter().map(|it| Value::from(it.as_str()).to_string());
            texts.collect::<Vec<_>>().join(" | ")
        }
        Type::Optional(of) => format!("{}?", type_name(types, *of)),
        Type::List(of) => format!("[{}]", type_name(types, *of)),
        Type::Map { key, value } => {
            format!(
                "{{{}: {}}}",
                type_name(types, *key),
                type_name(types, *value)
            )
        }
        Type::Set { of, .. } => format!("Set<{}>", type_name(types, *of)),
        Type::Tuple(parts) => format!("({})", list(parts)),
        Type::Record(it) => it.name.clone(),
        Type::Enum(it) => it.name.clone(),
        Type::ErrorKind(it) => it.name.clone(),
        Type::Checked { name, .. } => name.clone(),
        Type::Closure(_) | Type::Function => "function".into(),
        Type::Cell(of) => type_name(types, *of),
        Type::Task(of) => format!("Task<{}>", type_name(types, *of)),
        Type::Stream(of) => format!("Stream<{}>", type_name(types, *of)),
        Type::Queue(list) => {
            let list = type_name(types, *list);
            let item = list.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
            format!("Queue<{}>", item.unwrap_or(&list))
        }
        Type::Session => "Session".into(),
    }
}
