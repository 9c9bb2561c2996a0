//! A schema prepared for coercion: built once for an answer, in time linear in the schema.
//!
//! It knows what choosing and repairing need. Bounds and every `where` are the check's, which comes after.

use std::collections::HashMap;

use gsw_abi::schema::SECONDS;
use gsw_abi::types::KIND;
use gsw_notation::path::Step;
use serde_json::{Map, Value};

use super::place::Place;
use super::word;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ShapeId(usize);

#[derive(Debug)]
pub(crate) enum Shape {
    /// Any JSON.
    Any,
    Null,
    Bool,
    Int,
    Float,
    /// A number of seconds.
    Duration,
    Text,
    /// One of these texts.
    Words(Vec<String>),
    List {
        of: ShapeId,
        repeats: Repeats,
    },
    Tuple(Vec<ShapeId>),
    Record(Record),
    /// An object of any keys, or of keys of a shape.
    Map {
        of: ShapeId,
        keys: Option<ShapeId>,
    },
    Choice(Vec<ShapeId>),
}

#[derive(Debug)]
pub(crate) struct Record {
    pub fields: Vec<Field>,
    /// The name of the variant that it is.
    pub kind: Option<String>,
    by_name: HashMap<String, usize>,
    /// By names without case and separators; `None` where two fields share one.
    by_plain: HashMap<String, Option<usize>>,
}

#[derive(Debug)]
pub(crate) struct Field {
    pub name: String,
    pub shape: ShapeId,
    pub need: Need,
    /// Whether observers do not see it.
    is_hidden: bool,
}

impl Field {
    /// The place of its value, as observers may see it.
    pub fn at<'p>(&self, place: Place<'p>) -> Place<'p> {
        match self.is_hidden {
            true => place.hidden(),
            false => place,
        }
    }
}

/// Whether an object without the field is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    Required,
    /// It has a default, or is optional.
    MayBeAbsent,
}

/// Whether an element of a list may occur more than once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Repeats {
    Any,
    /// Equal items are merged: it is a set.
    None,
}

/// How a key of an answer is a field's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Match {
    Exact(usize),
    /// But for case and separators.
    Near(usize),
    No,
}

/// The key that holds an answer where a provider wants an object at the root. So this is asked for, and not guessed.
pub(crate) const WRAPPED: &str = "value";

impl Record {
    pub fn field_of(&self, key: &str) -> Match {
        if let Some(&index) = self.by_name.get(key) {
            return Match::Exact(index);
        }
        match self.by_plain.get(&word::plain(key)) {
            Some(&Some(index)) => Match::Near(index),
            Some(None) | None => Match::No,
        }
    }

    /// The field of exactly this name, which is most likely the one of this number.
    pub fn field_at(&self, index: usize, key: &str) -> Option<&Field> {
        let likely = self.fields.get(index).filter(|it| it.name == key);
        likely.or_else(|| self.field_named(key))
    }

    /// The field of exactly this name.
    pub fn field_named(&self, key: &str) -> Option<&Field> {
        self.by_name.get(key).map(|it| &self.fields[*it])
    }

    pub fn is_near(&self, key: &str) -> bool {
        self.field_of(key) != Match::No
    }
}

/// All shapes of a schema.
#[derive(Debug)]
pub(crate) struct Shapes {
    all: Vec<Shape>,
    pub root: ShapeId,
    /// Whether something in it is hidden from observers.
    pub hides: bool,
}

impl Shapes {
    pub fn of(schema: &Value) -> Self {
        let mut maker = Maker {
            root: schema,
            all: Vec::new(),
            known: HashMap::new(),
            hides: false,
        };
        let root = maker.id(schema);
        Self {
            all: maker.all,
            root,
            hides: maker.hides,
        }
    }

    pub fn get(&self, id: ShapeId) -> &Shape {
        &self.all[id.0]
    }

    /// The shape of a list's items.
    pub fn item(&self, id: ShapeId) -> Option<ShapeId> {
        match self.get(id) {
            Shape::List { of, .. } => Some(*of),
            Shape::Any
            | Shape::Null
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Duration
            | Shape::Text
            | Shape::Words(_)
            | Shape::Tuple(_)
            | Shape::Record(_)
            | Shape::Map { .. }
            | Shape::Choice(_) => None,
        }
    }

    /// Whether a list may be at a place, and not just a tuple.
    pub fn may_be_list(&self, place: &[Step<'_>]) -> bool {
        let mut there = self.leaves(vec![self.root]);
        for step in place {
            let below = there.iter().filter_map(|it| match (self.get(*it), step) {
                (Shape::Record(record), Step::Key(key)) => Some(record.field_named(key)?.shape),
                (Shape::Map { of, .. }, Step::Key(_))
                | (Shape::List { of, .. }, Step::Index(_)) => Some(*of),
                (Shape::Tuple(parts), Step::Index(index)) => parts.get(*index).copied(),
                (Shape::Any, Step::Key(_) | Step::Index(_)) => Some(*it),
                (
                    Shape::Null
                    | Shape::Bool
                    | Shape::Int
                    | Shape::Float
                    | Shape::Duration
                    | Shape::Text
                    | Shape::Words(_)
                    | Shape::Choice(_),
                    Step::Key(_) | Step::Index(_),
                )
                | (Shape::Record(_) | Shape::Map { .. }, Step::Index(_))
                | (Shape::List { .. } | Shape::Tuple(_), Step::Key(_)) => None,
            });
            there = self.leaves(below.collect());
        }
        let is_tuple = |it: &ShapeId| matches!(self.get(*it), Shape::Tuple(_));
        !there.iter().any(is_tuple) || there.iter().any(|it| self.item(*it).is_some())
    }

    /// The shapes of choices among these, with those of choices in them, each once.
    pub fn leaves(&self, mut waiting: Vec<ShapeId>) -> Vec<ShapeId> {
        waiting.reverse();
        let (mut leaves, mut seen) = (Vec::new(), Vec::new());
        while let Some(id) = waiting.pop() {
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            match self.get(id) {
                Shape::Choice(inner) => waiting.extend(inner.iter().rev()),
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
                | Shape::Map { .. } => leaves.push(id),
            }
        }
        leaves
    }

    /// Whether any text is a value of the shape.
    pub fn takes_text(&self, id: ShapeId) -> bool {
        match self.get(id) {
            Shape::Text => true,
            Shape::Choice(branches) => branches.iter().any(|it| self.takes_text(*it)),
            Shape::Any
            | Shape::Null
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Duration
            | Shape::Words(_)
            | Shape::List { .. }
            | Shape::Tuple(_)
            | Shape::Record(_)
            | Shape::Map { .. } => false,
        }
    }

    /// Whether values of the shape may have no brackets.
    pub fn is_scalar(&self, id: ShapeId) -> bool {
        match self.get(id) {
            Shape::Null
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Duration
            | Shape::Text
            | Shape::Words(_) => true,
            Shape::Choice(branches) => branches.iter().any(|it| self.is_scalar(*it)),
            Shape::Any
            | Shape::List { .. }
            | Shape::Tuple(_)
            | Shape::Record(_)
            | Shape::Map { .. } => false,
        }
    }
}

struct Maker<'s> {
    root: &'s Value,
    all: Vec<Shape>,
    /// The shapes of the `$ref`s that were followed.
    known: HashMap<*const Value, ShapeId>,
    hides: bool,
}

impl<'s> Maker<'s> {
    fn id(&mut self, schema: &'s Value) -> ShapeId {
        let target = resolved(schema, self.root);
        if let Some(&id) = self.known.get(&std::ptr::from_ref(target)) {
            return id;
        }
        let id = ShapeId(self.all.len());
        // Known before it is made, since a schema may contain itself.
        self.all.push(Shape::Any);
        self.known.insert(std::ptr::from_ref(target), id);
        self.all[id.0] = self.shape(target);
        id
    }

    fn shape(&mut self, schema: &'s Value) -> Shape {
        if let Some(words) = words(schema) {
            return Shape::Words(words);
        }
        if let Some(branches) = branches(schema) {
            return Shape::Choice(branches.iter().map(|it| self.id(it)).collect());
        }
        match schema.get("type") {
            Some(Value::String(name)) => self.typed(name, schema),
            Some(Value::Array(names)) => {
                let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                let shapes = names.iter().map(|it| {
                    let shape = self.typed(it, schema);
                    self.all.push(shape);
                    ShapeId(self.all.len() - 1)
                });
                Shape::Choice(shapes.collect())
            }
            _ => Shape::Any,
        }
    }

    fn typed(&mut self, name: &str, schema: &'s Value) -> Shape {
        match name {
            "null" => Shape::Null,
            "boolean" => Shape::Bool,
            "integer" => Shape::Int,
            "number" => {
                let docs = schema.get("description").and_then(Value::as_str);
                if docs.is_some_and(|it| it.contains(SECONDS)) {
                    Shape::Duration
                } else {
                    Shape::Float
                }
            }
            "string" => Shape::Text,
            "array" => match schema.get("prefixItems").and_then(Value::as_array) {
                Some(places) => Shape::Tuple(places.iter().map(|it| self.id(it)).collect()),
                None => Shape::List {
                    of: self.optional_id(schema.get("items")),
                    repeats: match schema.get("uniqueItems") {
                        Some(Value::Bool(true)) => Repeats::None,
                        Some(_) | None => Repeats::Any,
                    },
                },
            },
            "object" => match schema.get("properties").and_then(Value::as_object) {
                Some(properties) => Shape::Record(self.record(properties, schema)),
                None => Shape::Map {
                    of: self.optional_id(schema.get("additionalProperties")),
                    keys: schema.get("propertyNames").map(|it| self.id(it)),
                },
            },
            _ => Shape::Any,
        }
    }

    fn optional_id(&mut self, schema: Option<&'s Value>) -> ShapeId {
        match schema {
            Some(schema) => self.id(schema),
            None => {
                self.all.push(Shape::Any);
                ShapeId(self.all.len() - 1)
            }
        }
    }

    fn record(&mut self, properties: &'s Map<String, Value>, schema: &'s Value) -> Record {
        let required = schema.get("required").and_then(Value::as_array);
        let required: Vec<&str> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut fields = Vec::with_capacity(properties.len());
        let mut by_name = HashMap::new();
        let mut by_plain = HashMap::new();
        for (index, (name, schema)) in properties.iter().enumerate() {
            let is_hidden = schema.get("writeOnly") == Some(&Value::Bool(true));
            self.hides |= is_hidden;
            by_name.insert(name.clone(), index);
            by_plain
                .entry(word::plain(name))
                .and_modify(|it| *it = None)
                .or_insert(Some(index));
            let is_required = required.contains(&name.as_str());
            fields.push(Field {
                name: name.clone(),
                shape: self.id(schema),
                need: if is_required {
                    Need::Required
                } else {
                    Need::MayBeAbsent
                },
                is_hidden,
            });
        }
        let kind = by_name
            .get(KIND)
            .map(|it: &usize| &self.all[fields[*it].shape.0]);
        let kind = match kind {
            Some(Shape::Words(words)) if words.len() == 1 => Some(words[0].clone()),
            _ => None,
        };
        Record {
            fields,
            kind,
            by_name,
            by_plain,
        }
    }
}

/// The schema that a chain of references ends at.
fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let mut schema = schema;
    // A chain of references is short; a cycle of them describes nothing.
    for _ in 0..32 {
        let reference = schema.get("$ref").and_then(Value::as_str);
        match reference.and_then(|it| root.pointer(it.strip_prefix('#')?)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

fn branches(schema: &Value) -> Option<&Vec<Value>> {
    let choice = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    choice.as_array()
}

/// The texts that a schema allows, when it allows just some.
fn words(schema: &Value) -> Option<Vec<String>> {
    let text = |it: &Value| it.as_str().map(str::to_owned);
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values.iter().map(text).collect();
    }
    if let Some(constant) = schema.get("const") {
        return text(constant).map(|it| vec![it]);
    }
    let branches = branches(schema)?;
    branches
        .iter()
        .map(|it| it.get("const").and_then(text))
        .collect()
}
