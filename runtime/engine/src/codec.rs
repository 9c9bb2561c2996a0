//! Values to JSON and back, led by their types.

mod build;
pub mod checker;
pub mod decode;
mod describe;
pub mod encode;
pub mod places;
mod sink;
pub mod stand_in;
pub mod surplus;
mod tree;

use std::sync::Arc;

use gsw_abi::types::{Type, TypeId};
use gsw_notation::issue::{self, Issue};
use gsw_notation::json as json_text;
use gsw_notation::path;
use gsw_notation::{duration, number};
use serde_json::Value;

use crate::codec::encode::{Known, Recipient};
use crate::codec::sink::{JsonSink, Layout, TextSink};
use crate::heap::Heap;
use crate::value::json::View;
use crate::value::{json, list, optional, string};

pub use describe::type_name;

/// A value as compact JSON.
#[must_use]
pub fn encode(heap: &Heap, ty: TypeId, word: u64) -> String {
    encode_for(heap, ty, word, Recipient::Program)
}

/// A value as compact JSON for readers that may not see `@secret` fields.
#[must_use]
pub fn encode_redacted(heap: &Heap, ty: TypeId, word: u64) -> String {
    encode_for(heap, ty, word, Recipient::Observer)
}

/// Elements of one type as a compact JSON array for readers that may not see `@secret` fields.
#[must_use]
pub fn encode_elements_redacted(heap: &Heap, of: TypeId, words: &[u64]) -> String {
    let mut sink = TextSink::new(Layout::Compact, String::new());
    encode::write_elements(known(heap), of, words, Recipient::Observer, &mut sink);
    sink.finish()
}

/// A value as JSON on several lines, indented by two spaces.
#[must_use]
pub fn encode_pretty(heap: &Heap, ty: TypeId, word: u64) -> String {
    let mut sink = TextSink::new(Layout::Indented, String::new());
    encode::write(known(heap), ty, word, Recipient::Program, &mut sink);
    sink.finish()
}

/// The pretty JSON of a value as a new string of the program, or the error that it is too large for the run.
pub(crate) fn pretty_string(heap: &mut Heap, ty: TypeId, word: u64) -> Result<u64, u64> {
    string_of(heap, ty, word, Layout::Indented)
}

fn string_of(heap: &mut Heap, ty: TypeId, word: u64, layout: Layout) -> Result<u64, u64> {
    let (types, hidden) = (Arc::clone(heap.types()), heap.hidden());
    let known = Known {
        types: &types,
        hidden: &hidden,
    };
    let mut sink = TextSink::new(layout, string::Writer::new(heap, 0)?);
    encode::write(known, ty, word, Recipient::Program, &mut sink);
    sink.finish().finish()
}

/// A value as a new `json`.
#[must_use]
pub fn to_json(heap: &mut Heap, ty: TypeId, word: u64) -> u64 {
    if matches!(heap.types().get(heap.types().base(ty)), Type::Json) {
        heap.retain(word);
        return word;
    }
    json_for(heap, ty, word, Recipient::Program)
}

/// A value as a new `json` for a server, which gets no field that is `none` by default.
#[must_use]
pub fn to_argument(heap: &mut Heap, ty: TypeId, word: u64) -> u64 {
    json_for(heap, ty, word, Recipient::Server)
}

/// A value as a new `json` for readers that may not see `@secret` fields.
#[must_use]
pub fn to_json_redacted(heap: &mut Heap, ty: TypeId, word: u64) -> u64 {
    json_for(heap, ty, word, Recipient::Observer)
}

fn json_for(heap: &mut Heap, ty: TypeId, word: u64, recipient: Recipient) -> u64 {
    let (types, hidden) = (Arc::clone(heap.types()), heap.hidden());
    let known = Known {
        types: &types,
        hidden: &hidden,
    };
    let mut sink = JsonSink::new(heap);
    encode::write(known, ty, word, recipient, &mut sink);
    sink.finish()
}

/// A value as a tree of JSON.
///
/// # Errors
/// When it nests deeper than [`json_text::MAX_DEPTH`].
pub fn to_tree(heap: &Heap, ty: TypeId, word: u64) -> Result<Value, Issue> {
    json_text::parse(&encode(heap, ty, word))
}

/// A JSON text as a new `json`; numbers that 64 bits do not hold become floats. Ends early, with an issue that says nothing,
/// when the run is to stop or its memory is used up.
///
/// # Errors
/// Where and why it is none.
pub(crate) fn json_from_text(heap: &mut Heap, text: &str) -> Result<u64, Issue> {
    json_text::parse_into(text, &mut build::Words::new(heap))
}

/// A tree of JSON as a new `json`; the numbers that 64 bits do not hold become floats.
///
/// # Errors
/// When it nests deeper than [`json_text::MAX_DEPTH`], or a number is beyond any float.
pub fn json_from_tree(heap: &mut Heap, value: &Value) -> Result<u64, Issue> {
    tree::build(heap, value)
}

/// A `json` as a tree.
///
/// # Errors
/// When it nests deeper than [`json_text::MAX_DEPTH`].
pub fn json_to_tree(word: u64) -> Result<Value, Issue> {
    tree::take_apart(word)
}

/// About how many bytes [`json_to_tree`] takes, or the error that the run has no memory for them.
pub(crate) fn size_of_tree(heap: &mut Heap, word: u64) -> Result<usize, u64> {
    tree::size(heap, word)
}

/// The text of a value inside another text: `"${x}"`.
#[must_use]
pub fn to_text(heap: &Heap, ty: TypeId, word: u64) -> String {
    let ty = heap.types().base(ty);
    match heap.types().get(ty) {
        Type::String | Type::Secret | Type::Literals(_) => string::text(word).into(),
        Type::Optional(of) if word != 0 => to_text(heap, *of, optional::inside(heap, *of, word)),
        Type::Duration => duration::text(word as i64),
        Type::Float => number::float_text(f64::from_bits(word)),
        Type::List(of) if is_text(heap, *of) => {
            let texts = list::words(word).iter().map(|&word| string::text(word));
            texts.collect::<Vec<_>>().join("\n")
        }
        Type::Json => {
            if let View::String(text) = json::view(word) {
                string::text(text).into()
            } else {
                encode(heap, ty, word)
            }
        }
        Type::Time | Type::Bytes | Type::Enum(_) => unquoted(encode(heap, ty, word)),
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Media
        | Type::Error
        | Type::Optional(_)
        | Type::List(_)
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
        | Type::Session => encode(heap, ty, word),
    }
}

/// The text of a value inside another text as a new string of the program, or the error that it is too large for the run.
pub(crate) fn text_string(heap: &mut Heap, ty: TypeId, word: u64) -> Result<u64, u64> {
    let types = Arc::clone(heap.types());
    let ty = types.base(ty);
    match types.get(ty) {
        Type::List(of) if is_text(heap, *of) => {
            let mut text = string::Writer::new(heap, 0)?;
            for (index, &word) in list::words(word).iter().enumerate() {
                if index > 0 {
                    text.push_str("\n");
                }
                text.push_str(string::text(word));
            }
            text.finish()
        }
        Type::Optional(of) if word != 0 => {
            let inside = optional::inside(heap, *of, word);
            text_string(heap, *of, inside)
        }
        Type::Json if !matches!(json::view(word), View::String(_)) => {
            string_of(heap, ty, word, Layout::Compact)
        }
        Type::List(_) | Type::Map { .. } | Type::Set { .. } | Type::Tuple(_) | Type::Record(_) => {
            string_of(heap, ty, word, Layout::Compact)
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
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::Enum(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => {
            let text = to_text(heap, ty, word);
            string::admitted(heap, &text)
        }
    }
}

/// The issue of a value that is not what was expected at a path.
#[must_use]
pub fn mismatch(path: &str, expected: &str, found: &Value) -> Issue {
    Issue::new(path.into(), expected.into(), issue::found(found))
}

/// The path of a field of the current value: `$.name`.
#[must_use]
pub fn path_of_key(key: &str) -> String {
    path::text(&[path::Step::Key(key.into())])
}

fn known(heap: &Heap) -> Known<'_> {
    Known {
        types: heap.types(),
        hidden: heap.known_hidden(),
    }
}

fn encode_for(heap: &Heap, ty: TypeId, word: u64, recipient: Recipient) -> String {
    let mut sink = TextSink::new(Layout::Compact, String::new());
    encode::write(known(heap), ty, word, recipient, &mut sink);
    sink.finish()
}

fn is_text(heap: &Heap, ty: TypeId) -> bool {
    let ty = heap.types().get(heap.types().base(ty));
    matches!(ty, Type::String | Type::Literals(_))
}

/// The text of a JSON string; other JSON stays as it is.
fn unquoted(json: String) -> String {
    match json_text::parse(&json) {
        Ok(Value::String(text)) => text,
        Ok(_) | Err(_) => json,
    }
}
