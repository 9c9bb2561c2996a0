//! Numbers as text, words in another case, and the like.

use gsw_notation::text::shortened;
use serde_json::Value;

use super::Coercion;
use crate::answer::node::Node;
use crate::answer::number::{self, Digits};
use crate::answer::place::Place;
use crate::answer::repair::RepairKind;
use crate::answer::resemble::{kind_of, text_of};
use crate::answer::shape::{Shape, ShapeId};
use crate::answer::word;

impl Coercion<'_> {
    #[expect(
        clippy::too_many_lines,
        reason = "one arm a pair: rustc names what a new shape must join"
    )]
    pub(super) fn scalar(&mut self, node: &Node<'_>, id: ShapeId, place: &Place<'_>) -> Value {
        match (self.shapes.get(id), node) {
            (_, Node::List { items, .. }) if items.len() == 1 && !items[0].is_container() => {
                self.note(RepairKind::Wrapper, place, || {
                    "took the only item of a list".into()
                });
                self.scalar(&items[0], id, place)
            }
            (Shape::Words(words), Node::Object { fields, .. }) if fields.len() == 1 => {
                let Some(name) = kind_of(fields).and_then(|it| word::meant(it, words)) else {
                    return self.unfit(node, place);
                };
                let what = || format!("took `{name}` out of an object with its name");
                self.note(RepairKind::Wrapper, place, what);
                name.into()
            }
            (_, Node::List { .. } | Node::Object { .. }) => self.unfit(node, place),
            (Shape::Words(words), _) => self.word(node, words, place),
            // `3.0` and `3e2` are ints as well; what is none stays as it is.
            (Shape::Int, Node::Number(digits)) => number::value(digits),
            (Shape::Float, Node::Number(digits)) => {
                self.digits(digits, number::as_float(digits), place);
                number::value(digits)
            }
            (Shape::Duration, Node::Number(digits)) => {
                self.seconds(digits, place);
                number::value(digits)
            }
            (Shape::Int | Shape::Float | Shape::Duration, Node::Text(_) | Node::Bare(_)) => {
                self.number(node, id, place)
            }
            (Shape::Text, Node::Number(_) | Node::Bool(_)) => {
                let text = written(node);
                let what = || format!("read {text} as a text");
                self.note(RepairKind::ScalarAsText, place, what);
                text.into()
            }
            (Shape::Text, Node::Bare(text)) if !word::is_bare_null(text) => {
                self.quoted(text, place);
                (*text).into()
            }
            (Shape::Bool, Node::Text(_) | Node::Bare(_)) => match word::bool(text_of(node)) {
                Some(it) => {
                    self.as_word(node, RepairKind::TextAsBool, &it.to_string(), place);
                    it.into()
                }
                None => self.unfit(node, place),
            },
            (Shape::Null, Node::Text(_) | Node::Bare(_)) if word::null(text_of(node)).is_some() => {
                self.as_word(node, RepairKind::TextAsNull, "null", place);
                Value::Null
            }
            (
                Shape::Any
                | Shape::Null
                | Shape::Bool
                | Shape::Int
                | Shape::Float
                | Shape::Duration
                | Shape::Text
                | Shape::List { .. }
                | Shape::Tuple(_)
                | Shape::Record(_)
                | Shape::Map { .. }
                | Shape::Choice(_),
                Node::Null | Node::Bool(_) | Node::Number(_) | Node::Bare(_) | Node::Text(_),
            ) => self.unfit(node, place),
        }
    }

    fn word(&mut self, node: &Node<'_>, words: &[String], place: &Place<'_>) -> Value {
        let text = &*written(node);
        if words.iter().any(|it| it == text) {
            if !matches!(node, Node::Text(_)) {
                self.quoted(text, place);
            }
            return text.into();
        }
        match word::meant(text, words) {
            Some(meant) => {
                let what = || format!("read {} as `{meant}`", node.shown());
                self.note(RepairKind::NearWord, place, what);
                meant.into()
            }
            None => self.unfit(node, place),
        }
    }

    fn number(&mut self, node: &Node<'_>, id: ShapeId, place: &Place<'_>) -> Value {
        let text = text_of(node);
        if let Some(special) = not_finite(text) {
            if is_bare(node) {
                self.quoted(text, place);
            }
            return special.into();
        }
        let (kind, digits) = match (self.shapes.get(id), number::loose(text)) {
            (Shape::Duration, None) => (RepairKind::TextAsDuration, number::seconds(text)),
            (_, digits) if is_bare(node) => (RepairKind::OddNumber, digits),
            (_, digits) => (RepairKind::TextAsNumber, digits),
        };
        let Some(digits) = digits else {
            return self.unfit(node, place);
        };
        let what = || format!("read {} as {digits}", node.shown());
        self.note(kind, place, what);
        match self.shapes.get(id) {
            Shape::Float => self.digits(&digits, number::as_float(&digits), place),
            Shape::Duration => self.seconds(&digits, place),
            Shape::Any
            | Shape::Null
            | Shape::Bool
            | Shape::Int
            | Shape::Text
            | Shape::Words(_)
            | Shape::List { .. }
            | Shape::Tuple(_)
            | Shape::Record(_)
            | Shape::Map { .. }
            | Shape::Choice(_) => {}
        }
        number::value(&digits)
    }

    /// A number of seconds, of which a duration keeps nine decimal places.
    fn seconds(&mut self, digits: &str, place: &Place<'_>) {
        if number::as_duration(digits) == Digits::Rounded {
            let what = || format!("rounded {} to nanoseconds", shortened(digits, 60));
            self.note(RepairKind::RoundedNumber, place, what);
        }
    }

    /// A bare word where no shape says what it is.
    pub(super) fn bare(&mut self, word: &str, place: &Place<'_>) -> Value {
        let constant = match word {
            "True" | "TRUE" => Some(Value::Bool(true)),
            "False" | "FALSE" => Some(Value::Bool(false)),
            _ if word::is_bare_null(word) => Some(Value::Null),
            _ => None,
        };
        if let Some(constant) = constant {
            let what = || format!("read `{word}` as `{constant}`");
            self.note(RepairKind::OddWord, place, what);
            return constant;
        }
        if let Some(digits) = number::loose(word) {
            let what = || format!("read `{word}` as {digits}");
            self.note(RepairKind::OddNumber, place, what);
            self.digits(&digits, number::in_json(&digits), place);
            return number::value(&digits);
        }
        self.quoted(word, place);
        word.into()
    }

    fn as_word(&mut self, node: &Node<'_>, kind: RepairKind, meant: &str, place: &Place<'_>) {
        let kind = if is_bare(node) {
            RepairKind::OddWord
        } else {
            kind
        };
        let what = || format!("read {} as `{meant}`", node.shown());
        self.note(kind, place, what);
    }

    fn quoted(&mut self, text: &str, place: &Place<'_>) {
        let what = || format!("put quotes around `{}`", Node::Bare(text).shown());
        self.note(RepairKind::UnquotedText, place, what);
    }
}

fn is_bare(node: &Node<'_>) -> bool {
    matches!(node, Node::Bare(_))
}

/// A scalar as it is written, without quotes.
fn written(node: &Node<'_>) -> String {
    match node {
        Node::Bool(it) => it.to_string(),
        Node::Null
        | Node::Number(_)
        | Node::Bare(_)
        | Node::Text(_)
        | Node::List { .. }
        | Node::Object { .. } => text_of(node).to_owned(),
    }
}

/// JSON has no form for them; as texts they are what a check of floats takes.
fn not_finite(text: &str) -> Option<&str> {
    matches!(text, "NaN" | "Infinity" | "-Infinity").then_some(text)
}
