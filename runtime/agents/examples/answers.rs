//! Reads answers from lines of JSON, `{"schema": …, "answer": …, "mode": "lenient"}`, and writes what each is read as,
//! `{"value": …, "repairs": […]}` or `{"issues": […]}`: what `tests/bench/peers/answers.py` compares with others.

#[path = "../src/answer/tests/fits.rs"]
mod fits;
#[path = "reader/machine.rs"]
mod machine;

use std::io::{BufRead, stdin};

use serde_json::{Value, json};

use machine::Reader;

fn main() {
    for line in stdin().lock().lines() {
        let line = line.expect("a line of text");
        let case: Value = serde_json::from_str(&line).expect("a line of JSON");
        let (Some(answer), Some(mode)) = (case["answer"].as_str(), case["mode"].as_str()) else {
            panic!("a case has an answer and a mode: {line}");
        };
        let schema = &case["schema"];
        let reading = Reader::new(schema, mode).read(answer, |it| fits::check(it, schema));
        let said = match reading {
            Ok(reading) => json!({ "value": reading.value, "repairs": reading.detail.repairs }),
            Err(issues) => {
                let issues: Vec<String> = issues.into_iter().map(|it| it.message).collect();
                json!({ "issues": issues })
            }
        };
        println!("{said}");
    }
}
