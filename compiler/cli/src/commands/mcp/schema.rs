//! JSON Schemas as types of the language. What has no type is `json`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use crate::commands::mcp::bounds::Bounds;
use crate::commands::mcp::source::{Names, docs, literal, name_like, type_like};

/// The types that one tool needs.
pub(super) struct Types<'a> {
    names: &'a mut Names,
    /// What their names begin with.
    tool: String,
    /// Records of schemas that have a name of their own, by it, so that one that holds itself ends.
    known: BTreeMap<String, String>,
    pub(super) text: String,
}

/// A parameter, or a field of a record.
pub(super) struct Field {
    pub(super) name: String,
    /// As it is in JSON.
    wire: String,
    pub(super) ty: String,
    description: Option<String>,
    bounds: Bounds,
    presence: Presence,
}

/// Whether a field must be there.
enum Presence {
    Required,
    Optional,
    /// What stands for it as a literal.
    Default(String),
}

impl Field {
    /// What is said of it, with the bounds that stand nowhere else.
    fn docs_of(&self, indent: &str, bounds: &[String]) -> String {
        let said = self.description.as_deref().filter(|it| !it.is_empty());
        let bounds = match bounds {
            [] => None,
            bounds => Some(format!("It {}.", bounds.join(", "))),
        };
        let all: Vec<&str> = said.into_iter().chain(bounds.as_deref()).collect();
        docs(&all.join("\n"), indent)
    }

    /// The docs of a parameter, which has no place for a check.
    pub(super) fn docs_of_parameter(&self, indent: &str) -> String {
        let all = self.bounds.checked.iter().map(|it| it.words.clone());
        let all: Vec<String> = all.chain(self.bounds.said.iter().cloned()).collect();
        self.docs_of(indent, &all)
    }

    fn docs_of_field(&self, indent: &str) -> String {
        self.docs_of(indent, &self.bounds.said)
    }

    /// ` where …`, behind a field of a record.
    fn check(&self) -> String {
        let checks = self.bounds.checked.iter().map(|it| it.check.as_str());
        match checks.collect::<Vec<_>>().join(" and ") {
            none if none.is_empty() => none,
            checks => format!(" where {checks}"),
        }
    }

    pub(super) fn alias(&self) -> String {
        match self.name == self.wire {
            true => String::new(),
            false => format!("@alias({}) ", literal(&self.wire)),
        }
    }

    pub(super) fn default(&self) -> String {
        match &self.presence {
            Presence::Required => String::new(),
            Presence::Optional => " = none".into(),
            Presence::Default(literal) => format!(" = {literal}"),
        }
    }
}

impl<'a> Types<'a> {
    pub(super) fn of(names: &'a mut Names, tool: &str) -> Self {
        Self {
            names,
            tool: type_like(tool),
            known: BTreeMap::new(),
            text: String::new(),
        }
    }

    /// The properties of an object; `root` has what references lead to.
    pub(super) fn fields(&mut self, schema: &Value, root: &Value) -> Vec<Field> {
        let schema = resolved(schema, root);
        let required: Vec<&str> = match schema.get("required").and_then(Value::as_array) {
            Some(names) => names.iter().filter_map(Value::as_str).collect(),
            None => Vec::new(),
        };
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return Vec::new();
        };
        let mut own = Names::of(std::iter::empty());
        let mut fields = Vec::new();
        for (wire, property) in properties {
            let ty = self.of_schema(property, root, wire);
            let default = property.get("default").and_then(|it| default(it, &ty));
            let (ty, presence) = match default {
                Some(default) => (ty, Presence::Default(default)),
                None if required.contains(&wire.as_str()) => (ty, Presence::Required),
                None => (optional(ty), Presence::Optional),
            };
            let description = property.get("description").and_then(Value::as_str);
            let has_default = matches!(presence, Presence::Default(_));
            let bounds = Bounds::of(resolved(property, root), ty.trim_end_matches('?'));
            fields.push(Field {
                bounds: match has_default {
                    // It might not keep them itself, which a check would report.
                    true => bounds.in_words(),
                    false => bounds,
                },
                name: own.take(&name_like(wire)),
                wire: wire.clone(),
                ty,
                description: description.map(str::to_owned),
                presence,
            });
        }
        // Those that must be given come first, since the others can be left out.
        fields.sort_by_key(|it| !matches!(it.presence, Presence::Required));
        fields
    }

    /// The type of a schema; a record is called after `place`.
    pub(super) fn of_schema(&mut self, schema: &Value, root: &Value, place: &str) -> String {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            if let Some(known) = self.known.get(reference) {
                return known.clone();
            }
            let target = resolved(schema, root);
            if target.get("properties").is_some() {
                let wanted = format!("{}{}", self.tool, type_like(place));
                let name = self.names.take(&wanted);
                self.known.insert(reference.to_owned(), name.clone());
                self.record(&name, target, root);
                return name;
            }
            // A reference that leads back to itself by way of lists only has no name to end it.
            self.known.insert(reference.to_owned(), "json".into());
            let ty = self.of_schema(target, root, place);
            self.known.insert(reference.to_owned(), ty.clone());
            return ty;
        }
        if let Some(texts) = choices(schema) {
            return texts;
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(options) = schema.get(key).and_then(Value::as_array) {
                return self.one_of(options, root, place);
            }
        }
        match schema.get("type") {
            Some(Value::String(ty)) => self.of_type(ty, schema, root, place),
            Some(Value::Array(types)) => {
                let options = types.iter().map(|ty| {
                    let mut option = schema.clone();
                    option["type"] = ty.clone();
                    option
                });
                let options: Vec<Value> = options.collect();
                self.one_of(&options, root, place)
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
                "json".into()
            }
        }
    }

    /// One type, or that and `null`; other choices are `json`.
    fn one_of(&mut self, options: &[Value], root: &Value, place: &str) -> String {
        let is_null = |it: &&Value| it.get("type").and_then(Value::as_str) == Some("null");
        let rest: Vec<&Value> = options.iter().filter(|it| !is_null(it)).collect();
        match rest.as_slice() {
            [only] if rest.len() == options.len() => self.of_schema(only, root, place),
            [only] => match self.of_schema(only, root, place) {
                json if json == "json" => json,
                ty => optional(ty),
            },
            _ => "json".into(),
        }
    }

    fn of_type(&mut self, ty: &str, schema: &Value, root: &Value, place: &str) -> String {
        match ty {
            "string" => "string".into(),
            "integer" => "int".into(),
            "number" => "float".into(),
            "boolean" => "bool".into(),
            "array" => {
                let items = schema.get("items").unwrap_or(&Value::Null);
                match self.of_schema(items, root, place) {
                    union if is_union(&union) => format!("[({union})]"),
                    item => format!("[{item}]"),
                }
            }
            "object"
                if schema
                    .get("properties")
                    .and_then(Value::as_object)
                    .is_some_and(|it| !it.is_empty()) =>
            {
                let wanted = format!("{}{}", self.tool, type_like(place));
                let name = self.names.take(&wanted);
                self.record(&name, schema, root);
                name
            }
            "object" => match schema.get("additionalProperties") {
                Some(values @ Value::Object(_)) => {
                    format!("{{string: {}}}", self.of_schema(values, root, place))
                }
                Some(_) | None => "{string: json}".into(),
            },
            _ => "json".into(),
        }
    }

    fn record(&mut self, name: &str, schema: &Value, root: &Value) {
        let fields = self.fields(schema, root);
        let description = schema.get("description").and_then(Value::as_str);
        let mut text = description.map_or_else(String::new, |it| docs(it, ""));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "type {name} {{");
        for field in fields {
            text.push_str(&field.docs_of_field("  "));
            let _ = writeln!(
                text,
                "  {}{}: {}{}{}",
                field.alias(),
                field.name,
                field.ty,
                field.default(),
                field.check()
            );
        }
        text.push_str("}\n\n");
        self.text.push_str(&text);
    }
}

/// What a schema is after its references within `root`.
fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    // As many steps as no honest schema has, so that a circle ends.
    for _ in 0..32 {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return schema;
        };
        let target = reference.strip_prefix('#').and_then(|it| root.pointer(it));
        match target {
            Some(target) => schema = target,
            None => return &Value::Null,
        }
    }
    &Value::Null
}

/// A type that may be missing. The question mark of a union follows all of it.
fn optional(ty: String) -> String {
    match ty.as_str() {
        it if it.ends_with('?') => ty,
        it if is_union(it) => format!("({ty})?"),
        _ => format!("{ty}?"),
    }
}

/// Whether a type is texts to choose from, and not a list or map of them.
fn is_union(ty: &str) -> bool {
    ty.starts_with('"')
}

/// Texts to choose from.
fn choices(schema: &Value) -> Option<String> {
    let constant = schema.get("const").map(std::slice::from_ref);
    let values = schema
        .get("enum")
        .and_then(Value::as_array)
        .map(Vec::as_slice);
    let values = values.or(constant).filter(|it| !it.is_empty())?;
    let texts: Option<Vec<String>> = values.iter().map(|it| it.as_str().map(literal)).collect();
    let mut seen = BTreeSet::new();
    let mut texts = texts?;
    // A server may name one twice, and a union may not.
    texts.retain(|it| seen.insert(it.clone()));
    Some(texts.join(" | "))
}

/// The literal of a default value that is of the type.
fn default(value: &Value, ty: &str) -> Option<String> {
    match (value, ty) {
        (Value::Bool(value), "bool") => Some(value.to_string()),
        (Value::Number(value), "int") if value.is_i64() => Some(value.to_string()),
        (Value::Number(value), "float") => {
            let number = format!("{:?}", value.as_f64()?);
            number
                .chars()
                .all(|it| it.is_ascii_digit() || "-.".contains(it))
                .then_some(number)
        }
        (Value::String(value), "string") => Some(literal(value)),
        (Value::String(value), union) if union.split(" | ").any(|it| it == literal(value)) => {
            Some(literal(value))
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Names, Types};

    #[test]
    fn what_may_be_missing_is_optional_as_a_whole() {
        let schema = json!({ "type": "object", "required": ["must"], "properties": {
            "must": { "enum": ["a", "b"] },
            "may": { "type": "string", "enum": ["a", "b"] },
            "null": { "anyOf": [{ "enum": ["a", "b"] }, { "type": "null" }] },
            "twice": { "enum": ["a", "b", "a"] },
            "one": { "const": "a" },
            "set": { "enum": ["a", "b"], "default": "b" },
            "list": { "type": "array", "items": { "enum": ["a", "b"] } },
            "map": { "type": "object", "additionalProperties": { "enum": ["a", "b"] } },
            "text": { "type": ["string", "null"] },
        } });
        let mut names = Names::of(std::iter::empty());
        let mut fields = Types::of(&mut names, "tool").fields(&schema, &schema);
        fields.sort_by(|a, b| a.wire.cmp(&b.wire));
        let shown = fields
            .iter()
            .map(|it| format!("{}: {}{}", it.wire, it.ty, it.default()));
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                r#"list: [("a" | "b")]? = none"#,
                r#"map: {string: "a" | "b"}? = none"#,
                r#"may: ("a" | "b")? = none"#,
                r#"must: "a" | "b""#,
                r#"null: ("a" | "b")? = none"#,
                r#"one: ("a")? = none"#,
                r#"set: "a" | "b" = "b""#,
                "text: string? = none",
                r#"twice: ("a" | "b")? = none"#,
            ]
        );
    }
}
