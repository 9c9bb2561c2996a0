//! A JSON text becomes a `json` of the program, without a tree between.

use std::borrow::Cow;

use gsw_abi::builtin::LIST_JSON;
use gsw_abi::layout::json as tag;
use gsw_notation::json::Build;
use gsw_notation::number::keeps_digits;

use crate::heap::{Heap, Poll};
use crate::value::{json, list, map, string};

/// Makes a `json` of the program; ends early when the run is to stop or its memory is used up.
#[derive(Debug)]
pub(super) struct Words<'a> {
    heap: &'a mut Heap,
    poll: Poll,
}

impl<'a> Words<'a> {
    pub(super) fn new(heap: &'a mut Heap) -> Self {
        Self {
            heap,
            poll: Poll::default(),
        }
    }
}

impl Build for Words<'_> {
    type Value = u64;
    /// A `[json]`.
    type List = u64;
    /// A `{string: json}`.
    type Object = u64;

    fn null(&mut self) -> u64 {
        json::new(self.heap, tag::NULL, 0)
    }

    fn bool(&mut self, value: bool) -> u64 {
        json::new(self.heap, tag::BOOL, u64::from(value))
    }

    fn number(&mut self, digits: &str) -> Option<u64> {
        if let Ok(it) = digits.parse::<i64>() {
            return Some(json::new(self.heap, tag::INT, it as u64));
        }
        let float: f64 = digits.parse().unwrap_or_default();
        keeps_digits(digits, float).then(|| json::new(self.heap, tag::FLOAT, float.to_bits()))
    }

    fn text(&mut self, text: Cow<'_, str>) -> u64 {
        json::new_string(self.heap, &text)
    }

    fn discard(&mut self, value: u64) {
        self.heap.release(value);
    }

    fn list(&mut self) -> u64 {
        list::new(self.heap, LIST_JSON, &[])
    }

    fn push(&mut self, list: &mut u64, element: u64) {
        *list = list::push(self.heap, *list, element);
    }

    fn end_list(&mut self, list: u64) -> u64 {
        json::new(self.heap, tag::LIST, list)
    }

    fn discard_list(&mut self, list: u64) {
        self.heap.release(list);
    }

    fn object(&mut self) -> u64 {
        json::new_entries(self.heap)
    }

    fn has_key(&self, object: &u64, key: &str) -> bool {
        map::get_text(self.heap, *object, key).is_some()
    }

    fn insert(&mut self, object: &mut u64, key: Cow<'_, str>, value: u64) {
        let key = string::new(self.heap, &key);
        *object = map::insert(self.heap, *object, key, value);
    }

    fn end_object(&mut self, object: u64) -> u64 {
        json::new(self.heap, tag::OBJECT, object)
    }

    fn discard_object(&mut self, object: u64) {
        self.heap.release(object);
    }

    fn has_ended(&mut self) -> bool {
        self.poll.ends(self.heap)
    }
}
