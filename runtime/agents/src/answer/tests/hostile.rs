//! Answers that are made to be hard to read: the work is counted, so that it cannot hide in a fast machine.

use std::time::{Duration, Instant};

use gsw_notation::issue::Issue;
use serde_json::{Value, json};

use super::{counted, read};
use crate::answer::read_counted;
use crate::answer::work::Work;
use crate::settings::Exactness;

/// Texts of about this size that make a reader look at everything again and again if it ever goes back.
fn wound(size: usize) -> Vec<String> {
    let patterns = [
        "[",
        "{",
        "{\"a\":",
        "\"",
        "\\",
        "\"\\",
        "`",
        "```json\n",
        "```json\n{\n",
        "``` ",
        "```\n",
        "\"\"\"",
        "'''x",
        "[1,",
        "[{},",
        "{\"a\":[",
        "[\"a [1] ",
        "[\"\\\"",
        "{\"a\": 1 \"a\": ",
        "[a /**/ b ",
        "[1 \"a\": ",
        "\"   ",
        "'\"`",
        "{a",
        "[a",
        "{'a': // x\n",
        "[/*",
        "{#",
        "<think>",
        "</think>\n",
        "<think></think>",
        "<",
        "- a\n",
        "{\"a\": 1}\n",
        "[1] ",
        "(",
        "a: ",
        "{\"t\": \"x\" \"",
        "[\"a\", \"b\" ",
        "{\"t\": {\"t\": 1}, ",
        "[[1], ",
        "\u{a0}",
        ",",
        "{\"t\": \"a, \"b\", ",
        ":",
        "\"+",
    ];
    let texts = patterns.iter().flat_map(|it| {
        let text = it.repeat(size / it.len());
        [
            format!("[{text}"),
            format!("{{\"t\": {text}"),
            format!("{{\"t\": \"{text}"),
            format!("{text}]"),
            format!("```\n{text}\n```"),
            text,
        ]
    });
    texts.collect()
}

fn schemas() -> Vec<Value> {
    let tree = json!({"$ref": "#/$defs/T", "$defs": {"T": {"type": "object", "properties": {
        "t": {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "array", "items": {"$ref": "#/$defs/T"}}, {"type": "null"}]},
        "a": {"type": "integer"},
    }, "required": ["a"]}}});
    vec![
        json!({"type": "integer"}),
        json!({"type": "array", "items": {"type": "integer"}}),
        json!({"type": "array", "items": tree["$defs"]["T"].clone(), "$defs": tree["$defs"].clone()}),
        json!({}),
        tree,
    ]
}

#[test]
fn work_grows_with_the_answer_alone() {
    // What may be spent before reading gives up, and what finishing may add to it.
    const MOST: u64 = 40;
    for text in wound(4_000) {
        for schema in schemas() {
            for exactness in [Exactness::Lenient, Exactness::KeepValid] {
                let (_, work) = counted(&text, &schema, exactness);
                let most = MOST * (text.len() as u64 + 1_000);
                let begin: String = text.chars().take(20).collect();
                assert!(
                    work <= most,
                    "{work} units for {} bytes of {begin}",
                    text.len()
                );
            }
        }
    }
}

#[test]
fn a_megabyte_of_anything_ends() {
    let schema = json!({"type": "array", "items": {"type": "integer"}});
    for pattern in [
        "[",
        "{\"a\":",
        "\"",
        "\\",
        "```json\n",
        "{\"a\": 1} ",
        "[1] ",
        "'\"`",
    ] {
        let text = pattern.repeat(1_000_000 / pattern.len());
        let (_, work) = counted(&text, &schema, Exactness::Lenient);
        assert!(work <= 20 * text.len() as u64, "{work} units for {pattern}");
    }
}

#[test]
fn words_before_brackets_are_looked_for_once() {
    let schema = json!({"type": "array", "items": {"type": "integer"}});
    let time = |brackets: usize| {
        let text = format!("{}x {}", ".".repeat(300_000), "[ ".repeat(brackets));
        let begun = Instant::now();
        let (_, work) = counted(&text, &schema, Exactness::Lenient);
        assert!(work <= 20 * text.len() as u64, "{work} units");
        begun.elapsed()
    };
    // The work that is counted is the same for either, but for the brackets.
    let (few, many) = (time(4), time(400));
    assert!(
        many < 10 * few + Duration::from_millis(200),
        "{few:?}, {many:?}"
    );
    for text in ["```json\n[1, [2", "...[1, [2"] {
        assert!(read(text, &schema, Exactness::Lenient).is_err(), "{text}");
    }
}

#[test]
fn choices_in_choices_are_looked_at_once() {
    let inner = json!({"$ref": "#/$defs/E"});
    let variant = |name: &str| json!({"type": "object", "properties": {name: inner, "b": inner}});
    let branches = [
        variant("a"),
        variant("c"),
        variant("d"),
        json!({"type": "array", "items": {"type": "integer"}}),
    ];
    let schema = json!({"$ref": "#/$defs/E", "$defs": {"E": {"anyOf": branches}}});
    let mut text = format!("[{}\"x y\"]", "1, ".repeat(10_000));
    for _ in 0..100 {
        text = format!("{{\"b\": {text}}}");
    }
    // A check that tries all choices, as that of the other tests does, would never end.
    let mut check = |_: &Value| Err(vec![Issue::new("$".into(), "x".into(), "y".into())]);
    let work = Work::on(&text);
    assert!(read_counted(&text, &schema, Exactness::Lenient, &mut check, &work).is_err());
    let work = work.done();
    assert!(work < 10 * text.len() as u64, "{work}");
}

#[test]
fn nesting_has_its_limit_and_garbage_its_issue() {
    let any = json!({});
    let deep = |count| format!("{}{}", "[".repeat(count), "]".repeat(count));
    assert!(read(&deep(512), &any, Exactness::Exact).is_ok());
    assert!(read(&deep(513), &any, Exactness::Exact).is_err());
    assert!(read(&deep(513), &any, Exactness::Lenient).is_err());
    for text in ["", "no idea", "\u{feff}", "<think>", "```", "{", "[", "\""] {
        for schema in schemas() {
            let issues = read(text, &schema, Exactness::Lenient).expect_err("no answer");
            assert!(issues[0].path.starts_with('$'));
        }
    }
}
