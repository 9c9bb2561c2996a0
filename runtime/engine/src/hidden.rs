//! Values that observers do not see: those of arguments that a prompt shows to its model, or a question to a person, and those that
//! have come into hidden places from outside. Wherever their texts come back, `***` takes their place.
//!
//! What is in a place that a type knows is hidden by its place (`codec::places`). This is for the rest, texts that a program or
//! a model has put together: there a hidden value is found by its text, if that is long enough to mean it.

mod arguments;
pub(crate) mod words;

use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use gsw_notation::duration;
use indexmap::IndexMap;
use serde_json::Value;

use crate::hidden::words::{CUT, SHOWN, one_line};

/// What observers see of a value that is hidden.
pub const REDACTED: &str = "***";

/// The fewest characters of a value that is found by its text: shorter ones are parts of too many words and numbers. A guess.
const SHORTEST: usize = 4;

/// How many texts of a run are looked for; of one that has more, all messages are hidden that could show one. A guess.
const MOST: usize = 10_000;

/// What observers do not see of a run, for texts about it that others make.
#[derive(Clone, Debug)]
pub struct Hiding(pub(crate) Arc<Hidden>);

impl Hiding {
    /// A text as observers see it.
    #[must_use]
    pub fn text(&self, text: String) -> String {
        self.0.redact_text(text)
    }
}

/// The texts of hidden values, and what observers see of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hidden {
    known: IndexMap<String, String>,
    /// Whether it is unknown what is hidden, so that everything is.
    hides_all: bool,
    finder: OnceLock<Option<AhoCorasick>>,
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
            // A few words about an operation have it in one line.
            for text in [text.to_owned(), one_line(text)] {
                if self.known.insert(text, REDACTED.to_owned()).is_none() {
                    self.finder.take();
                }
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

    /// Replaces them in a few words about an operation, also the beginning of one in which the words were cut.
    pub(crate) fn redact_summary(&self, words: &str) -> String {
        let text = self.redact_text(words.to_owned());
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some((part, behind)) = rest.split_once(CUT) {
            match without_beginning(part, &self.known) {
                Some(before) => out.extend([before, REDACTED]),
                None => out.push_str(part),
            }
            out.push(CUT);
            rest = behind;
        }
        out + rest
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

/// A part of a text that was cut behind it, without the beginning of a hidden text that is left there.
fn without_beginning<'a>(part: &'a str, known: &IndexMap<String, String>) -> Option<&'a str> {
    let starts = part.char_indices().rev().map(|(start, _)| start);
    // The first characters alone are parts of too many words, and no more than this is left of any.
    let starts = starts.take(SHOWN).skip(SHORTEST - 1);
    let starts = starts.filter(|it| {
        let left = &part[*it..];
        known.keys().any(|text| text.starts_with(left))
    });
    starts.last().map(|it| &part[..it])
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

    /// What is left of a long text, and of several lines, is hidden like the whole.
    #[test]
    fn words_that_were_cut_do_not_end_with_the_beginning_of_what_is_hidden() {
        let mut hidden = Hidden::default();
        hidden.add(&json!("correct-horse-battery"));
        hidden.add(&json!("BEGIN KEY\nabcdef\nEND KEY"));
        let shown = |words| hidden.redact_summary(words);
        assert_eq!(shown("exec a corre…"), "exec a ***…");
        assert_eq!(shown("exec a correct-horse-battery b…"), "exec a *** b…");
        assert_eq!(
            shown("call(x corr…, y BEGIN KEY abc…)"),
            "call(x ***…, y ***…)"
        );
        assert_eq!(shown("exec BEGIN KEY abcdef END KEY"), "exec ***");
        assert_eq!(shown("exec a cor…"), "exec a cor…");
        assert_eq!(shown("exec corrects…"), "exec corrects…");
    }
}
