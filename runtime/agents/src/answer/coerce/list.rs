//! Lists and tuples: items each by themselves, a list in an object, one value instead of a list.

use std::collections::HashSet;

use serde_json::Value;

use super::Coercion;
use crate::answer::node::Node;
use crate::answer::place::Place;
use crate::answer::repair::RepairKind;
use crate::answer::shape::ShapeId;
use crate::answer::word::is_bare_null;

impl Coercion<'_> {
    pub(super) fn list(
        &mut self,
        node: &Node<'_>,
        id: ShapeId,
        of: ShapeId,
        place: &Place<'_>,
    ) -> Value {
        match node {
            Node::List { items, end } => {
                if self.shapes.resembles(node, id) {
                    let items = items.iter().enumerate();
                    let items = items.map(|(index, it)| self.value(it, of, &place.index(index)));
                    return Value::Array(items.collect());
                }
                // A list of one list, most of all.
                match self.unwrapped(node, id, place) {
                    Some(value) => value,
                    None => {
                        self.unended(*end, place, "items");
                        let items = items.iter().enumerate();
                        let items =
                            items.map(|(index, it)| self.value(it, of, &place.index(index)));
                        Value::Array(items.collect())
                    }
                }
            }
            Node::Object { .. } if self.shapes.resembles(node, of) => self.single(node, of, place),
            Node::Object { .. } => match self.unwrapped(node, id, place) {
                Some(value) => value,
                None => self.unfit(node, place),
            },
            Node::Text(text) => {
                let mut held = None;
                match self.written(text, &mut held) {
                    Some(list @ Node::List { .. }) => {
                        let what = || "read a text as the list in it".into();
                        self.note(RepairKind::TextAsValue, place, what);
                        self.list(&list, id, of, place)
                    }
                    Some(_) => self.unfit(node, place),
                    // Several things in one text: how they are divided cannot be known.
                    None if text.contains([',', ';', '\n']) || text.trim().is_empty() => {
                        self.unfit(node, place)
                    }
                    None => self.single(node, of, place),
                }
            }
            // `null` for a list is more likely a missing value than a list of one `null`.
            Node::Null => Value::Null,
            Node::Bare(word) if is_bare_null(word) => self.unfit(node, place),
            Node::Bool(_) | Node::Number(_) | Node::Bare(_) => self.single(node, of, place),
        }
    }

    /// The elements of a set, each once.
    pub(super) fn once(&mut self, list: Value, place: &Place<'_>) -> Value {
        let Value::Array(items) = list else {
            return list;
        };
        let mut seen = HashSet::new();
        let mut kept = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            if seen.insert(item.to_string()) {
                kept.push(item);
            } else {
                let what = || "read once what is there twice".into();
                self.note(RepairKind::RepeatedElement, &place.index(index), what);
            }
        }
        Value::Array(kept)
    }

    fn single(&mut self, node: &Node<'_>, of: ShapeId, place: &Place<'_>) -> Value {
        let shown = self.shown(node);
        let what = || format!("read {shown} as a list of it");
        self.note(RepairKind::SingleAsList, place, what);
        self.singles.push(place.in_value());
        Value::Array(vec![self.value(node, of, &place.index(0))])
    }

    pub(super) fn tuple(&mut self, node: &Node<'_>, parts: &[ShapeId], place: &Place<'_>) -> Value {
        match node {
            Node::List { items, .. } if items.len() == parts.len() => {
                let items = items.iter().zip(parts).enumerate();
                let items =
                    items.map(|(index, (it, part))| self.value(it, *part, &place.index(index)));
                Value::Array(items.collect())
            }
            Node::Text(text) => {
                let mut held = None;
                match self.written(text, &mut held) {
                    Some(list @ Node::List { .. }) => {
                        let what = || "read a text as the list in it".into();
                        self.note(RepairKind::TextAsValue, place, what);
                        self.tuple(&list, parts, place)
                    }
                    Some(_) | None => self.unfit(node, place),
                }
            }
            Node::Null
            | Node::Bool(_)
            | Node::Number(_)
            | Node::Bare(_)
            | Node::List { .. }
            | Node::Object { .. } => self.unfit(node, place),
        }
    }

    /// The only value nested in lists and objects around it that resembles the shape. The rest is reported.
    pub(super) fn unwrapped(
        &mut self,
        node: &Node<'_>,
        id: ShapeId,
        place: &Place<'_>,
    ) -> Option<Value> {
        let mut search = Search {
            path: Vec::new(),
            found: None,
            count: 0,
        };
        self.search(node, id, &mut search);
        let path = search.found.filter(|_| search.count == 1)?;
        Some(self.unwrap(node, &path, id, place))
    }

    /// Visits everything inside a value, but not inside of what it finds.
    fn search(&self, node: &Node<'_>, id: ShapeId, search: &mut Search) {
        let inside = parts(node);
        self.work.spend(inside.len());
        let siblings = inside.len() - usize::from(!inside.is_empty());
        for (index, (_, it)) in inside.into_iter().enumerate() {
            if !it.is_container() || search.count > 1 {
                continue;
            }
            search.path.push(index);
            if it.may_be_inside(siblings) && self.shapes.resembles(it, id) {
                search.count += 1;
                search.found = Some(search.path.clone());
            } else {
                self.search(it, id, search);
            }
            search.path.pop();
        }
    }

    /// The value at the end of a path; what else is on the way is named.
    fn unwrap(&mut self, node: &Node<'_>, path: &[usize], id: ShapeId, place: &Place<'_>) -> Value {
        let Some((index, rest)) = path.split_first() else {
            let what = || "took the value out of what is around it".into();
            self.note(RepairKind::Wrapper, place, what);
            return self.value(node, id, place);
        };
        let mut inside = parts(node);
        let (step, inner) = inside.swap_remove(*index);
        for (step, it) in inside {
            self.drop_part(it, &step.below(place));
        }
        if let Node::List { end, .. } | Node::Object { end, .. } = node {
            self.unended(*end, place, "what follows");
        }
        self.unwrap(inner, rest, id, &step.below(place).of_answer())
    }

    pub(super) fn drop_part(&mut self, node: &Node<'_>, place: &Place<'_>) {
        // It may be what is hidden elsewhere.
        let shown = match self.shapes.hides {
            true => "a value".into(),
            false => node.shown(),
        };
        let what = || format!("left out {shown}");
        self.note(RepairKind::DroppedKey, place, what);
    }
}

/// A search for a value inside of another one, by the numbers of parts.
#[derive(Debug)]
struct Search {
    path: Vec<usize>,
    found: Option<Vec<usize>>,
    count: usize,
}

/// The position of a part in a list or object.
#[derive(Clone, Copy, Debug)]
enum Part<'n> {
    Key(&'n str),
    Index(usize),
}

impl<'n> Part<'n> {
    fn below<'p>(self, place: &'p Place<'p>) -> Place<'p>
    where
        'n: 'p,
    {
        match self {
            Part::Key(key) => place.key(key),
            Part::Index(index) => place.index(index),
        }
    }
}

fn parts<'n, 't>(node: &'n Node<'t>) -> Vec<(Part<'n>, &'n Node<'t>)> {
    match node {
        Node::List { items, .. } => {
            let items = items.iter().enumerate();
            items.map(|(index, it)| (Part::Index(index), it)).collect()
        }
        Node::Object { fields, .. } => {
            let fields = fields.iter();
            fields.map(|(key, it)| (Part::Key(key), it)).collect()
        }
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Bare(_) | Node::Text(_) => Vec::new(),
    }
}
