//! Values of a run as the source text that makes them, and as patterns that they fit.

use gsw_abi::types::{Enum, Field, Type, TypeId, TypeTable, Variant};
use gsw_notation::duration::{self, from_seconds_text};
use serde_json::{Map, Value};

/// A longer text is no pattern: it would hide the rest of the test.
const LONGEST_PATTERN: usize = 200;
/// The pattern that matches everything.
pub const ANYTHING: &str = "_";

/// A value that no source text makes, and of what type it is.
#[derive(Debug)]
pub struct NoLiteral(pub &'static str);

type Written = Result<String, NoLiteral>;

/// Writes values of the types of a program, from their JSON form.
#[derive(Clone, Copy)]
pub struct Literals<'a>(pub &'a TypeTable);

impl Literals<'_> {
    /// The source text of a value.
    pub fn value(self, ty: TypeId, json: &Value) -> Written {
        match (self.0.get(ty), json) {
            (Type::Checked { base, .. }, _) => self.value(*base, json),
            (Type::Optional(_), Value::Null) => Ok("none".into()),
            (Type::Optional(inner), _) => self.value(*inner, json),
            (Type::Unit, _) => Ok("()".into()),
            (Type::Bool | Type::Int, Value::Bool(_) | Value::Number(_)) => Ok(json.to_string()),
            (Type::Float, Value::Number(number)) => Ok(float(&number.to_string())),
            (Type::String | Type::Literals(_), Value::String(text)) => Ok(quoted(text)),
            (Type::Time, Value::String(text)) => Ok(format!("time.parse({})", quoted(text))),
            (Type::Duration, Value::Number(seconds)) => duration(&seconds.to_string()),
            (Type::Json, _) => Ok(dynamic(json)),
            (Type::List(item), Value::Array(items)) => {
                let items = items.iter().map(|it| self.value(*item, it));
                Ok(format!("[{}]", joined(items)?))
            }
            (Type::Set { of, .. }, Value::Array(items)) => {
                let items = items.iter().map(|it| self.value(*of, it));
                Ok(format!("set.of([{}])", joined(items)?))
            }
            (Type::Tuple(types), Value::Array(items)) if types.len() == items.len() => {
                let items = types.iter().zip(items).map(|(ty, it)| self.value(*ty, it));
                Ok(format!("({})", joined(items)?))
            }
            (Type::Map { key, value }, Value::Object(entries)) => {
                let entries = entries.iter().map(|(name, it)| {
                    Ok(format!(
                        "{}: {}",
                        self.key(*key, name),
                        self.value(*value, it)?
                    ))
                });
                Ok(format!("{{ {} }}", joined(entries)?))
            }
            (Type::Record(record), Value::Object(fields)) => Ok(format!(
                "{} {{ {} }}",
                without_arguments(&record.name),
                self.fields(&record.fields, fields)?
            )),
            (Type::Enum(of), _) => self.variant(of, json),
            (ty, _) => Err(NoLiteral(kind(ty))),
        }
    }

    /// A pattern that the value fits and, where that can be said shortly, others do not.
    pub fn pattern(self, ty: TypeId, json: &Value) -> String {
        let is_exact = match self.0.get(ty) {
            Type::Checked { base, .. } => return self.pattern(*base, json),
            Type::Optional(_) if json.is_null() => true,
            Type::Optional(inner) => return self.pattern(*inner, json),
            Type::Bool | Type::Int => true,
            Type::Enum(of) => of.is_inline(),
            Type::String | Type::Literals(_) => {
                json.as_str().is_some_and(|it| it.len() <= LONGEST_PATTERN)
            }
            Type::Tuple(_)
            | Type::List(_)
            | Type::Map { .. }
            | Type::Set { .. }
            | Type::Record(_)
            | Type::Unit
            | Type::Float
            | Type::Bytes
            | Type::Time
            | Type::Duration
            | Type::Json
            | Type::Secret
            | Type::Media
            | Type::Error
            | Type::ErrorKind(_)
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => false,
        };
        let exact = is_exact.then(|| self.value(ty, json));
        exact
            .and_then(Result::ok)
            .unwrap_or_else(|| ANYTHING.into())
    }

    /// Arguments by name, as in a call.
    pub fn arguments(self, parameters: &[Field], given: &Map<String, Value>) -> Written {
        self.fields(parameters, given)
    }

    /// An error as after `fail`, or as a pattern after `fails`; its fields by name.
    pub fn error(self, name: &str, fields: &Value) -> Written {
        let mut kinds = self.0.types.iter().filter_map(|it| {
            let Type::ErrorKind(kind) = it else {
                return None;
            };
            Some(kind)
        });
        let declared = kinds.find(|it| it.name == name);
        let empty = Map::new();
        let given = fields.as_object().unwrap_or(&empty);
        match declared {
            Some(kind) if !kind.fields.is_empty() => {
                Ok(format!("{name}({})", self.fields(&kind.fields, given)?))
            }
            Some(_) | None => Ok(name.to_owned()),
        }
    }

    fn fields(self, declared: &[Field], given: &Map<String, Value>) -> Written {
        let given = declared.iter().filter_map(|field| {
            let value = given.get(&field.wire).or_else(|| given.get(&field.name))?;
            Some(
                self.value(field.ty, value)
                    .map(|it| format!("{}: {it}", field.name)),
            )
        });
        joined(given)
    }

    fn variant(self, of: &Enum, json: &Value) -> Written {
        let named = |wire: &str| of.variants.iter().find(|it| it.wire == wire);
        match json {
            Value::String(wire) => named(wire)
                .map(|Variant { name, .. }| name.clone())
                .ok_or(NoLiteral("a variant that is not there any more")),
            Value::Object(fields) => {
                let wire = fields
                    .get("kind")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                let variant =
                    named(wire).ok_or(NoLiteral("a variant that is not there any more"))?;
                let payload = self.fields(&variant.fields, fields)?;
                Ok(format!("{}({payload})", variant.name))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                Err(NoLiteral("an enum"))
            }
        }
    }

    fn key(self, ty: TypeId, name: &str) -> String {
        let ty = self.0.get(ty);
        if matches!(ty, Type::Int) {
            return name.to_owned();
        }
        let Type::Enum(of) = ty else {
            return quoted(name);
        };
        let variant = of.variants.iter().find(|it| it.wire == name);
        variant.map_or_else(|| quoted(name), |it| it.name.clone())
    }
}

/// The name of a type, for the message that it has no literal.
const fn kind(ty: &Type) -> &'static str {
    match ty {
        Type::Bytes => "bytes",
        Type::Secret => "a secret",
        Type::Media => "an image or a document",
        Type::Error | Type::ErrorKind(_) => "an error",
        Type::Closure(_) | Type::Function => "a function",
        Type::Session => "a session",
        Type::Task(_) | Type::Stream(_) | Type::Queue(_) | Type::Cell(_) => {
            "a task, stream or queue"
        }
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::Enum(_)
        | Type::Checked { .. } => "a value of another form",
    }
}

fn joined(parts: impl Iterator<Item = Written>) -> Written {
    let parts: Vec<String> = parts.collect::<Result<_, _>>()?;
    Ok(parts.join(", "))
}

/// `Page<int>` is made by `Page { … }`.
fn without_arguments(name: &str) -> &str {
    name.split('<').next().unwrap_or(name)
}

/// A string literal.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '$' if characters.peek() == Some(&'{') => out.push_str("\\$"),
            it if it.is_control() => out.push_str(&format!("\\u{{{:X}}}", u32::from(it))),
            it => out.push(it),
        }
    }
    out.push('"');
    out
}

/// A float has digits on both sides of its point.
fn float(number: &str) -> String {
    match number.contains(['.', 'e', 'E']) {
        true => number.to_owned(),
        false => format!("{number}.0"),
    }
}

fn duration(seconds: &str) -> Written {
    /// A literal has no finer unit.
    const MILLISECOND: i64 = 1_000_000;
    let nanoseconds = from_seconds_text(seconds).filter(|it| it % MILLISECOND == 0);
    let text = nanoseconds.map(duration::text);
    text.ok_or(NoLiteral("a duration finer than a millisecond"))
}

/// Where `json` is expected, any value that has a JSON form will do.
fn dynamic(json: &Value) -> String {
    match json {
        Value::Null => "none".into(),
        Value::Bool(_) | Value::Number(_) => json.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(dynamic).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(name, it)| format!("{}: {}", quoted(name), dynamic(it)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}
