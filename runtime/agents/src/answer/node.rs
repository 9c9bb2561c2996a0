//! The syntax tree of an answer, before the schema gives it a meaning.
//!
//! Unlike a [`Value`], a node keeps keys that are there twice, words without quotes and the digits of numbers, and knows whether
//! a list or object was ended.

use std::borrow::Cow;

use gsw_notation::text::shortened;
use serde_json::{Map, Value};

use super::number;

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Node<'t> {
    Null,
    Bool(bool),
    /// As JSON writes numbers.
    Number(&'t str),
    /// Something without quotes: a word, or a number in another notation.
    Bare(&'t str),
    Text(Cow<'t, str>),
    List {
        items: Vec<Node<'t>>,
        end: End,
    },
    Object {
        fields: Vec<(Cow<'t, str>, Node<'t>)>,
        end: End,
    },
}

/// How a list or object ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Closed,
    /// Its closing bracket is missing, so that more may have been meant to come.
    Missing,
}

/// The longest text of a value in a message; a guess at what a line holds.
const LONGEST: usize = 60;

impl Node<'_> {
    pub fn is_container(&self) -> bool {
        match self {
            Node::List { .. } | Node::Object { .. } => true,
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Bare(_) | Node::Text(_) => false,
        }
    }

    /// Whether it may be an answer inside of something else: an empty list or object beside other things is too little to be one.
    pub fn may_be_inside(&self, siblings: usize) -> bool {
        let is_empty = match self {
            Node::List { items, .. } => items.is_empty(),
            Node::Object { fields, .. } => fields.is_empty(),
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Bare(_) | Node::Text(_) => false,
        };
        siblings == 0 || !is_empty
    }

    /// The value that it is without any schema. Of a key that is there twice the last value stays; the caller has refused it.
    pub fn to_value(&self) -> Value {
        match self {
            Node::Null => Value::Null,
            Node::Bool(it) => Value::Bool(*it),
            Node::Number(digits) => number::value(digits),
            Node::Bare(word) if number::is_strict(word) => number::value(word),
            Node::Bare(word) => Value::String((*word).to_owned()),
            Node::Text(text) => Value::String(text.clone().into_owned()),
            Node::List { items, .. } => items.iter().map(Node::to_value).collect(),
            Node::Object { fields, .. } => {
                let fields = fields.iter();
                let fields: Map<String, Value> = fields
                    .map(|(key, it)| (key.clone().into_owned(), it.to_value()))
                    .collect();
                Value::Object(fields)
            }
        }
    }

    /// The node of a value, which borrows from it.
    pub fn of(value: &Value) -> Node<'_> {
        match value {
            Value::Null => Node::Null,
            Value::Bool(it) => Node::Bool(*it),
            Value::Number(it) => Node::Number(it.as_str()),
            Value::String(it) => Node::Text(Cow::Borrowed(it)),
            Value::Array(items) => Node::List {
                items: items.iter().map(Node::of).collect(),
                end: End::Closed,
            },
            Value::Object(fields) => Node::Object {
                fields: fields
                    .iter()
                    .map(|(key, it)| (Cow::Borrowed(key.as_str()), Node::of(it)))
                    .collect(),
                end: End::Closed,
            },
        }
    }

    /// It in a message, cut.
    pub fn shown(&self) -> String {
        let mut text = String::new();
        self.show(&mut text);
        shortened(&text, LONGEST)
    }

    fn show(&self, text: &mut String) {
        // Enough is known; the rest of a large value need not be recorded.
        if text.len() > LONGEST * 4 {
            return;
        }
        match self {
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) => {
                text.push_str(&self.to_value().to_string());
            }
            Node::Bare(word) => text.push_str(word),
            Node::List { items, .. } => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    text.push_str(if index > 0 { "," } else { "" });
                    item.show(text);
                }
                text.push(']');
            }
            Node::Object { fields, .. } => {
                text.push('{');
                for (index, (key, it)) in fields.iter().enumerate() {
                    text.push_str(if index > 0 { "," } else { "" });
                    text.push_str(&Value::from(&**key).to_string());
                    text.push(':');
                    it.show(text);
                }
                text.push('}');
            }
        }
    }
}
