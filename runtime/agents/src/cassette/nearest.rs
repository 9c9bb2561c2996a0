//! The record that is most like a request that has none, and where the two differ.

use gsw_notation::difference;
use serde_json::Value;

use super::file::{Cassette, line_of};

/// The most records that are compared line by line; of more, those with the most like size. A guess.
const MOST_COMPARED: usize = 200;

/// Says which record is nearest to a request and how it differs.
pub(super) fn describe(cassette: &Cassette, request: &Value) -> String {
    let asked = lines(request);
    let mut known: Vec<(usize, Vec<String>)> = cassette
        .records()
        .iter()
        .map(|it| lines(&it.request))
        .enumerate()
        .collect();
    // Stable, so that of equals the first in the file counts.
    known.sort_by_key(|(_, it)| it.len().abs_diff(asked.len()));
    known.truncate(MOST_COMPARED);
    let likeness = |it: &[String]| {
        let common = difference::common(it, &asked);
        // In millionths: what is common, of all that there is.
        common * 2_000_000 / (it.len() + asked.len()).max(1)
    };
    let nearest = known
        .iter()
        .min_by_key(|(index, it)| (std::cmp::Reverse(likeness(it)), *index));
    let Some((record, nearest)) = nearest else {
        return "it holds no records".to_owned();
    };
    let mut text = format!(
        "the nearest is line {} (- recorded, + asked)\n",
        line_of(*record)
    );
    difference::write(nearest, &asked, &mut text);
    text.truncate(text.trim_end().len());
    text
}

/// A request as lines to compare: a line for each value, and each line of a text by itself.
fn lines(request: &Value) -> Vec<String> {
    let mut all = Vec::new();
    if let Value::Object(fields) = request {
        for (name, value) in fields {
            match value.as_array().filter(|_| name == "messages") {
                Some(messages) => messages.iter().for_each(|it| message(it, &mut all)),
                None => field(name, value, 0, &mut all),
            }
        }
    }
    all
}

/// A message is written under its speaker.
fn message(message: &Value, lines: &mut Vec<String>) {
    let role = message["role"].as_str().unwrap_or_default();
    field(role, &message["content"], 0, lines);
}

fn field(name: &str, value: &Value, depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            lines.push(format!("{indent}{name}:"));
            for (name, value) in fields {
                field(name, value, depth + 1, lines);
            }
        }
        Value::Array(items) if items.iter().any(|it| it.is_object() || it.is_array()) => {
            lines.push(format!("{indent}{name}:"));
            for item in items {
                field("-", item, depth + 1, lines);
            }
        }
        Value::String(text) if text.contains('\n') => {
            lines.push(format!("{indent}{name}:"));
            lines.extend(text.lines().map(|it| format!("{indent}  {it}")));
        }
        Value::String(text) => lines.push(format!("{indent}{name}: {text}")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            lines.push(format!("{indent}{name}: {value}"))
        }
    }
}
