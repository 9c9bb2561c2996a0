//! Between `json` objects and trees of JSON.

use gsw_abi::layout::json as tag;
use gsw_notation::issue::Issue;
use gsw_notation::json::MAX_DEPTH;
use gsw_notation::number::{self, EXACT, HELD, keeps_digits};
use serde_json::{Map, Number, Value};

use crate::heap::{Heap, Poll};
use crate::value::json::View;
use crate::value::{json, list, map, string};

/// A new `json` of a tree.
pub(super) fn build(heap: &mut Heap, value: &Value) -> Result<u64, Issue> {
    build_at(heap, value, 0)
}

/// The tree of a `json`, which is borrowed.
pub(super) fn take_apart(word: u64) -> Result<Value, Issue> {
    take_apart_at(word, 0)
}

/// About how many bytes the tree of a `json` takes, or the error that they are too many.
pub(super) fn size(heap: &mut Heap, word: u64) -> Result<usize, u64> {
    let mut bytes = 0_usize;
    let mut poll = Poll::default();
    let mut work = vec![word];
    while let Some(word) = work.pop() {
        bytes += SIZE_OF_NODE;
        match json::view(word) {
            View::Null | View::Bool(_) | View::Int(_) | View::Float(_) => {}
            View::String(it) => bytes += string::bytes(it).len(),
            View::List(it) => work.extend_from_slice(list::words(it)),
            View::Object(it) => {
                for (name, word) in map::entries(it) {
                    bytes += SIZE_OF_NODE + string::bytes(name).len();
                    work.push(word);
                }
            }
        }
        if poll.ends(heap) {
            return Err(heap.interrupted());
        }
    }
    heap.demand(bytes as u64)?;
    Ok(bytes)
}

/// The bytes of a value in a tree beside those of its text; numbers are texts, too.
const SIZE_OF_NODE: usize = 72;

fn build_at(heap: &mut Heap, value: &Value, depth: usize) -> Result<u64, Issue> {
    if depth > MAX_DEPTH {
        return Err(too_deep());
    }
    Ok(match value {
        Value::Null => json::new(heap, tag::NULL, 0),
        Value::Bool(it) => json::new(heap, tag::BOOL, u64::from(*it)),
        Value::Number(it) => {
            let (tag, payload) = number_payload(it)?;
            json::new(heap, tag, payload)
        }
        Value::String(it) => json::new_string(heap, it),
        Value::Array(elements) => {
            let mut words = Vec::with_capacity(elements.len());
            for element in elements {
                match build_at(heap, element, depth + 1) {
                    Ok(word) => words.push(word),
                    Err(issue) => {
                        words.into_iter().for_each(|word| heap.release(word));
                        return Err(issue);
                    }
                }
            }
            json::new_list(heap, &words)
        }
        Value::Object(fields) => {
            let mut entries = json::new_entries(heap);
            map::reserve(heap, entries, fields.len());
            for (name, field) in fields {
                match build_at(heap, field, depth + 1) {
                    Ok(word) => {
                        let name = string::new(heap, name);
                        entries = map::insert(heap, entries, name, word);
                    }
                    Err(issue) => {
                        heap.release(entries);
                        return Err(issue);
                    }
                }
            }
            json::new(heap, tag::OBJECT, entries)
        }
    })
}

fn number_payload(number: &Number) -> Result<(u32, u64), Issue> {
    if let Some(it) = number.as_i64() {
        return Ok((tag::INT, it as u64));
    }
    let digits = number.to_string();
    let expected = match number.as_f64().filter(|it| it.is_finite()) {
        Some(it) if keeps_digits(&digits, it) => return Ok((tag::FLOAT, it.to_bits())),
        Some(_) => EXACT,
        None => HELD,
    };
    Err(Issue::new("$".into(), expected.into(), digits))
}

fn take_apart_at(word: u64, depth: usize) -> Result<Value, Issue> {
    if depth > MAX_DEPTH {
        return Err(too_deep());
    }
    Ok(match json::view(word) {
        View::Null => Value::Null,
        View::Bool(it) => Value::Bool(it),
        View::Int(it) => Value::from(it),
        View::Float(it) => float(it),
        View::String(it) => Value::from(string::text(it)),
        View::List(it) => {
            let elements = list::words(it).iter();
            Value::Array(
                elements
                    .map(|&it| take_apart_at(it, depth + 1))
                    .collect::<Result<_, _>>()?,
            )
        }
        View::Object(it) => {
            let mut fields = Map::new();
            for (name, word) in map::entries(it) {
                fields.insert(string::text(name).into(), take_apart_at(word, depth + 1)?);
            }
            Value::Object(fields)
        }
    })
}

/// Keeps the digits with which a float reads back as a float.
fn float(value: f64) -> Value {
    match number::special_text(value) {
        Some(text) => Value::from(text),
        None => Value::Number(Number::from_string_unchecked(number::float_text(value))),
    }
}

fn too_deep() -> Issue {
    let expected = format!("at most {MAX_DEPTH} levels");
    Issue::new("$".into(), expected, "deeper nesting".into())
}
