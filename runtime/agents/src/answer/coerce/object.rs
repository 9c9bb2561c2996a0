//! Records and maps: keys in another spelling, keys that no field has, an object around the object, a record written as text.

use gsw_abi::types::KIND;
use serde_json::{Map, Value};

use super::{Coercion, Fields};
use crate::answer::node::{End, Node};
use crate::answer::place::Place;
use crate::answer::repair::RepairKind;
use crate::answer::resemble::is_kind;
use crate::answer::shape::{Match, Need, Record, Shape, ShapeId};
use crate::answer::word;

/// What is known of a record's variant beside its fields.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Given<'g> {
    /// The variant's name, where it is known without a field for it.
    pub kind: Option<&'g str>,
    /// The number of the entry that spelled the name in another way.
    pub said: Option<usize>,
}

impl<'s> Coercion<'s> {
    pub(super) fn map(
        &mut self,
        node: &Node<'_>,
        keys: Option<ShapeId>,
        of: ShapeId,
        place: &Place<'_>,
    ) -> Value {
        match node {
            Node::Object { fields, .. } => {
                let mut known = Map::new();
                for (key, it) in fields {
                    let (written, place) = (key, place.key(key));
                    let meant = keys.and_then(|keys| self.key(key, keys));
                    let key = meant.unwrap_or(key);
                    let value = self.value(it, of, &place.in_value_at(key));
                    if let Some(meant) = meant {
                        let what = || format!("read the key `{written}` as `{meant}`");
                        self.note(RepairKind::NearKey, &place, what);
                    }
                    self.enter(&mut known, key, value, &place);
                }
                Value::Object(known)
            }
            Node::Text(text) => {
                let mut held = None;
                match self.written(text, &mut held) {
                    Some(object @ Node::Object { .. }) => {
                        self.note(RepairKind::TextAsValue, place, text_as_object);
                        self.map(&object, keys, of, place)
                    }
                    Some(_) | None => self.unfit(node, place),
                }
            }
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Bare(_) | Node::List { .. } => {
                self.unfit(node, place)
            }
        }
    }

    /// The key of a map that another spelling means, where only some words are keys.
    fn key(&self, key: &str, keys: ShapeId) -> Option<&'s str> {
        let Shape::Words(words) = self.shapes.get(keys) else {
            return None;
        };
        if words.iter().any(|it| it == key) {
            return None;
        }
        word::same(key, words)
    }

    pub(super) fn record(
        &mut self,
        node: &Node<'_>,
        id: ShapeId,
        record: &'s Record,
        place: &Place<'_>,
    ) -> Value {
        match node {
            Node::Object { fields, end } => {
                if let Some(value) = self.call(fields, id, record, place) {
                    return value;
                }
                // What names another variant is itself what was asked for, and no wrapper of it.
                let says_kind = record.kind.is_some() && fields.iter().any(|it| is_kind(&it.0));
                if !says_kind
                    && !self.shapes.resembles(node, id)
                    && let Some(value) = self.unwrapped(node, id, place)
                {
                    return value;
                }
                self.fields(fields, *end, record, Given::default(), place)
            }
            Node::Text(text) => {
                let mut held = None;
                match self.written(text, &mut held) {
                    Some(object @ Node::Object { .. }) => {
                        self.note(RepairKind::TextAsValue, place, text_as_object);
                        self.record(&object, id, record, place)
                    }
                    Some(_) | None => self.only_field(node, record, place),
                }
            }
            Node::List { .. } if !self.shapes.is_only_field(node, record) => {
                match self.unwrapped(node, id, place) {
                    Some(value) => value,
                    None => self.unfit(node, place),
                }
            }
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Bare(_) | Node::List { .. } => {
                self.only_field(node, record, place)
            }
        }
    }

    /// A bare value for a record of one field.
    fn only_field(&mut self, node: &Node<'_>, record: &'s Record, place: &Place<'_>) -> Value {
        if !self.shapes.is_only_field(node, record) {
            return self.unfit(node, place);
        }
        let field = &record.fields[0];
        let below = field.at(place.key(&field.name));
        let what = || format!("read a bare value as the field `{}`", field.name);
        self.note(RepairKind::OnlyField, &below, what);
        let value = self.value(node, field.shape, &below);
        Value::Object(Map::from_iter([(field.name.clone(), value)]))
    }

    /// The arguments of a call of a function, where a model writes one instead of the answer.
    fn call(
        &mut self,
        fields: &Fields<'_>,
        id: ShapeId,
        record: &Record,
        place: &Place<'_>,
    ) -> Option<Value> {
        const NAMES: &[&str] = &["name", "function", "tool", "tool_name"];
        const ARGUMENTS: &[&str] = &["arguments", "parameters", "args", "input", "tool_input"];
        let [first, second] = fields else {
            return None;
        };
        let is_call = NAMES.contains(&&*first.0) && ARGUMENTS.contains(&&*second.0);
        let is_ours = record.is_near(&second.0);
        if !is_call || is_ours || !matches!(first.1, Node::Text(_)) {
            return None;
        }
        let is_it = match &second.1 {
            Node::Object { .. } => self.shapes.resembles(&second.1, id),
            Node::Text(text) => text.trim_start().starts_with('{'),
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Bare(_) | Node::List { .. } => {
                false
            }
        };
        if !is_it {
            return None;
        }
        self.drop_part(&first.1, &place.key(&first.0));
        let below = place.key(&second.0).of_answer();
        let what = || "took the arguments of a call as the answer".into();
        self.note(RepairKind::Wrapper, &below, what);
        Some(self.value(&second.1, id, &below))
    }

    pub(super) fn fields(
        &mut self,
        fields: &Fields<'_>,
        end: End,
        record: &'s Record,
        given: Given<'_>,
        place: &Place<'_>,
    ) -> Value {
        let chosen = self.chosen(fields, record, given, place);
        let mut known = Map::with_capacity(record.fields.len());
        if let Some(kind) = given.kind {
            known.insert(KIND.into(), kind.into());
        }
        for (index, (key, node)) in fields.iter().enumerate() {
            let Some(field) = chosen.fields[index].map(|it| &record.fields[it]) else {
                continue;
            };
            let below = field.at(place.key(&field.name));
            if key != &*field.name {
                let what = || format!("read the key `{key}` as `{}`", field.name);
                self.note(RepairKind::NearKey, &below, what);
            }
            let value = self.value(node, field.shape, &below);
            known.insert(field.name.clone(), value);
        }
        let is_absent = |it: &&crate::answer::shape::Field| {
            it.need == Need::MayBeAbsent && !known.contains_key(&it.name)
        };
        let absent: Vec<&str> = record
            .fields
            .iter()
            .filter(is_absent)
            .map(|it| it.name.as_str())
            .collect();
        if !absent.is_empty() {
            let missing = format!("`{}`", absent.join("`, `"));
            self.unended(end, place, &missing);
        }
        for index in chosen.unknown {
            let (key, node) = &fields[index];
            self.unknown(key, node, &absent, record, place);
        }
        Value::Object(known)
    }

    /// A key that no field has: left out where the record is complete without it; else it may be what is missing.
    fn unknown(
        &mut self,
        key: &str,
        node: &Node<'_>,
        absent: &[&str],
        record: &Record,
        place: &Place<'_>,
    ) {
        let below = place.key(key);
        if absent.is_empty() {
            return self.drop_part(node, &below);
        }
        let names: Vec<&str> = record.fields.iter().map(|it| it.name.as_str()).collect();
        let expected = format!("one of the keys `{}`", names.join("`, `"));
        let found = format!("`{key}`, while `{}` is absent", absent.join("`, `"));
        self.issue(&below, expected, found);
    }

    /// Which entry is which field.
    fn chosen(
        &mut self,
        fields: &Fields<'_>,
        record: &Record,
        given: Given<'_>,
        place: &Place<'_>,
    ) -> Chosen {
        let mut chosen = Chosen {
            fields: vec![None; fields.len()],
            unknown: Vec::new(),
        };
        let mut taken: Vec<Option<usize>> = vec![None; record.fields.len()];
        let mut others: Vec<(usize, usize)> = Vec::new();
        for (index, (key, _)) in fields.iter().enumerate() {
            if given.said == Some(index) {
                continue;
            }
            match record.field_of(key) {
                Match::Exact(field) if taken[field].is_none() => {
                    taken[field] = Some(index);
                    chosen.fields[index] = Some(field);
                }
                Match::Exact(field) | Match::Near(field) => others.push((index, field)),
                Match::No => chosen.unknown.push(index),
            }
        }
        for (index, field) in others {
            let (key, node) = &fields[index];
            let Some(first) = taken[field] else {
                taken[field] = Some(index);
                chosen.fields[index] = Some(field);
                continue;
            };
            let below = record.fields[field].at(place.key(key));
            if fields[first].1 == *node {
                let what = || "read once what is there twice".into();
                self.note(RepairKind::RepeatedKey, &below, what);
            } else {
                let found = format!("{} and {}", self.shown(&fields[first].1), self.shown(node));
                self.issue(&below, "each key once".into(), found);
            }
        }
        chosen
    }
}

/// The fields that entries are, by the numbers of both.
#[derive(Debug)]
struct Chosen {
    fields: Vec<Option<usize>>,
    unknown: Vec<usize>,
}

fn text_as_object() -> String {
    "read a text as the object in it".into()
}
