//! Values that observers do not see: those of arguments that a prompt shows to its model, or a question to a person, and those that
//! have come into hidden places from outside. Wherever their texts come back, `***` takes their place.
//!
//! What is in a place that a type knows is hidden by its place (`codec::places`). This is for the rest, texts that a program or
//! a model has put together: there a hidden value is found by its text, if that is long enough to mean it.

mod arguments;

use std::cell::OnceCell;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use gsw_notation::duration;
use indexmap::IndexMap;
use serde_json::Value;

/// What observers see of a value that is hidden.
pub const REDACTED: &str = "***";

/// The fewest characters of a value that is found by its text: shorter ones are parts of too many words and numbers. A guess.
const SHORTEST: usize = 4;

/// How many texts of a run are looked for; of one that has more, all messages are hidden that could show one. A guess.
const MOST: usize = 10_000;

/// The texts of hidden values, and what observers see of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hidden {
    known: IndexMap<String, String>,
    /// Whether it is unknown what is hidden, so that everything is.
    hides_all: bool,
    finder: OnceCell<Option<AhoCorasick>>,
}

impl Hidden {
    /// Hides also what the other hides.
    pub(crate) fn join(&mut self, other: &Self) {
        self.hides_all |= other.hides_all;
        for (text, shown) in &other.known {
            if !self.known.contains_key(text) {
                self.known.insert(text.clone(), shown.clone());
                self.finder.take();
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty() && !self.hides_all
    }

    /// Hides a value that has come into a hidden place.
    pub(crate) fn add(&mut self, value: &Value) {
        if self.known.len() < MOST {
            self.add_value(value);
        } else {
            self.hides_all = true;
        }
    }

    /// Both are the same value, once whole and once as observers see it.
    pub(crate) fn add_values(&mut self, whole: &Value, shown: &Value) {
        match (whole, shown) {
            (Value::Object(whole), Value::Object(shown)) => {
                for (name, value) in whole {
                    self.add_values(value, shown.get(name).unwrap_or(&Value::Null));
                }
            }
            (Value::Array(whole), Value::Array(shown)) if whole.len() == shown.len() => {
                for (value, shown) in whole.iter().zip(shown) {
                    self.add_values(value, shown);
                }
            }
            (whole, shown) if whole == shown => {}
            (whole, _) => self.add_value(whole),
        }
    }

    fn add_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                // As it is, and inside of JSON.
                let quoted = value.to_string();
                self.add_text(text);
                self.add_text(&quoted[1..quoted.len() - 1]);
            }
            Value::Number(number) => {
                let text = number.to_string();
                // A duration is a number in JSON, and has units in a text of the program.
                if let Some(length) = as_duration(&text) {
                    self.add_text(&length);
                }
                self.add_text(&text);
            }
            Value::Array(items) => {
                self.add_text(&value.to_string());
                items.iter().for_each(|it| self.add_value(it));
            }
            Value::Object(fields) => {
                self.add_text(&value.to_string());
                fields.values().for_each(|it| self.add_value(it));
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        if text.chars().nth(SHORTEST - 1).is_some() {
            let is_new = self.known.insert(text.to_owned(), REDACTED.to_owned());
            if is_new.is_none() {
                self.finder.take();
            }
        }
    }

    /// Replaces them in `value`.
    pub(crate) fn redact(&self, value: Value) -> Value {
        if self.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.redact_text(text)),
            Value::Array(items) => items.into_iter().map(|it| self.redact(it)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, it)| (name, self.redact(it)))
                .collect(),
            Value::Number(number) => {
                let text = number.to_string();
                match self.hides_all || self.known.contains_key(&text) {
                    // A number is compared as a whole: within a larger one it would hide parts of other numbers.
                    true => REDACTED.into(),
                    false => Value::Number(number),
                }
            }
            Value::Null | Value::Bool(_) => value,
        }
    }

    /// The value with the hidden texts replaced; numbers stay, so that it keeps its type.
    pub(crate) fn redact_texts(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact_text(text)),
            Value::Array(items) => items.into_iter().map(|it| self.redact_texts(it)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, it)| (name, self.redact_texts(it)))
                .collect(),
            Value::Number(_) | Value::Null | Value::Bool(_) => value,
        }
    }

    /// Replaces them in `text`.
    pub(crate) fn redact_text(&self, text: String) -> String {
        if self.is_empty() {
            return text;
        }
        if self.hides_all {
            return REDACTED.into();
        }
        let Some(finder) = self.finder.get_or_init(|| finder(&self.known)) else {
            // Too many secrets for one automaton: rather all of the text than one secret.
            return REDACTED.into();
        };
        if !finder.is_match(&text) {
            return text;
        }
        let shown: Vec<&str> = self.known.values().map(String::as_str).collect();
        finder.replace_all(&text, &shown)
    }
}

/// How a program writes the duration that a number of JSON may be.
fn as_duration(number: &str) -> Option<String> {
    duration::from_seconds_text(number).map(duration::text)
}

/// Finds the longest of the texts that begin at a place, so that a part of one leaves nothing of the other. `None` when they are
/// more than it can hold.
fn finder(known: &IndexMap<String, String>) -> Option<AhoCorasick> {
    let texts = known.keys();
    AhoCorasick::builder()
        // A text may be long and repeat itself: the faster automata, which are chosen for few texts, take quadratic time to make.
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .match_kind(MatchKind::LeftmostLongest)
        .build(texts)
        .ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Hidden;

    /// What a model asks to be spawned with is hidden, so it chooses this text.
    #[test]
    fn a_long_text_that_repeats_itself_is_found_in_time_that_grows_with_it() {
        let long = "=".repeat(400_000);
        let mut hidden = Hidden::default();
        hidden.add_values(&json!({ "note": long }), &json!({ "note": "***" }));
        assert_eq!(hidden.redact_text(format!("a {long} b")), "a *** b");
        assert_eq!(hidden.redact_text("a == b".into()), "a == b");
    }
}
