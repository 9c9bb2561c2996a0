//! Makes up sentences and labels around a value: some say that it is the answer, some that it is not, most make no sense.

use serde_json::{Value, json};

use super::make::Random;

/// A sentence with a value in it.
pub struct Sentence {
    pub text: String,
    pub schema: Value,
    /// What it is, if it is read at all.
    pub value: Value,
    /// The words beside the value.
    pub words: Vec<&'static str>,
    /// Whether one of them may say that the value is not the answer.
    pub denies: bool,
}

const HARMLESS: &[&str] = &[
    "The", "answer", "is", "Final", "It", "category", "a", "I", "say", "my", "this", "as",
];
const DENYING: &[&str] = &[
    "not", "Not", "no", "never", "wrong", "Error", "opposite", "but", "low", "Reject", "nicht",
    "below", "unless", "42nd", "was", "isn't", "without", "!", "¬",
];

pub fn sentence(random: &mut Random) -> Sentence {
    let (schema, written, value) = match random.below(3) {
        0 => (json!({"type": "integer"}), "42", json!(42)),
        1 => (json!({"type": "boolean"}), "true", json!(true)),
        _ => (json!({"enum": ["Low", "High"]}), "high", json!("High")),
    };
    let mut denies = false;
    let mut words = Vec::new();
    for _ in 0..1 + random.below(4) {
        let is_denial = random.below(8) == 0;
        denies |= is_denial;
        words.push(*random.pick(if is_denial { DENYING } else { HARMLESS }));
    }
    let mut text = words.join(" ");
    let mark: &&str = random.pick(&[":", "", " -", ","]);
    let end: &&str = random.pick(&["", "."]);
    text.push_str(&format!("{mark} {written}{end}"));
    Sentence {
        text,
        schema,
        value,
        words,
        denies,
    }
}
