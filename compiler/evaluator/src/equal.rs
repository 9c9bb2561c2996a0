//! `==` and order, by structure, and maps that are searched by them.

use std::cmp::Ordering;

use gsw_notation::number::is_same;

use crate::json::Json;
use crate::value::Value;

/// `a == b`; values of different kinds, functions and tasks are never equal.
pub fn equal(a: &Value, b: &Value) -> bool {
    match a {
        Value::Unit => matches!(b, Value::Unit),
        Value::None => matches!(b, Value::None),
        Value::Bool(a) => matches!(b, Value::Bool(b) if a == b),
        Value::Int(a) => matches!(b, Value::Int(b) if a == b),
        Value::Duration(a) => matches!(b, Value::Duration(b) if a == b),
        Value::Float(a) => matches!(b, Value::Float(b) if a == b),
        Value::Text(a) => matches!(b, Value::Text(b) if a == b),
        Value::Json(a) => matches!(b, Value::Json(b) if json_equal(a, b)),
        Value::List(a) => matches!(b, Value::List(b) if all_equal(a, b)),
        Value::Tuple(a) => matches!(b, Value::Tuple(b) if all_equal(a, b)),
        Value::Map(a) => matches!(b, Value::Map(b) if maps_equal(a, b)),
        Value::Record(_, a) => matches!(b, Value::Record(_, b) if all_equal(a, b)),
        Value::Variant(_, m, a) => {
            matches!(b, Value::Variant(_, n, b) if m == n && all_equal(a, b))
        }
        Value::Error(m, a) => matches!(b, Value::Error(n, b) if m == n && all_equal(a, b)),
        Value::Function(_) | Value::Task(_) | Value::Queue(_) => false,
    }
}

fn maps_equal(a: &[(Value, Value)], b: &[(Value, Value)]) -> bool {
    a.len() == b.len()
        && a.iter()
            .all(|(key, a)| lookup(b, key).is_some_and(|b| equal(a, b)))
}

fn all_equal(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
}

fn json_equal(a: &Json, b: &Json) -> bool {
    match a {
        Json::Null => matches!(b, Json::Null),
        Json::Bool(a) => matches!(b, Json::Bool(b) if a == b),
        Json::Int(a) => match b {
            Json::Int(b) => a == b,
            Json::Float(b) => is_same(*a, *b),
            Json::Null | Json::Bool(_) | Json::Text(_) | Json::List(_) | Json::Object(_) => false,
        },
        Json::Float(a) => match b {
            Json::Int(b) => is_same(*b, *a),
            Json::Float(b) => a == b,
            Json::Null | Json::Bool(_) | Json::Text(_) | Json::List(_) | Json::Object(_) => false,
        },
        Json::Text(a) => matches!(b, Json::Text(b) if a == b),
        Json::List(a) => b
            .list()
            .is_some_and(|b| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_equal(a, b))),
        Json::Object(a) => b.object().is_some_and(|entries| {
            a.len() == entries.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| json_equal(a, b)))
        }),
    }
}

/// The value of a key.
pub fn lookup<'a>(entries: &'a [(Value, Value)], key: &Value) -> Option<&'a Value> {
    entries
        .iter()
        .find(|(it, _)| equal(it, key))
        .map(|(_, it)| it)
}

/// The order that sorting uses: total, `NaN` last, `none` first. What has no order is left as it is.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    if matches!(b, Value::None) {
        return if matches!(a, Value::None) {
            Ordering::Equal
        } else {
            Ordering::Greater
        };
    }
    match a {
        Value::None => Ordering::Less,
        Value::Bool(a) => {
            let Value::Bool(b) = b else {
                return Ordering::Equal;
            };
            a.cmp(b)
        }
        Value::Int(a) | Value::Duration(a) => {
            let (Value::Int(b) | Value::Duration(b)) = b else {
                return Ordering::Equal;
            };
            a.cmp(b)
        }
        Value::Float(a) => {
            let Value::Float(b) = b else {
                return Ordering::Equal;
            };
            a.partial_cmp(b)
                .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
        Value::Text(a) => {
            let Value::Text(b) = b else {
                return Ordering::Equal;
            };
            a.cmp(b)
        }
        Value::Variant(_, a, _) => {
            let Value::Variant(_, b, _) = b else {
                return Ordering::Equal;
            };
            a.cmp(b)
        }
        Value::List(a) | Value::Tuple(a) => {
            let (Value::List(b) | Value::Tuple(b)) = b else {
                return Ordering::Equal;
            };
            compare_all(a, b)
        }
        Value::Unit
        | Value::Json(_)
        | Value::Map(_)
        | Value::Record(..)
        | Value::Error(..)
        | Value::Function(_)
        | Value::Task(_)
        | Value::Queue(_) => Ordering::Equal,
    }
}

fn compare_all(a: &[Value], b: &[Value]) -> Ordering {
    let parts = a.iter().zip(b).map(|(a, b)| compare(a, b));
    parts
        .fold(Ordering::Equal, Ordering::then)
        .then(a.len().cmp(&b.len()))
}

/// Sets the value of a key, which keeps its place.
pub fn insert(map: &mut Vec<(Value, Value)>, key: Value, value: Value) {
    match map.iter_mut().find(|(it, _)| equal(it, &key)) {
        Some((_, old)) => *old = value,
        None => map.push((key, value)),
    }
}
