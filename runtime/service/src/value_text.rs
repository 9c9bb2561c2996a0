//! Values as people type them on a command line.

use std::fs::File;
use std::io::Read;

use gsw_abi::types::{Enum, Type, TypeId, TypeTable};
use gsw_notation::{duration, json};
use serde_json::Value;

/// The most bytes of a file that is an argument; a guess at what is one by mistake, such as a device.
const LARGEST: u64 = 256 << 20;

/// The type of the elements, when `ty` is a list or a set, or an optional one.
pub fn list_element(types: &TypeTable, ty: TypeId) -> Option<TypeId> {
    match types.get(types.base(ty)) {
        Type::List(element) | Type::Set { of: element, .. } => Some(*element),
        Type::Optional(inner) => list_element(types, *inner),
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
        | Type::Map { .. }
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
        | Type::Session => None,
    }
}

/// The value of one argument of a list.
#[derive(PartialEq, Debug)]
pub enum Listed {
    /// A JSON array, or the file with one after `@`.
    Array(Vec<Value>),
    Element(Value),
}

/// Reads an argument of a list with elements of the type `element`. What begins with `[` or `@` is never taken for a text because it
/// cannot be read; `@@` is a text that begins with `@`.
///
/// # Errors
/// When the file or the JSON cannot be read, or the element does not fit.
pub fn read_listed(types: &TypeTable, element: TypeId, text: &str) -> Result<Listed, String> {
    let is_plain = !is_json(types, element) && *types.get(types.base(element)) != Type::Bytes;
    if is_plain && let Some(rest) = text.strip_prefix("@@") {
        return read(types, element, &format!("@{rest}")).map(Listed::Element);
    }
    if !text.trim_start().starts_with(['[', '@']) {
        return read(types, element, text).map(Listed::Element);
    }
    let hint = |why: String| match text.strip_prefix('@') {
        Some(rest) if is_plain => {
            format!("{why}; a text that begins with `@` is written `@@{rest}`")
        }
        Some(_) | None => why,
    };
    match json(text).map_err(hint)? {
        Value::Array(items) => Ok(Listed::Array(items)),
        value @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Object(_)) => match is_plain {
            true => Err(hint(format!("`{text}` holds no JSON array"))),
            false => Ok(Listed::Element(value)),
        },
    }
}

/// Whether a value is written as JSON, or as `@file` with JSON in it; of a list also each element may be given.
pub fn is_json(types: &TypeTable, ty: TypeId) -> bool {
    match types.get(types.base(ty)) {
        Type::Optional(inner) => is_json(types, *inner),
        Type::Enum(it) => !it.is_inline(),
        Type::Unit
        | Type::Json
        | Type::Media
        | Type::Error
        | Type::List(_)
        | Type::Map { .. }
        | Type::Set { .. }
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
        | Type::Session => true,
        Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Secret
        | Type::Literals(_) => false,
    }
}

/// Whether this is the absent value of an optional. A text or a word that is `none` is that.
pub fn is_absent(types: &TypeTable, ty: TypeId, text: &str) -> bool {
    let Type::Optional(inner) = types.get(types.base(ty)) else {
        return false;
    };
    text == NONE && !takes_none(types, *inner)
}

const NONE: &str = "none";

/// Whether `none` is a value of the type, or of the elements that an argument of it may give alone.
fn takes_none(types: &TypeTable, ty: TypeId) -> bool {
    match types.get(types.base(ty)) {
        Type::String | Type::Secret => true,
        Type::Literals(words) => words.iter().any(|it| it == NONE),
        Type::Enum(it) => {
            let mut variants = it.variants.iter();
            variants.any(|it| it.wire == NONE && it.fields.is_empty())
        }
        Type::List(of) | Type::Set { of, .. } | Type::Optional(of) => takes_none(types, *of),
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Media
        | Type::Error
        | Type::Map { .. }
        | Type::Tuple(_)
        | Type::Record(_)
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
            _ if text.trim_start().starts_with(['{', '"', '@']) => json(text),
            _ => Err(no_variant(text, it)),
        },
        // Base64; no quote or `@` is part of it.
        Type::Bytes if !text.starts_with(['"', '@']) => Ok(Value::String(text.to_owned())),
        Type::Optional(_) if is_absent(types, ty, text) => Ok(Value::Null),
        Type::Optional(inner) => read(types, *inner, text),
        Type::Unit
        | Type::Bytes
        | Type::Json
        | Type::Media
        | Type::Error
        | Type::List(_)
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => json(text),
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
    Err(format!("`{text}` is not one of {all}"))
}

/// `warm` is not one of `cold`; `hot` has fields: write it as JSON
fn no_variant(text: &str, of: &Enum) -> String {
    let names = |is_meant: fn(usize) -> bool| {
        let those = of.variants.iter().filter(|it| is_meant(it.fields.len()));
        let names: Vec<_> = those.map(|it| format!("`{}`", it.wire)).collect();
        names.join(", ")
    };
    let (bare, full) = (names(|it| it == 0), names(|it| it > 0));
    let fields = format!("with fields, as JSON: {full}");
    match bare.is_empty() {
        true => format!("`{text}` is not one of the variants {fields}"),
        false => format!("`{text}` is not one of {bare} or, {fields}"),
    }
}

fn float(text: &str) -> Result<Value, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))?;
    if number.is_infinite() && text.contains(|it: char| it.is_ascii_digit()) {
        return Err(format!("`{text}` is more than a float can hold"));
    }
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

/// A literal of the language (`1m30s`), after a `-` perhaps, or a number of seconds; exactly, to the nanosecond.
fn duration(text: &str) -> Result<Value, String> {
    let seconds = duration::parse(text).map(duration::seconds_text);
    let number = seconds.and_then(|it| it.parse().ok());
    number.map(Value::Number).ok_or_else(|| {
        format!("`{text}` is not a duration such as `250ms`, `30s`, `1h30m` or `7d`, with descending units, each at most once")
    })
}

fn json(text: &str) -> Result<Value, String> {
    let text = file_or_text(text)?;
    let value =
        json::parse(&text).map_err(|issue| format!("this is not JSON: {}", issue.message))?;
    exact(vec![value]).map(|mut it| it.pop().unwrap_or_default())
}

/// Refuses whole numbers whose digits would be lost.
fn exact(values: Vec<Value>) -> Result<Vec<Value>, String> {
    let mut waiting: Vec<&Value> = values.iter().collect();
    while let Some(value) = waiting.pop() {
        match value {
            Value::Number(number) => {
                let digits = number.to_string();
                let is_whole = !digits.contains(['.', 'e', 'E']);
                if is_whole && digits.parse::<i64>().is_err() {
                    return Err(format!("`{digits}` is not a whole number of 64 bits"));
                }
            }
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => waiting.extend(fields.values()),
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    Ok(values)
}

/// The text itself, or the contents of the file after `@`.
fn file_or_text(text: &str) -> Result<std::borrow::Cow<'_, str>, String> {
    match text.strip_prefix('@') {
        Some(path) => read_file(path, LARGEST)
            .map(Into::into)
            .map_err(|why| format!("the file `{path}` {why}")),
        None => Ok(text.into()),
    }
}

/// Where a process finds what it was started with: `@<(command)` of a shell is one of these.
const HANDED_OVER: [&str; 3] = ["/dev/fd/", "/dev/stdin", "/proc/self/fd/"];

/// The text of a file of at most this many bytes, without a mark of its byte order; or why not.
pub fn read_file(path: &str, largest: u64) -> Result<String, String> {
    let unreadable = |error| format!("cannot be read: {error}");
    let mut text = String::new();
    let kind = std::fs::metadata(path).map_err(unreadable)?;
    // A named pipe would be waited for until somebody writes. One that the shell hands over has its writer.
    if !kind.is_file() && !kind.is_dir() && !HANDED_OVER.iter().any(|it| path.starts_with(it)) {
        return Err("is a pipe or a device and no file".to_owned());
    }
    let file = File::open(path).map_err(unreadable)?;
    let read = file.take(largest + 1).read_to_string(&mut text);
    if read.map_err(unreadable)? as u64 > largest {
        return Err(format!("is larger than {} MB", largest >> 20));
    }
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

#[cfg(test)]
mod tests {
    use gsw_abi::builtin;
    use gsw_abi::types::Type;
    use serde_json::{Value, json as value};

    use super::{Listed, duration, float, is_absent, json, read, read_file, read_listed};

    #[test]
    fn none_is_the_absent_value_of_all_that_is_no_text() {
        let mut entries = builtin::type_table().types;
        let mut add = |ty: Type| {
            entries.push(ty);
            gsw_abi::types::TypeId(entries.len() as u32 - 1)
        };
        let absent = [
            builtin::BYTES,
            builtin::TIME,
            builtin::DURATION,
            builtin::BOOL,
            builtin::INT,
            builtin::LIST_INT,
            builtin::JSON,
            add(Type::Literals(vec!["some".into()])),
        ]
        .map(|it| add(Type::Optional(it)));
        let texts = [
            builtin::STRING,
            builtin::LIST_STRING,
            add(Type::Literals(vec!["some".into(), "none".into()])),
        ]
        .map(|it| add(Type::Optional(it)));
        let types = gsw_abi::types::TypeTable { types: entries };
        for ty in absent {
            assert!(is_absent(&types, ty, "none"), "{:?}", types.get(ty));
            assert_eq!(read(&types, ty, "none"), Ok(Value::Null));
        }
        for ty in texts {
            assert!(!is_absent(&types, ty, "none"), "{:?}", types.get(ty));
        }
        assert!(!is_absent(&types, builtin::BYTES, "none"));
        // In quotes it is data.
        assert_eq!(read(&types, absent[0], "\"none\""), Ok(value!("none")));
    }

    #[test]
    fn what_cannot_be_read_is_no_text_of_a_list() {
        let types = builtin::type_table();
        let read = |text: &str| read_listed(&types, builtin::STRING, text);
        assert_eq!(read("alice"), Ok(Listed::Element(value!("alice"))));
        assert_eq!(read("@@alice"), Ok(Listed::Element(value!("@alice"))));
        assert_eq!(read(r#"["a"]"#), Ok(Listed::Array(vec![value!("a")])));
        let why = read("[1,2").expect_err("it is not JSON");
        assert!(why.contains("not JSON"), "{why}");
        let why = read("@alice").expect_err("there is no such file");
        assert!(why.contains("`@@alice`"), "{why}");

        let file = std::env::temp_dir().join(format!("gsw-listed-{}", std::process::id()));
        let argument = format!("@{}", file.display());
        for (content, part) in [("{", "not JSON"), ("\"a\"", "no JSON array")] {
            std::fs::write(&file, content).expect("the temporary folder can be written");
            let why = read(&argument).expect_err("it is no array");
            assert!(why.contains(part), "{why}");
        }
        std::fs::remove_file(&file).expect("it was just written");
    }

    #[test]
    fn durations_add_up_exactly() {
        for (text, seconds) in [
            ("1m30s", "90"),
            ("250ms", "0.25"),
            ("1s122ms", "1.122"),
            ("-5m", "-300"),
            ("1.5", "1.5"),
        ] {
            let read = duration(text).map(|it| it.to_string());
            assert_eq!(read, Ok(seconds.into()), "{text}");
        }
        for wrong in ["", "5 m", "m", "inf", "NaN", "1e999", "30m1h", "1h1h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_would_be_changed_is_refused() {
        assert!(float("1e400").is_err() && float("-1e400").is_err());
        assert_eq!(float("-inf"), Ok("-Infinity".into()));
        let refused = [
            (r#"{"a": 1, "b": {"c": 2, "c": 3}}"#, "\"c\" twice"),
            ("[123456789012345678901234567890]", "64 bits"),
            ("{", "not JSON"),
        ];
        for (text, part) in refused {
            let why = json(text).expect_err("it is refused");
            assert!(why.contains(part), "{text}: {why}");
        }
        assert!(json(r#"[1e30, 1.5, -9223372036854775808]"#).is_ok());
    }

    #[test]
    fn a_file_is_bounded_and_may_have_a_mark() {
        let file = std::env::temp_dir().join(format!("gsw-argument-{}", std::process::id()));
        std::fs::write(&file, "\u{feff}[1]").expect("the temporary folder can be written");
        let path = file.to_str().expect("it is text");
        assert_eq!(read_file(path, 6).as_deref(), Ok("[1]"));
        assert!(read_file(path, 5).is_err());
        let refused = Err("is a pipe or a device and no file".to_owned());
        assert_eq!(read_file("/dev/zero", 5), refused);
        std::fs::remove_file(&file).expect("it was just written");
    }
}
