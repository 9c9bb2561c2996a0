//! Where two values differ that should be equal, part by part, for people who compare long ones.

use std::fmt::Write;

use gsw_notation::json::written;
use serde_json::Value;

/// The most differences that are shown.
const MOST: usize = 10;
/// How many characters of each side are shown.
const SHOWN: usize = 200;
/// Texts of this many characters are compared at a glance.
const GLANCE: usize = 60;
/// Of longer ones this much is shown before and after the place where they part.
const AROUND: usize = 30;

/// A line for each part that differs, each begun by a line break; empty when the values have no parts in common.
pub(super) fn difference(left: &str, right: &str) -> String {
    let tree = |text| written(text).unwrap_or_default();
    let (left, right) = (tree(left), tree(right));
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), Some(&left), Some(&right))];
    while let Some((path, left, right)) = waiting.pop() {
        let before = waiting.len();
        match (left, right) {
            (Some(left), Some(right)) if left == right => {}
            (Some(Value::Object(left)), Some(Value::Object(right))) => {
                let more = right.keys().filter(|it| !left.contains_key(*it));
                for key in left.keys().chain(more) {
                    waiting.push((format!("{path}.{key}"), left.get(key), right.get(key)));
                }
            }
            (Some(Value::Array(left)), Some(Value::Array(right))) => {
                for index in 0..left.len().max(right.len()) {
                    waiting.push((
                        format!("{path}[{index}]"),
                        left.get(index),
                        right.get(index),
                    ));
                }
            }
            (left, right) => found.push((path, left, right)),
        }
        // What was found last is compared first.
        waiting[before..].reverse();
    }
    if let [(path, Some(Value::String(left)), Some(Value::String(right)))] = found.as_slice()
        && path.is_empty()
    {
        return match Parting::of(left, right) {
            Some(it) => format!("\n  differs at {it}"),
            None => String::new(),
        };
    }
    if found.iter().any(|it| it.0.is_empty()) {
        return String::new();
    }
    let mut text = String::new();
    for (path, left, right) in found.iter().take(MOST) {
        let path = path.trim_start_matches('.');
        if let (Some(Value::String(left)), Some(Value::String(right))) = (left, right)
            && let Some(parting) = Parting::of(left, right)
        {
            let _ = write!(text, "\n  differs at {path}, {parting}");
            continue;
        }
        let (left, right) = (shown(*left), shown(*right));
        let _ = write!(text, "\n  differs at {path}: left {left}, right {right}");
    }
    if found.len() > MOST {
        let _ = write!(text, "\n  … and at {} other places", found.len() - MOST);
    }
    text
}

/// Where two texts part that are too long to see it: in which line or at which character, and what each has there.
struct Parting {
    place: String,
    left: String,
    right: String,
}

impl Parting {
    /// `None` where both are short enough to be compared at a glance.
    fn of(left: &str, right: &str) -> Option<Self> {
        let pairs = left.chars().zip(right.chars());
        let same = pairs.take_while(|(left, right)| left == right).count();
        let before: String = left.chars().take(same).collect();
        let line = before.matches('\n').count();
        if left.contains('\n') || right.contains('\n') {
            let line_of = |text: &str| text.split('\n').nth(line).map(str::to_owned);
            let column = before.chars().rev().take_while(|it| *it != '\n').count();
            let at = |text: &str| match line_of(text) {
                Some(line) => quoted(&line, column),
                None => "ends before it".to_owned(),
            };
            return Some(Self {
                place: format!("line {}", line + 1),
                left: at(left),
                right: at(right),
            });
        }
        let longest = left.chars().count().max(right.chars().count());
        (longest > GLANCE).then(|| Self {
            place: format!("character {}", same + 1),
            left: quoted(left, same),
            right: quoted(right, same),
        })
    }
}

impl std::fmt::Display for Parting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { place, left, right } = self;
        write!(f, "{place}: left {left}, right {right}")
    }
}

/// What a text of one line has around a character.
fn quoted(text: &str, at: usize) -> String {
    let first = at.saturating_sub(AROUND);
    let cut: String = text.chars().skip(first).take(2 * AROUND).collect();
    let (before, after) = (
        if first > 0 { "…" } else { "" },
        if text.chars().count() > first + 2 * AROUND {
            "…"
        } else {
            ""
        },
    );
    format!("{}", Value::String(format!("{before}{cut}{after}")))
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "has nothing there".to_owned();
    };
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn parts_are_named_in_order_and_whole_values_are_not() {
        let text = difference(
            r#"{"a":1,"b":{"c":[1,2]},"d":1}"#,
            r#"{"a":1,"b":{"c":[1,3,4]}}"#,
        );
        assert_eq!(
            text,
            "\n  differs at b.c[1]: left 2, right 3\n  differs at b.c[2]: left has nothing there, right 4\n  differs at d: left 1, right has nothing there"
        );
        assert_eq!(difference("1", "2"), "");
        assert_eq!(difference(r#""abc""#, r#""abd""#), "");
        assert_eq!(
            difference(r#""one\ntwo\nthree""#, r#""one\ntwos""#),
            "\n  differs at line 2: left \"two\", right \"twos\""
        );
        let long = "é".repeat(100);
        let [left, right] = ["a", "b"].map(|it| serde_json::json!([format!("{long}{it}{long}")]));
        let around = "é".repeat(30);
        assert_eq!(
            difference(&left.to_string(), &right.to_string()),
            format!(
                "\n  differs at [0], character 101: left \"…{around}a{}…\", right \"…{around}b{}…\"",
                &around[2..],
                &around[2..]
            )
        );
        assert_eq!(difference("[1]", "{}"), "");
    }
}
