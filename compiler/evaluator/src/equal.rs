//! `==` and order, by structure.

use std::cmp::Ordering;

use crate::json::Json;
use crate::value::Value;

/// `a == b`
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Unit, Value::Unit) | (Value::None, Value::None) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) | (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Json(a), Value::Json(b)) => json_equal(a, b),
        (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => all_equal(a, b),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| lookup(b, key).is_some_and(|b| equal(a, b)))
        }
        (Value::Record(_, a), Value::Record(_, b)) => all_equal(a, b),
        (Value::Variant(_, m, a), Value::Variant(_, n, b)) => m == n && all_equal(a, b),
        (Value::Error(m, a), Value::Error(n, b)) => m == n && all_equal(a, b),
        _ => false,
    }
}

fn all_equal(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
}

fn json_equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Null, Json::Null) => true,
        (Json::Bool(a), Json::Bool(b)) => a == b,
        (Json::Int(a), Json::Int(b)) => a == b,
        (Json::Float(a), Json::Float(b)) => a == b,
        (Json::Int(a), Json::Float(b)) | (Json::Float(b), Json::Int(a)) => {
            *b == *a as f64 && *b as i64 == *a
        }
        (Json::Text(a), Json::Text(b)) => a == b,
        (Json::List(a), Json::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_equal(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            let get = |key| b.iter().find(|(it, _)| it == key);
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| get(key).is_some_and(|(_, b)| json_equal(a, b)))
        }
        _ => false,
    }
}

/// The value of a key.
pub fn lookup<'a>(entries: &'a [(Value, Value)], key: &Value) -> Option<&'a Value> {
    entries
        .iter()
        .find(|(it, _)| equal(it, key))
        .map(|(_, it)| it)
}

/// The order that sorting uses: total, `NaN` last, `none` first.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::None, Value::None) => Ordering::Equal,
        (Value::None, _) => Ordering::Less,
        (_, Value::None) => Ordering::Greater,
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) | (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a
            .partial_cmp(b)
            .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Variant(_, a, _), Value::Variant(_, b, _)) => a.cmp(b),
        (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => {
            let parts = a.iter().zip(b.iter()).map(|(a, b)| compare(a, b));
            parts
                .fold(Ordering::Equal, Ordering::then)
                .then(a.len().cmp(&b.len()))
        }
        _ => Ordering::Equal,
    }
}
