//! Where two values differ that should be equal, part by part, for people who compare long ones.

use std::fmt::Write;

use serde_json::Value;

/// So many differences are shown.
const MOST: usize = 10;
/// So many characters of each side.
const SHOWN: usize = 200;

/// A line for each part that differs, each begun by a line break; empty when the values have no parts in common.
pub(super) fn difference(left: &str, right: &str) -> String {
    let tree = |text| serde_json::from_str::<Value>(text).unwrap_or_default();
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
        // What was found last is looked at first.
        waiting[before..].reverse();
    }
    if found.iter().any(|it| it.0.is_empty()) {
        return String::new();
    }
    let mut text = String::new();
    for (path, left, right) in found.iter().take(MOST) {
        let path = path.trim_start_matches('.');
        let (left, right) = (shown(*left), shown(*right));
        let _ = write!(text, "\n  differs at {path}: left {left}, right {right}");
    }
    if found.len() > MOST {
        let _ = write!(text, "\n  … and at {} other places", found.len() - MOST);
    }
    text
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
        assert_eq!(difference("[1]", "{}"), "");
    }
}
