//! The part of a `where` that JSON Schema can say, and words for the rest.

use serde_json::{Map, Number, Value};

use crate::types::{Bound, Check, Type, TypeId, TypeTable};

/// What a length is the length of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counted {
    Scalars,
    Items,
    Entries,
}

/// Adds the bounds of a check on a value of type `ty` to its schema, and the check itself where they do not say it all.
pub(super) fn add_check(
    types: &TypeTable,
    ty: TypeId,
    check: &Check,
    schema: &mut Map<String, Value>,
) {
    let counted = counted(types, ty);
    let mut said = 0;
    for bound in &check.bounds {
        if let Some(keywords) = keywords(bound, counted) {
            for (keyword, value) in keywords {
                tighten(schema, keyword, value);
            }
            said += 1;
        }
    }
    // What is absent passes every check.
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && matches!(types.get(types.base(ty)), Type::Optional(_))
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    // Each part between two `and`s is at most one bound.
    if said < check.source.split(" and ").count() {
        describe(schema, &format!("Must satisfy: {}", check.source));
    }
}

/// Appends a sentence or paragraph to a schema's description.
pub(super) fn describe(schema: &mut Map<String, Value>, text: &str) {
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(before) => format!("{before}\n\n{text}"),
        None => text.to_owned(),
    };
    schema.insert("description".into(), text.into());
}

fn keywords(bound: &Bound, counted: Counted) -> Option<Vec<(&'static str, Value)>> {
    let (least, most) = match counted {
        Counted::Scalars => ("minLength", "maxLength"),
        Counted::Items => ("minItems", "maxItems"),
        Counted::Entries => ("minProperties", "maxProperties"),
    };
    Some(match bound {
        Bound::MinInt(it) => vec![("minimum", (*it).into())],
        Bound::MaxInt(it) => vec![("maximum", (*it).into())],
        Bound::BetweenInts(least, most) => {
            vec![("minimum", (*least).into()), ("maximum", (*most).into())]
        }
        Bound::MinFloat(it) => vec![("minimum", number(*it)?)],
        Bound::AboveFloat(it) => vec![("exclusiveMinimum", number(*it)?)],
        Bound::MaxFloat(it) => vec![("maximum", number(*it)?)],
        Bound::BelowFloat(it) => vec![("exclusiveMaximum", number(*it)?)],
        Bound::EqualFloat(it) => vec![("minimum", number(*it)?), ("maximum", number(*it)?)],
        Bound::MinLength(it) => vec![(least, (*it).into())],
        Bound::MaxLength(it) => vec![(most, (*it).into())],
        Bound::BetweenLengths(from, to) => vec![(least, (*from).into()), (most, (*to).into())],
        Bound::Pattern(it) if is_portable(it) => vec![("pattern", it.as_str().into())],
        Bound::Pattern(_) => return None,
        Bound::Ints(values) => vec![("enum", values.as_slice().into())],
        Bound::Texts(values) => vec![("enum", values.as_slice().into())],
    })
}

/// Keeps the tighter of two bounds: an alias and a field of its type may each have one.
fn tighten(schema: &mut Map<String, Value>, keyword: &str, value: Value) {
    let Some(before) = schema.get(keyword) else {
        schema.insert(keyword.into(), value);
        return;
    };
    if let (Value::Array(before), Value::Array(after)) = (before, &value) {
        let both: Vec<Value> = before
            .iter()
            .filter(|it| after.contains(it))
            .cloned()
            .collect();
        schema.insert(keyword.into(), both.into());
        return;
    }
    if keyword == "pattern" {
        if *before != value {
            let all = schema
                .entry("allOf")
                .or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(all) = all {
                all.push(serde_json::json!({ "pattern": value }));
            }
        }
        return;
    }
    let is_lower_bound = keyword.starts_with("min") || keyword == "exclusiveMinimum";
    let (before, after) = (before.as_f64(), value.as_f64());
    if (after > before) == is_lower_bound {
        schema.insert(keyword.into(), value);
    }
}

fn number(bits: u64) -> Option<Value> {
    Number::from_f64(f64::from_bits(bits)).map(Value::Number)
}

fn counted(types: &TypeTable, ty: TypeId) -> Counted {
    match types.get(types.base(ty)) {
        Type::Optional(of) => counted(types, *of),
        Type::List(_) | Type::Set { .. } => Counted::Items,
        Type::Map { .. } => Counted::Entries,
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
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::Enum(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => Counted::Scalars,
    }
}

/// Whether a pattern means the same to readers of JSON Schema, whose expressions are ECMAScript's.
fn is_portable(pattern: &str) -> bool {
    let groups = pattern.match_indices("(?");
    let are_plain = groups
        .into_iter()
        .all(|(at, _)| pattern[at..].starts_with("(?:"));
    let others = [
        "\\A", "\\z", "\\x{", "\\p", "\\P", "[[", "&&", "--", "~~", "\\<", "\\>",
    ];
    are_plain && !others.iter().any(|it| pattern.contains(it))
}
