//! What a JSON text becomes while it is parsed.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

/// Makes values of the pieces of a JSON text. Lists and objects that were begun are ended or discarded.
pub trait Build {
    type Value;
    /// A list that was begun.
    type List;
    /// An object that was begun.
    type Object;

    fn null(&mut self) -> Self::Value;
    fn bool(&mut self, value: bool) -> Self::Value;
    /// A number that a float can hold, if nothing of its digits is lost.
    fn number(&mut self, digits: &str) -> Option<Self::Value>;
    /// A string, its escapes resolved.
    fn text(&mut self, text: Cow<'_, str>) -> Self::Value;
    /// Gives up a value that nothing was made of.
    fn discard(&mut self, value: Self::Value);

    fn list(&mut self) -> Self::List;
    /// The next element of a list.
    fn push(&mut self, list: &mut Self::List, element: Self::Value);
    /// A list that is complete.
    fn end_list(&mut self, list: Self::List) -> Self::Value;
    /// Gives up a list that is not complete.
    fn discard_list(&mut self, list: Self::List);

    fn object(&mut self) -> Self::Object;
    /// Whether an object has this key so far.
    fn has_key(&self, object: &Self::Object, key: &str) -> bool;
    /// The next entry of an object.
    fn insert(&mut self, object: &mut Self::Object, key: Cow<'_, str>, value: Self::Value);
    /// An object that is complete.
    fn end_object(&mut self, object: Self::Object) -> Self::Value;
    /// Gives up an object that is not complete.
    fn discard_object(&mut self, object: Self::Object);

    fn has_ended(&mut self) -> bool;
}

/// Makes a tree, whose numbers keep their digits.
#[derive(Debug)]
pub struct Tree;

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

    fn number(&mut self, digits: &str) -> Option<Value> {
        Some(Value::Number(Number::from_string_unchecked(digits.into())))
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
