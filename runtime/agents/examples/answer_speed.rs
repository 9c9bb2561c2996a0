//! Prints how many megabytes of an answer are read in a second of processor time, leniently and exactly, and how many `serde_json` reads; the check
//! of the type, which is the engine's, is not measured. `cargo run --release -p gsw-agents --example answer_speed`

#[path = "reader/machine.rs"]
mod machine;

use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use machine::Reader;

/// The time that one measurement takes at least.
const LEAST: Duration = Duration::from_millis(500);

fn main() {
    let schema = json!({ "type": "array", "items": {
        "type": "object",
        "properties": {
            "title": { "type": "string" },
            "line": { "type": "integer" },
            "severity": { "type": "string", "enum": ["Low", "Medium", "High"] },
            "confidence": { "type": "number" },
            "tags": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["title", "line", "severity", "confidence", "tags"],
        "additionalProperties": false,
    } });
    println!(
        "{:24} {:>8} {:>8} {:>10}",
        "MB/s", "lenient", "exact", "serde_json"
    );
    for (name, items) in [("24 kB", 150), ("1 MB", 6_500)] {
        let value = answer(items);
        let compact = value.to_string();
        let pretty = serde_json::to_string_pretty(&value).unwrap_or_default();
        let fenced = format!("Here it is:\n```json\n{pretty}\n```");
        let unquoted = compact
            .replace("\"title\"", "title")
            .replace("\"line\"", "line");
        let other_case = compact
            .replace("\"title\"", "\"Title\"")
            .replace("\"line\"", "\"Line\"");
        let texts = [
            ("clean", &compact, Reads::Both),
            ("pretty", &pretty, Reads::Both),
            ("in a block of code", &fenced, Reads::Leniently),
            ("unquoted keys", &unquoted, Reads::Leniently),
            ("keys in other case", &other_case, Reads::Leniently),
        ];
        for (what, text, reads) in texts {
            let lenient = Reader::new(&schema, "lenient");
            let exact = Reader::new(&schema, "exact");
            let lenient = speed(text, || lenient.read(text, |_| Ok(())).is_ok());
            let (exact, serde) = match reads {
                Reads::Both => {
                    let exact = speed(text, || exact.read(text, |_| Ok(())).is_ok());
                    let serde = speed(text, || serde_json::from_str::<Value>(text).is_ok());
                    (format!("{exact:.0}"), format!("{serde:.0}"))
                }
                Reads::Leniently => ("-".into(), "-".into()),
            };
            println!(
                "{:24} {lenient:>8.0} {exact:>8} {serde:>10}",
                format!("{name}, {what}")
            );
        }
    }
}

#[derive(Clone, Copy)]
enum Reads {
    Both,
    Leniently,
}

fn answer(items: usize) -> Value {
    let severities = ["Low", "Medium", "High"];
    let item = |index: usize| {
        let severity = severities[index % 3];
        json!({
            "title": format!("The loop in function number {index} runs one time too often when the list is empty."),
            "line": index * 7,
            "severity": severity,
            "confidence": 0.25 + (index % 4) as f64 / 8.0,
            "tags": ["loop", "off by one"],
        })
    };
    (0..items).map(item).collect()
}

/// In megabytes per second.
fn speed(text: &str, mut read: impl FnMut() -> bool) -> f64 {
    assert!(read(), "the answer fits");
    let (begin, used, mut count) = (Instant::now(), processor(), 0_u32);
    while begin.elapsed() < LEAST {
        std::hint::black_box(read());
        count += 1;
    }
    f64::from(count) * text.len() as f64 / 1e6 / (processor() - used).as_secs_f64()
}

/// The time that this process has had a processor for, where the system says so; else the time of day.
fn processor() -> Duration {
    let said = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = said.and_then(|it| it.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(
        || SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default(),
        Duration::from_nanos,
    )
}
