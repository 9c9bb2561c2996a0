//! Reads answers that are hard to read, in three sizes, and prints the nanoseconds a byte of each: they stay the same where
//! the time is in proportion to the text. `read_answers`

#[path = "reader/machine.rs"]
mod machine;

use std::time::{Duration, Instant};

use gsw_notation::issue::Issue;
use serde_json::{Value, json};

use machine::Reader;

const PATTERNS: &[&str] = &[
    "```json\n",
    "```json\n{\n",
    "```\n",
    "[1,",
    "{\"a\":[",
    "[\"a [1] ",
    "{\"a\": 1 \"a\": ",
    "[a /**/ b ",
    "\"   ",
];
const SIZES: [usize; 3] = [100_000, 400_000, 1_600_000];

fn main() {
    let reader = Reader::new(&json!({ "type": "integer" }), "lenient");
    for pattern in PATTERNS {
        let costs = SIZES.map(|size| {
            let text = pattern.repeat(size / pattern.len());
            let took = read(&reader, &text);
            format!("{:.1}", took.as_nanos() as f64 / text.len() as f64)
        });
        println!("{:16} {}", format!("{pattern:?}"), costs.join("  "));
    }
}

/// How long an answer of this text takes from the model to the machine's next step.
fn read(reader: &Reader, text: &str) -> Duration {
    let refuse = |_: &Value| Err(vec![Issue::new("$".into(), "an int".into(), "none".into())]);
    let begin = Instant::now();
    // What it is read as is of no interest here.
    drop(reader.read(text, refuse));
    begin.elapsed()
}
