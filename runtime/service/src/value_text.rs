//! Values as people type them on a command line.

use gsw_abi::types::{Type, TypeId, TypeTable};
use serde_json::Value;

/// The type of the elements, when `ty` is a list or an optional list.
pub fn list_element(types: &TypeTable, ty: TypeId) -> Option<TypeId> {
    match types.get(types.base(ty)) {
        Type::List(element) => Some(*element),
        Type::Optional(inner) => list_element(types, *inner),
        _ => None,
    }
}

/// The elements, when the text (or the file after `@`) is a JSON array.
pub fn json_array(text: &str) -> Result<Option<Vec<Value>>, String> {
    let text = file_or_text(text)?;
    if !text.trim_start().starts_with('[') {
        return Ok(None);
    }
    match serde_json::from_str(&text) {
        Ok(Value::Array(items)) => Ok(Some(items)),
        _ => Ok(None),
    }
}

/// Reads the text of one value: scalars, enums and literals as they are, everything else as JSON or `@file`.
pub fn read(types: &TypeTable, ty: TypeId, text: &str) -> Result<Value, String> {
    match types.get(types.base(ty)) {
        Type::String => Ok(Value::String(text.to_owned())),
        Type::Bool => match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(format!("`{text}` is not `true` or `false`")),
        },
        Type::Int => match text.parse::<i64>() {
            Ok(number) => Ok(Value::from(number)),
            Err(_) => Err(format!("`{text}` is not a whole number of 64 bits")),
        },
        Type::Float => float(text),
        Type::Duration => duration(text),
        Type::Time | Type::Secret => Ok(Value::String(text.to_owned())),
        Type::Literals(words) => one_of(text, words.iter().map(String::as_str)),
        Type::Enum(it) if it.is_inline() => {
            one_of(text, it.variants.iter().map(|it| it.wire.as_str()))
        }
        Type::Enum(it) => match it.variants.iter().find(|it| it.wire == text) {
            Some(variant) if variant.fields.is_empty() => Ok(Value::String(text.to_owned())),
            _ => json(text),
        },
        // Base64; no quote or `@` is part of it.
        Type::Bytes if !text.starts_with(['"', '@']) => Ok(Value::String(text.to_owned())),
        Type::Optional(_) if text == "none" => Ok(Value::Null),
        Type::Optional(inner) => read(types, *inner, text),
        _ => json(text),
    }
}

fn one_of<'a>(
    text: &str,
    mut words: impl Iterator<Item = &'a str> + Clone,
) -> Result<Value, String> {
    if words.clone().any(|it| it == text) {
        return Ok(Value::String(text.to_owned()));
    }
    let first = words.next().map(|it| format!("`{it}`")).unwrap_or_default();
    let all = words.fold(first, |all, it| format!("{all}, `{it}`"));
    Err(format!("`{text}` is none of {all}"))
}

fn float(text: &str) -> Result<Value, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))?;
    Ok(serde_json::Number::from_f64(number)
        .map_or_else(|| Value::String(non_finite(number)), Value::Number))
}

/// As in the JSON form of a `float`.
fn non_finite(number: f64) -> String {
    if number.is_nan() {
        "NaN".into()
    } else if number > 0.0 {
        "Infinity".into()
    } else {
        "-Infinity".into()
    }
}

/// `250ms`, `30s`, `5m`, `2h`, `7d`, several in a row (`1m30s`), or a number of seconds.
fn duration(text: &str) -> Result<Value, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Ok(Value::from(seconds));
    }
    let wrong = || format!("`{text}` is not a duration such as `250ms`, `30s`, `5m`, `2h` or `7d`");
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or_else(wrong)?;
        let number: f64 = rest[..digits].parse().map_err(|_| wrong())?;
        rest = &rest[digits..];
        let end = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        seconds += number
            * match &rest[..end] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3_600.0,
                "d" => 86_400.0,
                _ => return Err(wrong()),
            };
        rest = &rest[end..];
    }
    Ok(Value::from(seconds))
}

fn json(text: &str) -> Result<Value, String> {
    let text = file_or_text(text)?;
    serde_json::from_str(&text).map_err(|error| format!("this is not JSON: {error}"))
}

/// The text itself, or the contents of the file after `@`.
fn file_or_text(text: &str) -> Result<std::borrow::Cow<'_, str>, String> {
    match text.strip_prefix('@') {
        Some(path) => std::fs::read_to_string(path)
            .map(Into::into)
            .map_err(|error| format!("the file `{path}` cannot be read: {error}")),
        None => Ok(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_add_up() {
        assert_eq!(
            duration("1m30s").map(|it| it.to_string()),
            Ok("90.0".into())
        );
        assert_eq!(
            duration("250ms").map(|it| it.to_string()),
            Ok("0.25".into())
        );
        assert!(duration("5 m").is_err());
        assert!(duration("m").is_err());
    }
}
