//! Names types and values in messages about JSON that does not fit.

use gsw_abi::types::{Type, TypeId, TypeTable};
use serde_json::Value;

use crate::model::Issue;

/// Longer values are cut in messages; a guess at what a line holds.
const LONGEST: usize = 60;

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
        Type::Tuple(parts) => format!("({})", list(parts)),
        Type::Record(it) => it.name.clone(),
        Type::Enum(it) => it.name.clone(),
        Type::ErrorKind(it) => it.name.clone(),
        Type::Checked { name, .. } => name.clone(),
        Type::Closure(_) | Type::Function => "function".into(),
        Type::Cell(of) => type_name(types, *of),
        Type::Task(of) => format!("Task<{}>", type_name(types, *of)),
        Type::Stream(of) => format!("Stream<{}>", type_name(types, *of)),
        Type::Session => "Session".into(),
    }
}

/// What says nothing of a value but what it is; texts of values are quoted.
const KINDS: [&str; 3] = [NOTHING, ARRAY, OBJECT];
/// Found where a value is missing.
pub(super) const NOTHING: &str = "nothing";
const ARRAY: &str = "an array";
const OBJECT: &str = "an object";

/// Whether what was found is told by its kind alone.
pub(super) fn is_kind(found: &str) -> bool {
    KINDS.contains(&found)
}

/// What a value is: small ones themselves, lists and objects by name.
pub(super) fn found(value: &Value) -> String {
    match value {
        Value::Array(_) => ARRAY.into(),
        Value::Object(_) => OBJECT.into(),
        other => {
            let text = other.to_string();
            if text.chars().count() <= LONGEST {
                return text;
            }
            let cut: String = text.chars().take(LONGEST).collect();
            format!("{cut}…")
        }
    }
}

/// An issue with both sides put into a sentence.
pub(super) fn issue(path: String, expected: String, found: String) -> Issue {
    let message = format!("at {path}: expected {expected}, found {found}");
    Issue {
        path,
        expected,
        found,
        message,
    }
}
