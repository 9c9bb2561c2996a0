//! Variants whose kind is written in another form than ours.

use std::borrow::Cow;

use gsw_abi::types::KIND;
use serde_json::Value;

use super::object::Given;
use super::{Coercion, Fields};
use crate::answer::node::{End, Node};
use crate::answer::place::Place;
use crate::answer::repair::RepairKind;
use crate::answer::resemble::{is_kind, text_of};
use crate::answer::shape::{Match, Need, Record, Shape, ShapeId};
use crate::answer::word;

/// Keys that other languages have instead of ours.
const OTHER_KEYS: &[&str] = &["type", "$type", "@type", "_type", "tag", "variant", "name"];

/// A variant with fields.
#[derive(Clone, Copy)]
struct Variant<'s> {
    name: &'s str,
    record: &'s Record,
}

impl<'s> Coercion<'s> {
    /// An object without a name of a variant, as the variant that it must be.
    pub(super) fn variant(
        &mut self,
        fields: &Fields<'_>,
        end: End,
        leaves: &[ShapeId],
        place: &Place<'_>,
    ) -> Option<Value> {
        if fields.iter().any(|it| is_kind(&it.0)) {
            return None;
        }
        let variants = self.variants(leaves);
        if variants.is_empty() {
            return None;
        }
        if let [(key, inner)] = fields
            && let Some(value) = self.key_as_kind(key, inner, leaves, &variants, place)
        {
            return Some(value);
        }
        if let Some(value) = self.other_kind(fields, end, &variants, place) {
            return Some(value);
        }
        let mut whole = variants.iter().filter(|it| is_whole(it.record, fields));
        let variant = whole.next()?;
        // Where two variants have these fields, it is unknown which is meant.
        if whole.next().is_some() {
            return None;
        }
        let what = || format!("took `{}`, which alone has these fields", variant.name);
        self.note(RepairKind::GuessedKind, place, what);
        let given = Given {
            kind: Some(variant.name),
            said: None,
        };
        Some(self.fields(fields, end, variant.record, given, place))
    }

    fn variants(&self, leaves: &[ShapeId]) -> Vec<Variant<'s>> {
        let variants = leaves.iter().filter_map(|it| match self.shapes.get(*it) {
            Shape::Record(record) => {
                let name = record.kind.as_deref()?;
                Some(Variant { name, record })
            }
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
            | Shape::Map { .. }
            | Shape::Choice(_) => None,
        });
        variants.collect()
    }

    /// `{"Circle": {"radius": 1}}`.
    fn key_as_kind(
        &mut self,
        key: &str,
        inner: &Node<'_>,
        leaves: &[ShapeId],
        variants: &[Variant<'s>],
        place: &Place<'_>,
    ) -> Option<Value> {
        let plain = word::plain(key);
        let is_it = |it: &&Variant<'_>| word::plain(it.name) == plain;
        let what = |name: &str| format!("read the key `{key}` as the variant `{name}`");
        if let Some(variant) = variants.iter().find(is_it)
            && let Node::Object { fields, end } = inner
        {
            self.note(RepairKind::KeyAsKind, place, || what(variant.name));
            let given = Given {
                kind: Some(variant.name),
                said: None,
            };
            let below = place.key(key).of_answer();
            return Some(self.fields(fields, *end, variant.record, given, &below));
        }
        let is_empty = match inner {
            Node::Null => true,
            Node::Object { fields, .. } => fields.is_empty(),
            Node::Bool(_) | Node::Number(_) | Node::Bare(_) | Node::Text(_) | Node::List { .. } => {
                false
            }
        };
        let name = leaves.iter().find_map(|it| match self.shapes.get(*it) {
            Shape::Words(words) => words.iter().find(|it| word::plain(it) == plain),
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
            | Shape::Choice(_) => None,
        });
        let name = name.filter(|_| is_empty)?;
        self.note(RepairKind::KeyAsKind, place, || what(name));
        Some(name.as_str().into())
    }

    /// `{"type": "Circle", "radius": 1}`.
    fn other_kind(
        &mut self,
        fields: &Fields<'_>,
        end: End,
        variants: &[Variant<'s>],
        place: &Place<'_>,
    ) -> Option<Value> {
        let said = |(key, node): &(Cow<'_, str>, Node<'_>)| {
            let plain = word::plain(text_of(node));
            let mut named = variants.iter().filter(|it| word::plain(it.name) == plain);
            let variant = named.next().filter(|_| named.next().is_none())?;
            let is_ours = variant.record.is_near(key);
            (OTHER_KEYS.contains(&&**key) && !is_ours).then_some(*variant)
        };
        let found = fields.iter().enumerate();
        let (index, variant) = found
            .filter_map(|(index, it)| Some((index, said(it)?)))
            .next()?;
        let what = || format!("read the key `{}` as `{KIND}`", fields[index].0);
        self.note(RepairKind::OtherKind, place, what);
        let given = Given {
            kind: Some(variant.name),
            said: Some(index),
        };
        Some(self.fields(fields, end, variant.record, given, place))
    }
}

/// Whether an object has the fields of a variant, and no others, but for its name. One without fields says nothing of what it is.
fn is_whole(record: &Record, fields: &Fields<'_>) -> bool {
    let is_known = |key: &str| match record.field_of(key) {
        Match::Exact(_) | Match::Near(_) => true,
        Match::No => false,
    };
    let needed = record.fields.iter().filter(|it| it.need == Need::Required);
    // One of them is the name, which is what is missing.
    let needed = needed.count().saturating_sub(1);
    let is_needed = |key: &str| match record.field_of(key) {
        Match::Exact(index) | Match::Near(index) => record.fields[index].need == Need::Required,
        Match::No => false,
    };
    !fields.is_empty()
        && fields.iter().all(|it| is_known(&it.0))
        && fields.iter().filter(|it| is_needed(&it.0)).count() == needed
}
