//! JSON: of every value, and as text.

use std::rc::Rc;

use gsw_names::{KnownItem, Parameter, Variant, type_declaration};
use gsw_source::ItemId;
use serde_json::Value as Tree;

use crate::machine::Machine;
use crate::number_text::float_text;
use crate::stop::{Flow, unsupported};
use crate::value::Value;

/// A JSON value; ints and floats are distinguished.
#[derive(Clone, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Rc<str>),
    List(Vec<Json>),
    Object(Vec<(Rc<str>, Json)>),
}

impl Json {
    /// The elements, when it is a list.
    pub fn list(&self) -> Option<&[Self]> {
        let Self::List(them) = self else { return None };
        Some(them)
    }

    /// The entries, when it is an object.
    pub fn object(&self) -> Option<&[(Rc<str>, Self)]> {
        let Self::Object(entries) = self else {
            return None;
        };
        Some(entries)
    }

    /// The text, when it is a string.
    pub fn text(&self) -> Option<Rc<str>> {
        let Self::Text(text) = self else { return None };
        Some(Rc::clone(text))
    }

    /// An entry of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let entries = self.object()?;
        entries
            .iter()
            .find(|(key, _)| **key == *name)
            .map(|(_, it)| it)
    }
}

pub fn text(json: &Json) -> String {
    let mut out = String::new();
    write(json, Layout::Compact, &mut out);
    out
}

pub fn pretty(json: &Json) -> String {
    let mut out = String::new();
    write(json, Layout::Indented { depth: 0 }, &mut out);
    out
}

/// Where line breaks and spaces go.
#[derive(Clone, Copy)]
enum Layout {
    Compact,
    /// `depth`: how many lists and objects are around.
    Indented {
        depth: usize,
    },
}

impl Layout {
    fn inside(self) -> Self {
        match self {
            Self::Compact => Self::Compact,
            Self::Indented { depth } => Self::Indented { depth: depth + 1 },
        }
    }

    fn break_line(self, out: &mut String) {
        match self {
            Self::Compact => {}
            Self::Indented { depth } => {
                out.push('\n');
                out.extend(std::iter::repeat_n("  ", depth));
            }
        }
    }

    fn colon(self) -> &'static str {
        match self {
            Self::Compact => ":",
            Self::Indented { .. } => ": ",
        }
    }
}

/// Writes to the end of `out`: text of its own for each part would be copied once for each level around it.
fn write(json: &Json, layout: Layout, out: &mut String) {
    match json {
        Json::Null => out.push_str("null"),
        Json::Bool(it) => out.push_str(&it.to_string()),
        Json::Int(it) => out.push_str(&it.to_string()),
        Json::Float(it) if it.is_finite() => out.push_str(&float_text(*it)),
        Json::Float(it) => out.push_str(&quoted(&float_text(*it))),
        Json::Text(it) => out.push_str(&quoted(it)),
        Json::List(elements) => {
            out.push('[');
            write_parts(elements, layout, out, |it, inside, out| {
                write(it, inside, out);
            });
            out.push(']');
        }
        Json::Object(entries) => {
            out.push('{');
            write_parts(entries, layout, out, |(key, it), inside, out| {
                out.push_str(&quoted(key));
                out.push_str(inside.colon());
                write(it, inside, out);
            });
            out.push('}');
        }
    }
}

fn write_parts<T>(
    parts: &[T],
    layout: Layout,
    out: &mut String,
    mut write_part: impl FnMut(&T, Layout, &mut String),
) {
    let inside = layout.inside();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        inside.break_line(out);
        write_part(part, inside, out);
    }
    if !parts.is_empty() {
        layout.break_line(out);
    }
}

fn quoted(text: &str) -> String {
    Tree::from(text).to_string()
}

/// From a tree; `None` when it has an integer that neither 64 bits nor a float hold.
pub fn of_tree(tree: &Tree) -> Option<Json> {
    Some(match tree {
        Tree::Null => Json::Null,
        Tree::Bool(it) => Json::Bool(*it),
        Tree::Number(it) => match it.as_i64() {
            Some(it) => Json::Int(it),
            None => {
                let float = it.as_f64()?;
                let digits = it.to_string();
                let is_kept = digits.contains(['.', 'e', 'E']) || format!("{float:.0}") == digits;
                return is_kept.then_some(Json::Float(float));
            }
        },
        Tree::String(it) => Json::Text(it.as_str().into()),
        Tree::Array(them) => Json::List(them.iter().map(of_tree).collect::<Option<_>>()?),
        Tree::Object(them) => {
            let entries = them
                .iter()
                .map(|(key, it)| Some((key.as_str().into(), of_tree(it)?)));
            Json::Object(entries.collect::<Option<_>>()?)
        }
    })
}

/// The path of an entry of the value at `path`; a key that is no name is in brackets.
pub fn below(path: &str, key: &str) -> String {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '-';
    let begins = key.chars().next().is_some_and(|it| !it.is_ascii_digit());
    if begins && key.chars().all(is_part) {
        format!("{path}.{key}")
    } else {
        format!("{path}[{}]", Tree::from(key))
    }
}

impl Machine<'_> {
    /// The JSON form of a value.
    pub fn json_of(&mut self, value: &Value) -> Flow<Json> {
        self.tick()?;
        Ok(match value {
            Value::Unit | Value::None => Json::Null,
            Value::Bool(it) => Json::Bool(*it),
            Value::Int(it) => Json::Int(*it),
            Value::Float(it) if it.is_finite() => Json::Float(*it),
            Value::Float(it) => Json::Text(float_text(*it).into()),
            Value::Duration(it) if it % 1_000_000_000 == 0 => Json::Int(it / 1_000_000_000),
            Value::Duration(it) => Json::Float(seconds(*it)),
            Value::Text(it) => Json::Text(Rc::clone(it)),
            Value::Json(it) => (**it).clone(),
            Value::List(them) | Value::Tuple(them) => Json::List(
                them.iter()
                    .map(|it| self.json_of(it))
                    .collect::<Flow<_>>()?,
            ),
            Value::Map(entries) => {
                let mut object = Vec::new();
                for (key, it) in entries.iter() {
                    object.push((key_text(self, key)?, self.json_of(it)?));
                }
                Json::Object(object)
            }
            Value::Record(item, fields) if KnownItem::Set.is(self.db, *item) => {
                let mut elements = Vec::new();
                if let [Value::Map(members)] = fields.as_slice() {
                    for (element, _) in members.iter() {
                        elements.push(self.json_of(element)?);
                    }
                }
                Json::List(elements)
            }
            Value::Record(item, fields) => {
                let parameters = self.record_fields(*item);
                Json::Object(fields_json(self, &parameters, fields)?)
            }
            Value::Variant(item, variant, fields) => variant_json(self, *item, *variant, fields)?,
            Value::Error(item, fields) => {
                let mut object = vec![(
                    Rc::from("kind"),
                    Json::Text(item.name(self.db).as_str().into()),
                )];
                let parameters = self.record_fields(*item);
                object.extend(fields_json(self, &parameters, fields)?);
                Json::Object(object)
            }
            Value::Function(_) | Value::Task(_) | Value::Queue(_) => {
                return unsupported("this has no JSON form");
            }
        })
    }

    /// The fields of a record or error.
    pub fn record_fields(&self, item: ItemId) -> Vec<Parameter> {
        type_declaration(self.db, item)
            .declaration
            .fields()
            .to_vec()
    }

    /// A variant of an enum.
    pub fn variant(&self, item: ItemId, variant: u32) -> Flow<Variant> {
        let declared = type_declaration(self.db, item).declaration.variants();
        match declared.get(variant as usize) {
            Some(it) => Ok(it.clone()),
            None => unsupported(format!("`{}` has no variant {variant}", item.name(self.db))),
        }
    }

    /// The variants of an enum.
    pub fn variants(&self, item: ItemId) -> Vec<Variant> {
        type_declaration(self.db, item)
            .declaration
            .variants()
            .to_vec()
    }
}

fn variant_json(machine: &mut Machine, item: ItemId, variant: u32, fields: &[Value]) -> Flow<Json> {
    let declared = machine.variant(item, variant)?;
    let name = Json::Text(declared.wire.as_str().into());
    if declared.fields.is_empty() {
        return Ok(name);
    }
    let mut object = vec![(Rc::from("kind"), name)];
    object.extend(fields_json(machine, &declared.fields, fields)?);
    Ok(Json::Object(object))
}

fn fields_json(
    machine: &mut Machine,
    parameters: &[Parameter],
    fields: &[Value],
) -> Flow<Vec<(Rc<str>, Json)>> {
    let mut object = Vec::new();
    for (parameter, it) in parameters.iter().zip(fields) {
        object.push((parameter.wire.as_str().into(), machine.json_of(it)?));
    }
    Ok(object)
}

/// A key of a map as JSON has it.
fn key_text(machine: &mut Machine, key: &Value) -> Flow<Rc<str>> {
    let key = machine.json_of(key)?;
    if let Json::Text(it) = key {
        return Ok(it);
    }
    Ok(text(&key).into())
}

/// The float nearest to a duration in seconds; a division of floats would round twice.
fn seconds(nanoseconds: i64) -> f64 {
    let size = nanoseconds.unsigned_abs();
    let text = format!("{}.{:09}", size / 1_000_000_000, size % 1_000_000_000);
    let seconds: f64 = text.parse().expect("it has digits around a point");
    seconds.copysign(nanoseconds as f64)
}
