//! Whether a value roughly resembles a shape: how an answer is recognized among other values.

use std::borrow::Cow;

use gsw_abi::types::KIND;

use super::node::Node;
use super::number;
use super::shape::{Field, Match, Need, Record, Shape, ShapeId, Shapes, WRAPPED};
use super::word;

/// How well a value suits a shape; the order counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Suits {
    Not,
    /// It can be made to fit.
    Changed,
    /// In part, or in another spelling.
    Nearly,
    /// As far as can be seen from here, it fits.
    Well,
    /// It says itself that it is this.
    Exactly,
}

impl Shapes {
    /// Whether the value looks like an answer of the shape, though it may not fit.
    pub fn resembles(&self, node: &Node<'_>, id: ShapeId) -> bool {
        self.suits(node, id) > Suits::Changed
    }

    /// Compares the value and the keys or kinds of its parts, no deeper.
    pub fn suits(&self, node: &Node<'_>, id: ShapeId) -> Suits {
        match (self.get(id), node) {
            (Shape::Choice(branches), _) => {
                let all = branches.iter().map(|it| self.suits(node, *it));
                all.max().unwrap_or(Suits::Not)
            }
            (Shape::Any, _) => Suits::Well,
            (Shape::Record(record), Node::Object { fields, .. }) => self.as_record(fields, record),
            (Shape::Map { .. }, Node::Object { .. }) => Suits::Nearly,
            (Shape::Words(words), Node::Object { fields, .. }) => as_variant(fields, words),
            (Shape::List { of, .. }, Node::List { items, .. }) => {
                let suits = |it: &Node<'_>| self.may_be_item(it, *of);
                match items.is_empty() || items.iter().any(suits) {
                    true => Suits::Well,
                    false => Suits::Changed,
                }
            }
            (Shape::Tuple(_), Node::List { .. }) => Suits::Well,
            (Shape::Record(record), Node::List { .. }) if self.is_only_field(node, record) => {
                Suits::Nearly
            }
            (_, Node::List { items, .. }) if items.len() == 1 => Suits::Changed,
            (Shape::List { .. }, Node::Object { .. }) => Suits::Changed,
            (_, Node::List { .. } | Node::Object { .. }) => Suits::Not,
            (shape, scalar) => of_scalar(shape, scalar),
        }
    }

    /// Which field of a value holds the answer, where an object was asked for around an answer without brackets.
    pub fn wrapped(&self, node: &Node<'_>) -> Option<usize> {
        let Node::Object { fields, .. } = node else {
            return None;
        };
        let is_own = fields.iter().any(|it| is_kind(&it.0)) || self.has_field(self.root, WRAPPED);
        if is_own || !self.is_scalar(self.root) || self.resembles(node, self.root) {
            return None;
        }
        let mut found = (0..)
            .zip(fields)
            .filter(|it| word::plain(&it.1.0) == WRAPPED);
        let (index, _) = found.next()?;
        found.next().is_none().then_some(index)
    }

    /// Whether a record, or one of a choice, has such a field.
    fn has_field(&self, id: ShapeId, key: &str) -> bool {
        match self.get(id) {
            Shape::Record(record) => record.is_near(key),
            Shape::Choice(branches) => branches.iter().any(|it| self.has_field(*it, key)),
            Shape::Any
            | Shape::Null
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Duration
            | Shape::Text
            | Shape::Words(_)
            | Shape::List { .. }
            | Shape::Tuple(_)
            | Shape::Map { .. } => false,
        }
    }

    fn as_record(&self, fields: &[(Cow<'_, str>, Node<'_>)], record: &Record) -> Suits {
        if let Some(name) = &record.kind
            && let Some(said) = kind_of(fields)
        {
            return match said == name {
                true => Suits::Exactly,
                false if word::plain(said) == word::plain(name) => Suits::Well,
                false => Suits::Changed,
            };
        }
        let (mut known, mut required) = (0, 0);
        for (key, _) in fields {
            match record.field_of(key) {
                Match::Exact(index) | Match::Near(index) => {
                    known += 1;
                    required += usize::from(record.fields[index].need == Need::Required);
                }
                Match::No => {}
            }
        }
        let needs = |it: &&Field| it.need == Need::Required;
        let wanted = record.fields.iter().filter(needs).count();
        let is_whole = known == fields.len() && required == wanted;
        match (is_whole, known) {
            (true, _) => Suits::Well,
            (false, 0) => Suits::Changed,
            (false, _) => Suits::Nearly,
        }
    }

    /// Whether a value fits the only field of a record as it is.
    pub fn is_only_field(&self, node: &Node<'_>, record: &Record) -> bool {
        let [field] = &record.fields[..] else {
            return false;
        };
        match self.get(field.shape) {
            // Of these a record is recognised by its own keys.
            Shape::Any | Shape::Record(_) | Shape::Map { .. } | Shape::Choice(_) => false,
            Shape::Null
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Duration
            | Shape::Text
            | Shape::Words(_)
            | Shape::List { .. }
            | Shape::Tuple(_) => self.suits(node, field.shape) >= Suits::Well,
        }
    }

    /// Whether a value may be an item of a list: of the same kind, as far as JSON has kinds.
    fn may_be_item(&self, node: &Node<'_>, id: ShapeId) -> bool {
        match (self.get(id), node) {
            (Shape::Choice(branches), _) => branches.iter().any(|it| self.may_be_item(node, *it)),
            (Shape::Any, _) => true,
            (Shape::Record(_) | Shape::Map { .. }, _) => matches!(node, Node::Object { .. }),
            (Shape::List { .. } | Shape::Tuple(_), _) => matches!(node, Node::List { .. }),
            (
                Shape::Null
                | Shape::Bool
                | Shape::Int
                | Shape::Float
                | Shape::Duration
                | Shape::Text
                | Shape::Words(_),
                _,
            ) => !node.is_container(),
        }
    }
}

/// The name of the variant that an object says it is.
pub(crate) fn kind_of<'n>(fields: &'n [(Cow<'_, str>, Node<'_>)]) -> Option<&'n str> {
    let (_, kind) = fields.iter().find(|it| is_kind(&it.0))?;
    match kind {
        Node::Text(text) => Some(text),
        Node::Bare(text) => Some(text),
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::List { .. } | Node::Object { .. } => {
            None
        }
    }
}

/// Whether a key is that of a variant's name, in whatever spelling.
pub(crate) fn is_kind(key: &str) -> bool {
    let key = key.strip_prefix(['$', '@']).unwrap_or(key);
    key == KIND || (key.len() <= 8 && word::plain(key) == KIND)
}

/// A variant without fields, written as an object that has only its name.
fn as_variant(fields: &[(Cow<'_, str>, Node<'_>)], words: &[String]) -> Suits {
    let is_alone = fields.len() == 1;
    match kind_of(fields).filter(|_| is_alone) {
        Some(name) if words.iter().any(|it| it == name) => Suits::Exactly,
        Some(name) if word::meant(name, words).is_some() => Suits::Well,
        Some(_) | None => Suits::Not,
    }
}

fn of_scalar(shape: &Shape, node: &Node<'_>) -> Suits {
    match (shape, node) {
        (Shape::Null, Node::Null) | (Shape::Bool, Node::Bool(_)) => Suits::Exactly,
        (Shape::Int, Node::Number(digits)) => match digits.contains(['.', 'e', 'E']) {
            true => Suits::Changed,
            false => Suits::Exactly,
        },
        (Shape::Float | Shape::Duration, Node::Number(_)) => Suits::Well,
        (Shape::Words(words), Node::Text(_) | Node::Bare(_)) => {
            let text = text_of(node);
            match words.iter().any(|it| it == text) {
                true => Suits::Exactly,
                false if word::meant(text, words).is_some() => Suits::Nearly,
                false => Suits::Not,
            }
        }
        (Shape::Text, Node::Text(_)) => Suits::Well,
        (Shape::Text, Node::Bare(word)) if word::is_bare_null(word) => Suits::Not,
        (Shape::Text, Node::Bare(_)) => Suits::Nearly,
        (Shape::Text, Node::Number(_) | Node::Bool(_)) => Suits::Changed,
        (Shape::Null, Node::Bare(word)) if word::is_bare_null(word) => Suits::Nearly,
        (Shape::Null, Node::Text(_) | Node::Bare(_)) => {
            changed(word::null(text_of(node)).is_some())
        }
        (Shape::Bool, Node::Text(_) | Node::Bare(_)) => {
            changed(word::bool(text_of(node)).is_some())
        }
        (Shape::Int | Shape::Float, Node::Text(_) | Node::Bare(_)) => {
            changed(number::loose(text_of(node)).is_some())
        }
        (Shape::Duration, Node::Text(_) | Node::Bare(_)) => {
            let text = text_of(node);
            changed(number::loose(text).is_some() || number::seconds(text).is_some())
        }
        // Lists and objects may be written in a text.
        (
            Shape::List { .. } | Shape::Tuple(_) | Shape::Record(_) | Shape::Map { .. },
            Node::Text(text),
        ) => changed(text.trim_start().starts_with(['{', '['])),
        (
            Shape::Any
            | Shape::Null
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Duration
            | Shape::Text
            | Shape::Words(_)
            | Shape::List { .. }
            | Shape::Tuple(_)
            | Shape::Record(_)
            | Shape::Map { .. }
            | Shape::Choice(_),
            Node::Null
            | Node::Bool(_)
            | Node::Number(_)
            | Node::Bare(_)
            | Node::Text(_)
            | Node::List { .. }
            | Node::Object { .. },
        ) => Suits::Not,
    }
}

/// The word or text that a node is.
pub(crate) fn text_of<'n>(node: &'n Node<'_>) -> &'n str {
    match node {
        Node::Text(text) => text,
        Node::Bare(text) | Node::Number(text) => text,
        Node::Null | Node::Bool(_) | Node::List { .. } | Node::Object { .. } => "",
    }
}

fn changed(can_be: bool) -> Suits {
    if can_be { Suits::Changed } else { Suits::Not }
}
