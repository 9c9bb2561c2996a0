//! Words that compiled code hands over, as what the runtime works with.

use std::sync::Arc;

use gsw_abi::builtin::JSON;
use serde_json::{Map, Value};

use crate::codec;
use crate::heap::Heap;
use crate::hidden::Hidden;
use crate::secret::Template;
use crate::value::{map, string};

/// The arguments as observers see them, and what is hidden from these; the word is taken over.
pub(crate) fn take_arguments(heap: &mut Heap, word: u64) -> (Option<Arc<str>>, Hidden) {
    if word == 0 {
        return (None, Hidden::default());
    }
    let shown = codec::encode_redacted(heap, JSON, word);
    // Before the word is released: both forms are made from it.
    let hidden = Hidden::in_arguments(heap, word);
    heap.release(word);
    (Some(shown.into()), hidden)
}

/// The settings of a call from a `json` word, or none for 0; it is taken over.
pub(crate) fn take_settings(heap: &mut Heap, word: u64) -> Map<String, Value> {
    if word == 0 {
        return Map::new();
    }
    let tree = codec::json_to_tree(word);
    heap.release(word);
    match tree {
        Ok(Value::Object(settings)) => settings,
        _ => Map::new(),
    }
}

/// The text of a string word, or `None` for 0; it is taken over.
pub(crate) fn take_text(heap: &mut Heap, word: u64) -> Option<String> {
    if word == 0 {
        return None;
    }
    Some(take_string(heap, word))
}

/// The text of a string word, which is taken over.
pub(crate) fn take_string(heap: &mut Heap, word: u64) -> String {
    let text = string::text(word).to_owned();
    heap.release(word);
    text
}

/// A `{string: secret}`, which is taken over.
pub(crate) fn take_templates(heap: &mut Heap, entries: u64) -> Vec<(String, Template)> {
    let pairs = map::entries(entries);
    let pairs = pairs.map(|(key, value)| (string::text(key).to_owned(), Template::of(value)));
    let pairs = pairs.collect();
    heap.release(entries);
    pairs
}

/// A `json` word, or 0, as the text that observers see; it is taken over.
pub(crate) fn take_json(heap: &mut Heap, word: u64) -> Option<Arc<str>> {
    if word == 0 {
        return None;
    }
    let text = codec::encode_redacted(heap, JSON, word);
    heap.release(word);
    Some(text.into())
}
