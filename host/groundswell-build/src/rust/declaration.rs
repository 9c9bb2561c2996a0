//! Structs and enums with the JSON form of the language.

use std::collections::BTreeSet;
use std::fmt::Write;

use gsw_abi::types::{Enum, Field, Type, TypeId, TypeTable, Variant};

use crate::rust::docs;
use crate::rust::name::{distinct, value};
use crate::rust::type_name::Names;

const DERIVED: &str = "#[derive(Clone, Debug, PartialEq, ::groundswell::serde::Serialize, ::groundswell::serde::Deserialize)]\n\
     #[serde(crate = \"::groundswell::serde\")]\n";

pub fn write(out: &mut String, names: &mut Names<'_>, id: TypeId, name: &str) {
    let types = names.types;
    match types.get(id) {
        Type::Record(record) => {
            docs(out, "", record.docs.as_deref());
            write_struct(out, names, (name, id), &record.fields);
        }
        Type::ErrorKind(kind) => {
            docs(out, "", kind.docs.as_deref());
            write_struct(out, names, (name, id), &kind.fields);
        }
        Type::Literals(texts) => write_literals(out, name, texts),
        Type::Enum(it) if it.is_inline() => {
            docs(out, "", it.docs.as_deref());
            write_plain_enum(out, name, &it.variants);
        }
        Type::Enum(it) => write_enum(out, names, name, id, it),
        // Only the types above are given names.
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
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => {}
    }
}

/// A struct of fields, all public.
pub fn write_struct(
    out: &mut String,
    names: &mut Names<'_>,
    (name, id): (&str, TypeId),
    fields: &[Field],
) {
    out.push_str(DERIVED);
    let _ = writeln!(out, "pub struct {name} {{");
    for field in fields {
        write_field(out, names, name, id, field);
    }
    out.push_str("}\n\n");
}

fn write_field(out: &mut String, names: &mut Names<'_>, owner: &str, id: TypeId, field: &Field) {
    docs(out, "    ", field.docs.as_deref());
    let ty = names.of(field.ty, &format!("{owner} {}", field.name));
    let ty = boxed(names, id, field.ty, ty);
    let missing = if ty.starts_with("Option<") {
        ", default"
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "    #[serde(rename = {:?}{missing})]\n    pub {}: {ty},",
        field.wire,
        value(&field.name)
    );
}

/// A field that holds its own type by value is boxed: the size of a type must not depend on itself.
fn boxed(names: &Names<'_>, owner: TypeId, id: TypeId, ty: String) -> String {
    if !holds(names.types, id, owner, &mut BTreeSet::new()) {
        return ty;
    }
    match ty
        .strip_prefix("Option<")
        .and_then(|it| it.strip_suffix('>'))
    {
        Some(inner) => format!("Option<Box<{inner}>>"),
        None => format!("Box<{ty}>"),
    }
}

/// Whether a value of `id` has a value of `owner` inside of it that no list or map keeps apart.
fn holds(types: &TypeTable, id: TypeId, owner: TypeId, seen: &mut BTreeSet<TypeId>) -> bool {
    let id = types.base(id);
    if id == owner {
        return true;
    }
    if !seen.insert(id) {
        return false;
    }
    let mut any = |fields: &[Field]| fields.iter().any(|it| holds(types, it.ty, owner, seen));
    match types.get(id) {
        Type::Optional(inner) => holds(types, *inner, owner, seen),
        Type::Tuple(parts) => parts.iter().any(|it| holds(types, *it, owner, seen)),
        Type::Record(record) => any(&record.fields),
        Type::Enum(it) => it.variants.iter().any(|it| any(&it.fields)),
        // Lists, maps and the like hold what they hold elsewhere.
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
        | Type::List(_)
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => false,
    }
}

fn write_literals(out: &mut String, name: &str, texts: &[String]) {
    out.push_str(&DERIVED.replace("Debug,", "Copy, Debug, Eq, PartialOrd, Ord, Hash,"));
    let _ = writeln!(out, "pub enum {name} {{");
    for (text, variant) in texts.iter().zip(distinct(texts.iter().map(String::as_str))) {
        let _ = writeln!(
            out,
            "    #[doc = {:?}]\n    #[serde(rename = {text:?})]\n    {variant},",
            format!("`{text:?}`")
        );
    }
    out.push_str("}\n\n");
}

fn write_plain_enum(out: &mut String, name: &str, variants: &[Variant]) {
    out.push_str(&DERIVED.replace("Debug,", "Copy, Debug, Eq, PartialOrd, Ord, Hash,"));
    let _ = writeln!(out, "pub enum {name} {{");
    for variant in variants {
        docs(out, "    ", variant.docs.as_deref());
        let _ = writeln!(
            out,
            "    #[serde(rename = {:?})]\n    {},",
            variant.wire, variant.name
        );
    }
    out.push_str("}\n\n");
}

/// An enum with payloads: a variant without one is its name, one with a payload an object with its `kind`.
fn write_enum(out: &mut String, names: &mut Names<'_>, name: &str, id: TypeId, it: &Enum) {
    docs(out, "", it.docs.as_deref());
    let _ = writeln!(
        out,
        "#[derive(Clone, Debug, PartialEq)]\npub enum {name} {{"
    );
    for variant in &it.variants {
        docs(out, "    ", variant.docs.as_deref());
        if variant.fields.is_empty() {
            let _ = writeln!(out, "    {},", variant.name);
        } else {
            let payload = payload(name, variant);
            let _ = writeln!(out, "    {}({payload}),", variant.name);
        }
    }
    out.push_str("}\n\n");
    for variant in it.variants.iter().filter(|it| !it.fields.is_empty()) {
        let payload = payload(name, variant);
        let _ = writeln!(out, "#[doc = \"What [`{name}::{}`] holds.\"]", variant.name);
        write_struct(out, names, (&payload, id), &variant.fields);
    }
    write_enum_forms(out, name, it);
}

fn payload(name: &str, variant: &Variant) -> String {
    format!("{name}{}", variant.name)
}

fn write_enum_forms(out: &mut String, name: &str, it: &Enum) {
    let _ = write!(
        out,
        "impl ::groundswell::serde::Serialize for {name} {{\n    \
         fn serialize<S: ::groundswell::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {{\n        \
         match self {{\n"
    );
    for variant in &it.variants {
        let (variant_name, wire) = (&variant.name, &variant.wire);
        if variant.fields.is_empty() {
            let _ = writeln!(
                out,
                "            Self::{variant_name} => serializer.serialize_str({wire:?}),"
            );
        } else {
            let _ = writeln!(
                out,
                "            Self::{variant_name}(payload) => ::groundswell::variant::write({wire:?}, payload, serializer),"
            );
        }
    }
    let _ = write!(
        out,
        "        }}\n    }}\n}}\n\n\
         impl<'de> ::groundswell::serde::Deserialize<'de> for {name} {{\n    \
         fn deserialize<D: ::groundswell::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {{\n        \
         let tree = ::groundswell::variant::read(deserializer)?;\n        \
         match tree.kind() {{\n"
    );
    for variant in &it.variants {
        let (variant_name, wire) = (&variant.name, &variant.wire);
        let value = if variant.fields.is_empty() {
            format!("Ok(Self::{variant_name})")
        } else {
            format!("tree.payload().map(Self::{variant_name})")
        };
        let _ = writeln!(out, "            {wire:?} => {value},");
    }
    let known: Vec<&str> = it.variants.iter().map(|it| it.wire.as_str()).collect();
    let _ = write!(
        out,
        "            _ => Err(tree.unknown(&{known:?})),\n        }}\n    }}\n}}\n\n"
    );
}
