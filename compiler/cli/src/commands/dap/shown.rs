//! What is shown of a paused run: frames, names and parts of values, by the numbers that the client is given.

use std::sync::Arc;

use gsw_notation::duration;
use serde_json::{Map, Value, json};

/// The most characters of a value in one line.
const LINE: usize = 200;

/// What the client has a number for; they hold until the run resumes.
#[derive(Debug, Default)]
pub struct Shown {
    /// By number less one: the task and the frame, counted from the innermost.
    frames: Vec<(u32, usize)>,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub enum Part {
    /// The names in scope in a frame.
    Scope(u32, usize),
    Value(Arc<Value>),
}

/// A name in scope and what it holds.
pub struct Named {
    pub name: String,
    /// As in source.
    pub ty: String,
    pub value: Value,
}

impl Shown {
    pub fn frame_number(&mut self, task: u32, frame: usize) -> usize {
        self.frames.push((task, frame));
        self.frames.len()
    }

    pub fn frame(&self, number: usize) -> Option<(u32, usize)> {
        self.frames.get(number.checked_sub(1)?).copied()
    }

    pub fn part_number(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len()
    }

    pub fn part(&self, number: usize) -> Option<Part> {
        self.parts.get(number.checked_sub(1)?).cloned()
    }

    /// A name in scope, as the client shows it.
    pub fn named(&mut self, it: Named) -> Value {
        let name = json!(it.name);
        let mut shown = self.of_type(it);
        shown.insert("name".into(), name);
        Value::Object(shown)
    }

    /// What a name holds, with the name's type: a duration as it is written, and what has no JSON form by its type.
    pub fn of_type(&mut self, it: Named) -> Map<String, Value> {
        let Named { name: _, ty, value } = it;
        let text = match &value {
            Value::Number(seconds) if ty.trim_end_matches('?') == "duration" => {
                duration::from_seconds_text(&seconds.to_string()).map(duration::text)
            }
            Value::Null if has_no_json(&ty) => Some(ty.clone()),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => None,
        };
        let mut shown = self.value(value);
        if let Some(text) = text {
            shown.insert("value".into(), json!(text));
        }
        shown.insert("type".into(), json!(ty));
        shown
    }

    /// A value as the client shows it, under a name.
    pub fn variable(&mut self, name: &str, value: Value) -> Value {
        let mut shown = self.value(value);
        shown.insert("name".into(), json!(name));
        Value::Object(shown)
    }

    /// A value without a name.
    pub fn value(&mut self, value: Value) -> Map<String, Value> {
        let mut shown = Map::new();
        shown.insert("value".into(), json!(line(&value)));
        shown.insert("type".into(), json!(kind(&value)));
        let (parts, hint) = match &value {
            Value::Array(them) => (them.len(), "indexedVariables"),
            Value::Object(them) => (them.len(), "namedVariables"),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (0, ""),
        };
        let mut number = 0;
        if parts > 0 {
            number = self.part_number(Part::Value(Arc::new(value)));
            shown.insert(hint.into(), json!(parts));
        }
        shown.insert("variablesReference".into(), json!(number));
        shown
    }

    /// The parts of a value: `count` of them from `start` on, or all without a count.
    pub fn parts(&mut self, of: &Value, start: usize, count: Option<usize>) -> Vec<Value> {
        let count = count.filter(|it| *it > 0).unwrap_or(usize::MAX);
        let pairs: Vec<(String, Value)> = match of {
            Value::Array(them) => {
                let numbered = them.iter().enumerate().skip(start).take(count);
                numbered
                    .map(|(index, it)| (format!("[{index}]"), it.clone()))
                    .collect()
            }
            Value::Object(them) => {
                let named = them.iter().skip(start).take(count);
                named.map(|(name, it)| (name.clone(), it.clone())).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        };
        let shown = pairs.into_iter();
        shown.map(|(name, it)| self.variable(&name, it)).collect()
    }
}

/// Whether values of a type are no data: `null` then stands for any of them.
fn has_no_json(ty: &str) -> bool {
    matches!(ty, "function" | "Session")
        || ["Task<", "Stream<", "Queue<"]
            .iter()
            .any(|it| ty.starts_with(it))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "none",
        Value::Bool(_) => "bool",
        Value::Number(it) if it.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "record",
    }
}

/// A value on one line, cut when it is long.
fn line(value: &Value) -> String {
    let text = match value {
        // The part of a large one that is not shown is not written.
        Value::Array(them) if them.len() > LINE => format!("[… {} elements]", them.len()),
        Value::Object(them) if them.len() > LINE => format!("{{… {} entries}}", them.len()),
        Value::Null => "none".to_owned(),
        Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => value.to_string(),
    };
    match text.char_indices().nth(LINE) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Shown;

    #[test]
    fn large_values_are_cut_and_opened_in_parts() {
        let mut shown = Shown::default();
        let list = json!((0..1000).collect::<Vec<_>>());
        let variable = shown.variable("xs", list.clone());
        assert_eq!(variable["value"], "[… 1000 elements]");
        assert_eq!(variable["indexedVariables"], 1000);
        let parts = shown.parts(&list, 10, Some(2));
        assert_eq!(parts[1]["name"], "[11]");
        assert_eq!(parts.len(), 2);
    }
}
