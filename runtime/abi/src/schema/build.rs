//! Builds schemas from type descriptions.

use std::collections::BTreeMap;

use gsw_notation::json::written;
use serde_json::{Map, Value, json};

use super::bound::{add_check, describe};
use super::names;
use crate::types::{Enum, Field, KIND, Secrecy, Type, TypeId, TypeTable, Variant};

/// The description of a number of seconds, by which readers of values recognise a duration.
pub const SECONDS: &str = "In seconds.";

/// The JSON Schema of a type. Named types that repeat or contain themselves go into `$defs`.
#[must_use]
pub fn schema(types: &TypeTable, id: TypeId) -> Value {
    let definitions = names::definitions(types, vec![id]);
    let builder = Builder {
        types,
        definitions: &definitions,
        defaults: Defaults::Left,
    };
    builder.with_definitions(builder.mention(id))
}

/// The schema of fields of a result, as if they were those of a record.
#[must_use]
pub fn schema_of_fields(types: &TypeTable, fields: &[Field]) -> Value {
    of_fields(types, fields, Defaults::Left)
}

/// The schema of parameters, as if they were the fields of a record: what others fill in, with the defaults that are constants.
#[must_use]
pub fn input_schema(types: &TypeTable, fields: &[Field]) -> Value {
    of_fields(types, fields, Defaults::Said)
}

fn of_fields(types: &TypeTable, fields: &[Field], defaults: Defaults) -> Value {
    let definitions = names::definitions(types, fields.iter().map(|it| it.ty).collect());
    let builder = Builder {
        types,
        definitions: &definitions,
        defaults,
    };
    builder.with_definitions(builder.fields(None, None, fields))
}

/// Whether the schema says what a field has that is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defaults {
    Said,
    /// A result has all its fields, and a model is asked for all of an answer: the keys of kept answers and the requests of runs
    /// stay what they are when a default changes.
    Left,
}

struct Builder<'a> {
    types: &'a TypeTable,
    definitions: &'a BTreeMap<TypeId, String>,
    defaults: Defaults,
}

impl Builder<'_> {
    /// A root with the bodies of all that it refers to.
    fn with_definitions(&self, mut root: Map<String, Value>) -> Value {
        if !self.definitions.is_empty() {
            let bodies = self.definitions.iter();
            let bodies = bodies.map(|(&id, name)| (name.clone(), self.body(id)));
            let mut bodies: Vec<(String, Map<String, Value>)> = bodies.collect();
            bodies.sort_by(|a, b| a.0.cmp(&b.0));
            let bodies = bodies.into_iter();
            let bodies = bodies.map(|(name, body)| (name, Value::Object(body)));
            root.insert("$defs".into(), Value::Object(bodies.collect()));
        }
        Value::Object(root)
    }

    /// The schema of a type where it is used: a reference when it is in `$defs`.
    fn mention(&self, id: TypeId) -> Map<String, Value> {
        match self.definitions.get(&id) {
            Some(name) => object(json!({ "$ref": format!("#/$defs/{name}") })),
            None => self.body(id),
        }
    }

    fn value(&self, id: TypeId) -> Value {
        Value::Object(self.mention(id))
    }

    fn body(&self, id: TypeId) -> Map<String, Value> {
        match self.types.get(id) {
            Type::Bool => typed("boolean"),
            Type::Int => typed("integer"),
            Type::Float => typed("number"),
            Type::String | Type::Secret => typed("string"),
            Type::Bytes => object(json!({ "type": "string", "contentEncoding": "base64" })),
            Type::Media => media(),
            Type::Time => object(json!({ "type": "string", "format": "date-time" })),
            Type::Duration => object(json!({ "type": "number", "description": SECONDS })),
            Type::Json => Map::new(),
            Type::Literals(texts) => object(json!({ "type": "string", "enum": texts })),
            Type::Optional(of) => object(json!({ "anyOf": [self.value(*of), { "type": "null" }] })),
            Type::List(of) => object(json!({ "type": "array", "items": self.value(*of) })),
            Type::Map { key, value } => self.map(*key, *value),
            Type::Set { of, .. } => object(json!({
                "type": "array",
                "items": self.value(*of),
                "uniqueItems": true,
            })),
            Type::Tuple(parts) => self.tuple(parts),
            Type::Record(it) => self.fields(None, it.docs.as_deref(), &it.fields),
            Type::Enum(it) if it.is_inline() => names_of(it),
            Type::Enum(it) => self.variants(it),
            Type::ErrorKind(it) => self.fields(Some(&it.name), it.docs.as_deref(), &it.fields),
            Type::Error => object(json!({
                "type": "object",
                "properties": { KIND: { "type": "string" } },
                "required": [KIND],
            })),
            Type::Checked {
                docs, base, check, ..
            } => {
                let mut schema = self.mention(*base);
                if let Some(docs) = docs {
                    schema.insert("description".into(), docs.as_str().into());
                }
                add_check(self.types, *base, check, &mut schema);
                schema
            }
            // What cannot be recorded has no JSON but the one of `()`.
            Type::Unit
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => typed("null"),
        }
    }

    fn map(&self, key: TypeId, value: TypeId) -> Map<String, Value> {
        let mut schema = typed("object");
        let of_key = self.types.get(self.types.base(key));
        if *of_key == Type::Int {
            schema.insert("propertyNames".into(), json!({ "pattern": "^-?[0-9]+$" }));
        } else if *of_key != Type::String {
            schema.insert("propertyNames".into(), self.value(key));
        }
        schema.insert("additionalProperties".into(), self.value(value));
        schema
    }

    fn tuple(&self, parts: &[TypeId]) -> Map<String, Value> {
        let items: Vec<Value> = parts.iter().map(|&it| self.value(it)).collect();
        object(json!({
            "type": "array",
            "prefixItems": items,
            "items": false,
            "minItems": parts.len(),
            "maxItems": parts.len(),
        }))
    }

    /// An object of fields, with the name of its kind in front if it has one.
    fn fields(
        &self,
        kind: Option<&str>,
        docs: Option<&str>,
        fields: &[Field],
    ) -> Map<String, Value> {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if let Some(kind) = kind {
            properties.insert(KIND.into(), json!({ "type": "string", "const": kind }));
            required.push(json!(KIND));
        }
        for field in fields {
            properties.insert(field.wire.clone(), self.field(field));
            if field.default.is_none() && !self.is_optional(field.ty) {
                required.push(json!(field.wire));
            }
        }
        let mut schema = typed("object");
        if let Some(docs) = docs {
            schema.insert("description".into(), docs.into());
        }
        schema.insert("properties".into(), Value::Object(properties));
        schema.insert("required".into(), Value::Array(required));
        schema.insert("additionalProperties".into(), false.into());
        schema
    }

    fn field(&self, field: &Field) -> Value {
        let mut schema = self.mention(field.ty);
        if let Some(docs) = &field.docs {
            // The field's own docs say more than its type's; a referenced type keeps them in `$defs`.
            schema.insert("description".into(), docs.as_str().into());
            self.keep_unit(field.ty, &mut schema);
        }
        if let Some(check) = &field.check {
            add_check(self.types, field.ty, check, &mut schema);
        }
        if field.secrecy == Secrecy::Redacted {
            schema.insert("writeOnly".into(), true.into());
        }
        let json = field.default.as_ref().and_then(|it| it.json.as_deref());
        if let (Defaults::Said, Some(json)) = (self.defaults, json)
            && let Ok(default) = written(json)
        {
            schema.insert("default".into(), default);
        }
        Value::Object(schema)
    }

    /// Docs of a duration must not hide that it is in seconds.
    fn keep_unit(&self, ty: TypeId, schema: &mut Map<String, Value>) {
        if matches!(self.types.get(self.types.base(ty)), Type::Duration) {
            describe(schema, SECONDS);
        }
    }

    fn variants(&self, it: &Enum) -> Map<String, Value> {
        let mut schema = Map::new();
        if let Some(docs) = &it.docs {
            schema.insert("description".into(), docs.as_str().into());
        }
        let variants = it.variants.iter().map(|variant| self.variant(variant));
        schema.insert("anyOf".into(), variants.collect());
        schema
    }

    fn variant(&self, variant: &Variant) -> Value {
        if !variant.fields.is_empty() {
            let docs = variant.docs.as_deref();
            return Value::Object(self.fields(Some(&variant.wire), docs, &variant.fields));
        }
        let mut schema = object(json!({ "type": "string", "const": variant.wire }));
        if let Some(docs) = &variant.docs {
            schema.insert("description".into(), docs.as_str().into());
        }
        Value::Object(schema)
    }

    fn is_optional(&self, ty: TypeId) -> bool {
        matches!(self.types.get(self.types.base(ty)), Type::Optional(_))
    }
}

/// An enum without payloads. JSON Schema has no docs of a value, so those of variants join the description.
fn names_of(it: &Enum) -> Map<String, Value> {
    let mut schema = typed("string");
    let names: Vec<&str> = it
        .variants
        .iter()
        .map(|variant| variant.wire.as_str())
        .collect();
    schema.insert("enum".into(), json!(names));
    if let Some(docs) = &it.docs {
        describe(&mut schema, docs);
    }
    if let Some(docs) = variant_docs(it) {
        describe(&mut schema, &docs);
    }
    schema
}

/// The docs of an enum's variants, as its schema has them at the end of the description; `None` where none has any.
#[must_use]
pub fn variant_docs(it: &Enum) -> Option<String> {
    let documented = it.variants.iter().filter_map(|variant| {
        let docs = variant.docs.as_ref()?;
        Some(format!("- `{}`: {docs}", variant.wire))
    });
    let documented: Vec<String> = documented.collect();
    (!documented.is_empty()).then(|| documented.join("\n"))
}

fn typed(name: &str) -> Map<String, Value> {
    object(json!({ "type": name }))
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else {
        unreachable!("schemas are written as objects, not as {value}");
    };
    object
}

/// An image or a document: its content, or where it is.
fn media() -> Map<String, Value> {
    let kind = json!({ "enum": ["image", "document"] });
    let text = json!({ "type": "string" });
    let data = json!({ "type": "string", "contentEncoding": "base64" });
    object(json!({ "anyOf": [
        {
            "type": "object",
            "properties": { "kind": kind, "media_type": text, "data": data },
            "required": ["kind", "media_type", "data"],
        },
        {
            "type": "object",
            "properties": { "kind": kind, "url": text },
            "required": ["kind", "url"],
        },
    ] }))
}
