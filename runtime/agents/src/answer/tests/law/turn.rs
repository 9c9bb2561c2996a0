//! Turns one leaf of an answer into something else: a sign, a denial, digits that no float has, the `null` of another language.

use serde_json::Value;

use super::make::{Leaf, Random, Written};

/// An answer with one leaf turned.
pub struct Turned {
    pub text: String,
    /// What is now written there.
    pub written: String,
    /// What that is, if it is read at all.
    pub value: Value,
}

/// One of the ways in which a leaf of this kind can be turned.
pub fn turned(written: &Written, leaf: &Leaf, random: &mut Random) -> Turned {
    let own = leaf.value.to_string();
    let (written_now, value) = match &leaf.value {
        Value::String(text) => string(text, random),
        Value::Number(_) => number(&own, random),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            let sign = random.pick(&["!", "-", "~", "not ", "un", "<"]);
            let text = format!("{sign}{own}");
            let quoted = Value::from(text.as_str());
            match random.below(2) {
                0 => (text, quoted),
                _ => (quoted.to_string(), quoted),
            }
        }
    };
    let (before, after) = (&written.text[..leaf.start], &written.text[leaf.end..]);
    Turned {
        text: format!("{before}{written_now}{after}"),
        written: written_now,
        value,
    }
}

fn string(text: &str, random: &mut Random) -> (String, Value) {
    if random.below(4) == 0 {
        let word = *random.pick(&["None", "nil", "undefined", "NULL"]);
        return (word.into(), Value::Null);
    }
    let (before, after) = *random.pick(&[
        ("!", ""),
        ("-", ""),
        ("<", ""),
        ("> ", ""),
        ("~~", "~~"),
        ("", "?"),
        ("", "+"),
        ("", "#"),
        ("", ": false"),
        ("not ", ""),
        ("Not: ", ""),
        ("anything but ", ""),
        ("The opposite of: ", ""),
        ("I refuse to call it: ", ""),
        ("The answer is not ", ""),
    ]);
    let value = Value::from(format!("{before}{text}{after}"));
    (value.to_string(), value)
}

fn number(own: &str, random: &mut Random) -> (String, Value) {
    let digits = own.replace('.', "");
    let text = match random.below(6) {
        0 => format!("{digits}.4"),
        1 => format!("{digits}.00000000000000000000001"),
        2 => format!("9007199254740993.{digits}"),
        3 => format!("0.99999999999999999999{digits}"),
        4 => format!("-{digits}"),
        _ => format!("9007199254740993{digits}e-6"),
    };
    let number: Value = serde_json::from_str(&text).expect("it is a number of JSON");
    match random.below(2) {
        0 => (text, number),
        _ => (format!("\"{text}\""), number),
    }
}
