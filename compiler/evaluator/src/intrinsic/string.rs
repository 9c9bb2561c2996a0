//! Rows of strings.

use gsw_abi::call::RuntimeCall as Row;

use crate::intrinsic::list::clamped;
use crate::machine::Machine;
use crate::stop::{Flow, limit, unsupported};
use crate::value::Value;

/// Strings grow to this many bytes at most.
const LONGEST: usize = 1 << 20;

impl Machine<'_> {
    pub fn string_intrinsic(&mut self, row: Row, arguments: &[Value]) -> Flow<Value> {
        let [Value::Text(s), rest @ ..] = arguments else {
            return unsupported(format!("`{}` of {arguments:?}", row.name()));
        };
        let characters = || s.chars().collect::<Vec<_>>();
        Ok(match (row, rest) {
            (Row::string_len, []) => Value::Int(s.chars().count() as i64),
            (Row::string_trim, []) => Value::text(s.trim()),
            (Row::string_upper, []) => Value::text(s.to_uppercase()),
            (Row::string_lower, []) => Value::text(s.to_lowercase()),
            (Row::string_chars, []) => texts(characters().iter().map(char::to_string)),
            (Row::string_lines, []) => texts(s.lines().map(str::to_owned)),
            (Row::string_words, []) => texts(s.split_whitespace().map(str::to_owned)),
            (Row::string_parse_int, []) => Value::optional(s.parse().ok().map(Value::Int)),
            (Row::string_parse_float, []) => {
                let named = matches!(&**s, "NaN" | "Infinity" | "-Infinity");
                let is_number =
                    !s.contains(|it: char| it.is_ascii_alphabetic() && !"eE".contains(it));
                let read = (named || is_number).then(|| s.parse().ok()).flatten();
                Value::optional(read.map(Value::Float))
            }
            (Row::string_slice, [Value::Int(from), Value::Int(to)]) => Value::text(
                clamped(&characters(), *from, *to)
                    .iter()
                    .collect::<String>(),
            ),
            (Row::string_repeat, [Value::Int(count)]) => {
                let count = usize::try_from(*count).unwrap_or(0);
                if s.len().saturating_mul(count) > LONGEST {
                    return limit("a string grows too long");
                }
                Value::text(s.repeat(if s.is_empty() { 0 } else { count }))
            }
            (Row::string_pad_start, [Value::Int(length), Value::Text(with)]) => {
                Value::text(padding(s, *length, with)? + s)
            }
            (Row::string_pad_end, [Value::Int(length), Value::Text(with)]) => {
                Value::text(s.to_string() + &padding(s, *length, with)?)
            }
            _ => searched(row, s, rest)?,
        })
    }
}

/// What looks for something in a string.
fn searched(row: Row, s: &str, rest: &[Value]) -> Flow<Value> {
    Ok(match (row, rest) {
        (Row::string_contains, [Value::Text(it)]) => Value::Bool(s.contains(&**it)),
        (Row::string_starts_with, [Value::Text(it)]) => Value::Bool(s.starts_with(&**it)),
        (Row::string_ends_with, [Value::Text(it)]) => Value::Bool(s.ends_with(&**it)),
        (Row::string_index_of, [Value::Text(it)]) => {
            let place = s.find(&**it).map(|it| s[..it].chars().count());
            Value::optional(place.map(|it| Value::Int(it as i64)))
        }
        (Row::string_split, [Value::Text(it)]) if it.is_empty() => {
            texts(s.chars().map(|it| it.to_string()))
        }
        (Row::string_split, [Value::Text(it)]) => texts(s.split(&**it).map(str::to_owned)),
        (Row::string_split_once, [Value::Text(it)]) => {
            let pair = s.split_once(&**it);
            Value::optional(pair.map(|(a, b)| Value::tuple(vec![Value::text(a), Value::text(b)])))
        }
        (Row::string_replace, [Value::Text(a), Value::Text(_)]) if a.is_empty() => Value::text(s),
        (Row::string_replace, [Value::Text(a), Value::Text(b)]) => {
            if s.len().saturating_mul(b.len()) > LONGEST {
                return limit("a string grows too long");
            }
            Value::text(s.replace(&**a, b))
        }
        _ => return unsupported(format!("`{}`", row.name())),
    })
}

fn texts(them: impl Iterator<Item = String>) -> Value {
    Value::list(them.map(Value::text).collect())
}

fn padding(s: &str, length: i64, with: &str) -> Flow<String> {
    let missing = usize::try_from(length)
        .unwrap_or(0)
        .saturating_sub(s.chars().count());
    if missing > LONGEST {
        return limit("a string grows too long");
    }
    Ok(with.chars().cycle().take(missing).collect())
}
