//! The record that resembles an unrecorded request most, and where the two differ.

use std::collections::HashMap;

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
    // In millionths: the share that both have in common.
    let share = |common: usize, all: usize| common * 2_000_000 / all.max(1);
    let asked_words = words(&asked);
    // Compared by lines, and by words where as many lines are equal: a changed line may be the only difference.
    let likeness = |it: &[String]| {
        let by_lines = share(difference::common(it, &asked), it.len() + asked.len());
        let of_it = words(it);
        let common = of_it.iter().map(|(word, count)| {
            let asked = asked_words.get(word).copied().unwrap_or_default();
            asked.min(*count)
        });
        let all = of_it.values().chain(asked_words.values()).sum();
        (by_lines, share(common.sum(), all))
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

/// How often each word occurs.
fn words(lines: &[String]) -> HashMap<&str, usize> {
    let mut words = HashMap::new();
    for word in lines.iter().flat_map(|it| it.split_whitespace()) {
        *words.entry(word).or_default() += 1;
    }
    words
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::describe;
    use crate::cassette::Cassette;

    #[test]
    fn of_records_with_as_many_lines_in_common_the_words_decide() {
        let asks = |mail: &str| json!({ "messages": [{ "role": "user", "content": mail }] });
        let record = |mail: &str| json!({ "test": "t", "prompt": "p", "request": asks(mail), "given_up": true });
        let lines = [
            json!({ "cassette": 1 }),
            record("Label this mail: win money"),
            record("Label this mail: hello you"),
        ];
        let text: String = lines.iter().map(|it| format!("{it}\n")).collect();
        let path = std::env::temp_dir().join(format!("gsw-nearest-{}.jsonl", std::process::id()));
        std::fs::write(&path, text).expect("it can be written");
        let cassette = Cassette::read(&path);
        std::fs::remove_file(&path).expect("it was just written");
        let cassette = cassette.expect("it is a cassette");
        let told = describe(&cassette, &asks("Label this e-mail: hello you"));
        assert!(told.starts_with("the nearest is line 3"), "{told}");
    }
}
