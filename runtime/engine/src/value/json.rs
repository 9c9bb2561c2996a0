//! `json` objects: a tag and a payload.

use gsw_abi::builtin;
use gsw_abi::layout::json;

use crate::heap::Heap;
use crate::value::{extra, field, list, map, set_field, string};

/// A `json` seen from outside; strings, lists and objects are borrowed words.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum View {
    Null,
    Bool(bool),
    /// A whole number of 64 bits.
    Int(i64),
    Float(f64),
    String(u64),
    /// A `[json]`.
    List(u64),
    /// A `{string: json}`.
    Object(u64),
}

/// A new `json` of a tag and a payload that it takes over.
#[must_use]
pub fn new(heap: &mut Heap, tag: u32, payload: u64) -> u64 {
    let word = heap.object(builtin::JSON, tag, 1);
    set_field(word, 0, payload);
    word
}

#[must_use]
pub fn new_string(heap: &mut Heap, text: &str) -> u64 {
    let text = string::new(heap, text);
    new(heap, json::STRING, text)
}

/// A new `json` list of elements that it takes over.
#[must_use]
pub fn new_list(heap: &mut Heap, elements: &[u64]) -> u64 {
    let list = list::new(heap, builtin::LIST_JSON, elements);
    new(heap, json::LIST, list)
}

/// A new empty `{string: json}`, to be filled and wrapped by [`new`] with the tag of an object.
#[must_use]
pub fn new_entries(heap: &mut Heap) -> u64 {
    map::new(heap, builtin::MAP_STRING_JSON)
}

#[must_use]
pub fn view(word: u64) -> View {
    let payload = field(word, 0);
    match tag(word) {
        json::NULL => View::Null,
        json::BOOL => View::Bool(payload != 0),
        json::INT => View::Int(payload as i64),
        json::FLOAT => View::Float(f64::from_bits(payload)),
        json::STRING => View::String(payload),
        json::LIST => View::List(payload),
        json::OBJECT => View::Object(payload),
        other => unreachable!("json objects have no tag {other}"),
    }
}

/// Whether the payload is an object that this one owns.
pub(crate) fn owns_payload(word: u64) -> bool {
    tag(word) >= json::STRING
}

/// Whether observers see `***` instead.
#[must_use]
pub fn is_confidential(word: u64) -> bool {
    extra(word) & json::CONFIDENTIAL != 0
}

/// A borrowed `json` as one that observers do not see.
#[must_use]
pub fn confidential(heap: &mut Heap, word: u64) -> u64 {
    let payload = field(word, 0);
    if owns_payload(word) {
        heap.retain(payload);
    }
    // The payload is shared, not copied: the mark belongs to this place, not to the value.
    new(heap, tag(word) | json::CONFIDENTIAL, payload)
}

fn tag(word: u64) -> u32 {
    extra(word) & !json::CONFIDENTIAL
}
