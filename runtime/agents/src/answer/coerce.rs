//! Coerces what an answer says to the shape of the schema: accepts common deviations of models, and names each.
//!
//! Each part of an answer is looked at once. Which of several shapes a part is meant to be, it is asked from afar (`resemble`),
//! never by trying all; so the work grows with the answer alone. Nothing that is written disappears: it is in the value, in a repair,
//! or in an issue. What does not fit stays as it is, and the check says what is wrong with it.

mod list;
mod object;
mod scalar;
mod variant;

use std::borrow::Cow;

use gsw_notation::issue::Issue;
use gsw_notation::path::Step;
use gsw_notation::text::shortened;
use serde_json::{Map, Value};

use super::node::{End, Node};
use super::number::{self, Digits};
use super::place::Place;
use super::repair::{RepairKind, Repairs};
use super::resemble::Suits;
use super::shape::{Repeats, Shape, ShapeId, Shapes};
use super::strict::strict;
use super::work::Work;

/// A value that may fit.
#[derive(Debug)]
pub(crate) struct Coerced {
    pub value: Value,
    pub repairs: Repairs,
    /// What the check cannot see: unknown keys, duplicate keys, missing ends.
    pub issues: Vec<Issue>,
    /// The places in the value of lists that one value was read as.
    pub singles: Vec<Vec<Step<'static>>>,
}

pub(crate) fn coerced(node: &Node<'_>, shapes: &Shapes, work: &Work) -> Coerced {
    let mut coercion = Coercion {
        shapes,
        work,
        repairs: Repairs::default(),
        issues: Vec::new(),
        singles: Vec::new(),
    };
    let value = match shapes.wrapped(node) {
        Some(index) => coercion.wrapped(node, index),
        None => coercion.value(node, shapes.root, &Place::ROOT),
    };
    Coerced {
        value,
        repairs: coercion.repairs,
        issues: coercion.issues,
        singles: coercion.singles,
    }
}

struct Coercion<'s> {
    shapes: &'s Shapes,
    work: &'s Work,
    repairs: Repairs,
    issues: Vec<Issue>,
    singles: Vec<Vec<Step<'static>>>,
}

type Fields<'t> = [(Cow<'t, str>, Node<'t>)];

impl<'s> Coercion<'s> {
    fn value(&mut self, node: &Node<'_>, id: ShapeId, place: &Place<'_>) -> Value {
        self.work.spend(1);
        match self.shapes.get(id) {
            Shape::Any => self.any(node, place),
            Shape::Choice(branches) => self.choice(node, branches, place),
            Shape::Record(record) => self.record(node, id, record, place),
            Shape::Map { of, keys } => self.map(node, *keys, *of, place),
            Shape::List { of, repeats } => {
                let list = self.list(node, id, *of, place);
                match repeats {
                    Repeats::Any => list,
                    Repeats::None => self.once(list, place),
                }
            }
            Shape::Tuple(parts) => self.tuple(node, parts, place),
            Shape::Null
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Duration
            | Shape::Text
            | Shape::Words(_) => self.scalar(node, id, place),
        }
    }

    /// The answer in the object that was asked for around it.
    fn wrapped(&mut self, node: &Node<'_>, index: usize) -> Value {
        let Node::Object { fields, .. } = node else {
            return self.unfit(node, &Place::ROOT);
        };
        let mut answer = Value::Null;
        for (at, (key, it)) in fields.iter().enumerate() {
            let below = Place::ROOT.key(key).of_answer();
            if at == index {
                let what = || "took the value out of what is around it".into();
                self.note(RepairKind::Wrapper, &below, what);
                answer = self.value(it, self.shapes.root, &below);
            } else {
                self.drop_part(it, &below);
            }
        }
        answer
    }

    fn choice(&mut self, node: &Node<'_>, branches: &'s [ShapeId], place: &Place<'_>) -> Value {
        let leaves = self.shapes.leaves(branches.to_vec());
        if let Node::Object { fields, end } = node
            && let Some(value) = self.variant(fields, *end, &leaves, place)
        {
            return value;
        }
        let suits = |id: &ShapeId| self.shapes.suits(node, *id);
        // The first of those that suit it best.
        let best = leaves.iter().rev().copied().max_by_key(suits);
        match best.filter(|it| suits(it) > Suits::Not) {
            Some(id) => self.value(node, id, place),
            None => self.unfit(node, place),
        }
    }

    /// Any JSON: what is written, as far as `json` can hold it.
    fn any(&mut self, node: &Node<'_>, place: &Place<'_>) -> Value {
        self.work.spend(1);
        match node {
            Node::Null | Node::Bool(_) | Node::Text(_) => node.to_value(),
            Node::Number(digits) => {
                self.digits(digits, number::in_json(digits), place);
                number::value(digits)
            }
            Node::Bare(word) => self.bare(word, place),
            Node::List { items, .. } => {
                let items = items.iter().enumerate();
                let items = items.map(|(index, it)| self.any(it, &place.index(index)));
                Value::Array(items.collect())
            }
            Node::Object { fields, .. } => {
                let mut known = Map::new();
                for (key, node) in fields {
                    let place = place.key(key);
                    let value = self.any(node, &place);
                    self.enter(&mut known, key, value, &place);
                }
                Value::Object(known)
            }
        }
    }

    /// What does not fit, as it is written: the check says what is wrong with it.
    fn unfit(&mut self, node: &Node<'_>, place: &Place<'_>) -> Value {
        self.any(node, place)
    }

    /// Adds an entry of a map; a duplicate key with another value is ambiguous.
    fn enter(
        &mut self,
        known: &mut Map<String, Value>,
        key: &str,
        value: Value,
        place: &Place<'_>,
    ) {
        match known.get(key) {
            None => {
                known.insert(key.to_owned(), value);
            }
            Some(before) if *before == value => {
                let what = || "read once what is there twice".into();
                self.repairs.note(RepairKind::RepeatedKey, place, what);
            }
            Some(_) => self.issue(place, "each key once".into(), "the key twice".into()),
        }
    }

    fn digits(&mut self, text: &str, digits: Digits, place: &Place<'_>) {
        match digits {
            Digits::Kept => {}
            Digits::Rounded => {
                let what = || {
                    let rounded = text.parse().map_or(f64::NAN, |it: f64| it);
                    format!("rounded {} to {rounded}", shortened(text, 60))
                };
                self.repairs.note(RepairKind::RoundedNumber, place, what);
            }
            Digits::TooMany => {
                let found = format!("{}, which would lose digits", shortened(text, 60));
                self.issue(place, "an int of 64 bits".into(), found);
            }
        }
    }

    fn note(&mut self, kind: RepairKind, place: &Place<'_>, what: impl FnOnce() -> String) {
        self.repairs.note(kind, place, what);
    }

    /// A value in a message.
    fn shown(&self, node: &Node<'_>) -> String {
        match self.shapes.hides && node.is_container() {
            true => "a value with something hidden".into(),
            false => node.shown(),
        }
    }

    fn issue(&mut self, place: &Place<'_>, expected: String, found: String) {
        self.issues.push(place.issue(expected, found));
    }

    /// A list or object of which the end is missing, and of which something may be missing as well.
    fn unended(&mut self, end: End, place: &Place<'_>, missing: &str) {
        if end == End::Missing {
            let expected = format!("{missing} or the closing bracket");
            self.issue(place, expected, "neither".into());
        }
    }

    /// What is written in a text that is a list or object; strictly, because a text that is only nearly one may be meant as a text.
    fn written<'v>(&mut self, text: &str, value: &'v mut Option<Value>) -> Option<Node<'v>> {
        if !text.trim_start().starts_with(['{', '[']) {
            return None;
        }
        self.work.spend(text.len());
        *value = strict(text);
        value.as_ref().map(Node::of)
    }
}
