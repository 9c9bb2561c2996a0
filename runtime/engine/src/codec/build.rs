//! What a JSON text becomes while it is parsed: a tree, or a `json` of the program, without a tree between.

use std::borrow::Cow;

use gsw_abi::builtin::LIST_JSON;
use gsw_abi::layout::json as tag;
use serde_json::{Map, Number, Value};

use crate::heap::{Heap, Poll};
use crate::value::{json, list, map, string};

/// Makes values of the pieces of a JSON text. Lists and objects that were begun are ended or discarded.
pub(super) trait Build {
    type Value;
    type List;
    type Object;

    fn null(&mut self) -> Self::Value;
    fn bool(&mut self, value: bool) -> Self::Value;
    /// A number that a float can hold.
    fn number(&mut self, digits: &str) -> Self::Value;
    fn text(&mut self, text: Cow<'_, str>) -> Self::Value;
    fn discard(&mut self, value: Self::Value);

    fn list(&mut self) -> Self::List;
    fn push(&mut self, list: &mut Self::List, element: Self::Value);
    fn end_list(&mut self, list: Self::List) -> Self::Value;
    fn discard_list(&mut self, list: Self::List);

    fn object(&mut self) -> Self::Object;
    fn has_key(&self, object: &Self::Object, key: &str) -> bool;
    fn insert(&mut self, object: &mut Self::Object, key: Cow<'_, str>, value: Self::Value);
    fn end_object(&mut self, object: Self::Object) -> Self::Value;
    fn discard_object(&mut self, object: Self::Object);

    /// Whether to end early.
    fn has_ended(&mut self) -> bool;
}

/// Makes a tree, whose numbers keep their digits.
#[derive(Debug)]
pub(super) struct Tree;

impl Build for Tree {
    type Value = Value;
    type List = Vec<Value>;
    type Object = Map<String, Value>;

    fn null(&mut self) -> Value {
        Value::Null
    }

    fn bool(&mut self, value: bool) -> Value {
        Value::Bool(value)
    }

    fn number(&mut self, digits: &str) -> Value {
        Value::Number(Number::from_string_unchecked(digits.into()))
    }

    fn text(&mut self, text: Cow<'_, str>) -> Value {
        Value::String(text.into_owned())
    }

    fn discard(&mut self, _: Value) {}

    fn list(&mut self) -> Vec<Value> {
        Vec::new()
    }

    fn push(&mut self, list: &mut Vec<Value>, element: Value) {
        list.push(element);
    }

    fn end_list(&mut self, list: Vec<Value>) -> Value {
        Value::Array(list)
    }

    fn discard_list(&mut self, _: Vec<Value>) {}

    fn object(&mut self) -> Map<String, Value> {
        Map::new()
    }

    fn has_key(&self, object: &Map<String, Value>, key: &str) -> bool {
        object.contains_key(key)
    }

    fn insert(&mut self, object: &mut Map<String, Value>, key: Cow<'_, str>, value: Value) {
        object.insert(key.into_owned(), value);
    }

    fn end_object(&mut self, object: Map<String, Value>) -> Value {
        Value::Object(object)
    }

    fn discard_object(&mut self, _: Map<String, Value>) {}

    fn has_ended(&mut self) -> bool {
        false
    }
}

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

    fn number(&mut self, digits: &str) -> u64 {
        if let Ok(it) = digits.parse::<i64>() {
            return json::new(self.heap, tag::INT, it as u64);
        }
        let float: f64 = digits.parse().unwrap_or_default();
        json::new(self.heap, tag::FLOAT, float.to_bits())
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
