//! What the JSON of a parameter looks like: the fields of its records, the variants of its enums.

use gsw_abi::types::{Enum, Field, Record, Type, TypeId, TypeTable};
use gsw_engine::codec::{places, type_name};

/// More types are not shown; `manifest` has the schema of all.
const MOST: usize = 20;

/// A type with its parts.
pub struct Shape {
    pub heading: String,
    /// Fields or variants, each with its docs.
    pub rows: Vec<(String, String)>,
}

/// The types with parts that values of `roots` are made of, in the order in which they are met.
pub fn shapes(types: &TypeTable, roots: impl Iterator<Item = TypeId>) -> Vec<Shape> {
    let mut seen = vec![false; types.types.len()];
    let mut waiting: std::collections::VecDeque<TypeId> = roots.collect();
    let mut shapes = Vec::new();
    while let Some(ty) = waiting.pop_front() {
        if std::mem::replace(&mut seen[ty.0 as usize], true) {
            continue;
        }
        if shapes.len() == MOST {
            break;
        }
        parts(types, ty, &mut waiting);
        shapes.extend(shape(types, ty));
    }
    shapes
}

/// The types that a value of this type holds.
fn parts(types: &TypeTable, ty: TypeId, waiting: &mut std::collections::VecDeque<TypeId>) {
    match types.get(ty) {
        Type::Optional(of) | Type::List(of) | Type::Set { of, .. } => waiting.push_back(*of),
        Type::Checked { base, .. } => waiting.push_back(*base),
        Type::Map { key, value } => waiting.extend([*key, *value]),
        Type::Tuple(parts) => waiting.extend(parts),
        Type::Record(it) => waiting.extend(it.fields.iter().map(|it| it.ty)),
        Type::Enum(it) => {
            let fields = it.variants.iter().flat_map(|it| &it.fields);
            waiting.extend(fields.map(|it| it.ty));
        }
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::Literals(_)
        | Type::ErrorKind(_)
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Queue(_)
        | Type::Stream(_)
        | Type::Session => {}
    }
}

/// The details of a type beyond its name.
fn shape(types: &TypeTable, ty: TypeId) -> Option<Shape> {
    match types.get(ty) {
        Type::Record(record) => Some(record_shape(types, record)),
        Type::Enum(it) if !it.is_inline() => Some(enum_shape(types, it)),
        Type::Checked {
            name,
            base,
            check,
            docs: said,
        } => {
            let value = format!("{} where {}", written(types, *base), check.source);
            Some(Shape {
                heading: format!("{name}:"),
                rows: vec![(value, docs(said.as_deref()))],
            })
        }
        Type::Enum(_)
        | Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::ErrorKind(_)
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Queue(_)
        | Type::Stream(_)
        | Type::Session => None,
    }
}

fn record_shape(types: &TypeTable, record: &Record) -> Shape {
    let rows = record.fields.iter();
    let rows = rows.map(|it| (field(types, it), docs(it.docs.as_deref())));
    Shape {
        heading: format!("{}, as a JSON object:", record.name),
        rows: rows.collect(),
    }
}

fn enum_shape(types: &TypeTable, of: &Enum) -> Shape {
    let rows = of.variants.iter().map(|variant| {
        let fields = variant.fields.iter().map(|it| field(types, it));
        let fields = fields.collect::<Vec<_>>().join(", ");
        let shown = match fields.is_empty() {
            true => variant.wire.clone(),
            false => format!("{}({fields})", variant.wire),
        };
        (shown, docs(variant.docs.as_deref()))
    });
    Shape {
        heading: format!(
            "{}, as a name or as JSON such as {}:",
            of.name,
            example(types, of)
        ),
        rows: rows.collect(),
    }
}

/// The default as source text; that of what `@secret` hides is hidden as well.
pub fn default_source<'f>(types: &TypeTable, field: &'f Field) -> Option<&'f str> {
    let source = field.default.as_ref()?.source.as_deref();
    source.filter(|_| !places::field_hides(types, field))
}

/// `port: int = 80 where it > 0`
fn field(types: &TypeTable, field: &Field) -> String {
    let source = default_source(types, field);
    let default = source.map(|it| format!(" = {it}")).unwrap_or_default();
    let check = field.check.as_ref();
    let check = check.map(|it| format!(" where {}", it.source));
    let ty = written(types, field.ty);
    format!("{}: {ty}{default}{}", field.wire, check.unwrap_or_default())
}

/// The JSON of the first variant that has fields.
fn example(types: &TypeTable, of: &Enum) -> String {
    let first = of.variants.iter().find(|it| !it.fields.is_empty());
    let fields = first.map(|variant| {
        let fields = variant.fields.iter();
        let fields = fields.map(|it| format!(", \"{}\": {}", it.wire, written(types, it.ty)));
        format!(
            "{{\"kind\": \"{}\"{}}}",
            variant.wire,
            fields.collect::<String>()
        )
    });
    fields.unwrap_or_default()
}

/// A type as a command line names it: of an enum without payloads the words that may be written.
pub fn written(types: &TypeTable, ty: TypeId) -> String {
    match types.get(ty) {
        Type::Enum(it) if it.is_inline() => {
            let words: Vec<_> = it.variants.iter().map(|it| it.wire.as_str()).collect();
            words.join(" | ")
        }
        Type::Optional(of) => format!("{}?", written(types, *of)),
        Type::List(of) | Type::Set { of, .. } => format!("[{}]", written(types, *of)),
        Type::Enum(_)
        | Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::Literals(_)
        | Type::Map { .. }
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Queue(_)
        | Type::Stream(_)
        | Type::Session => type_name(types, ty),
    }
}

fn docs(docs: Option<&str>) -> String {
    let paragraph = docs.and_then(|it| it.split("\n\n").next());
    paragraph.unwrap_or_default().to_owned()
}
