//! What models do to JSON, and what becomes of it.

mod corpus;
mod fits;
mod hostile;
mod law;
mod reference;

use gsw_notation::issue::Issue;
use serde_json::{Value, json};

use super::work::Work;
use super::{Reading, read_counted};
use crate::settings::Exactness;

/// Reads an answer with a check as strict as the engine's; gives the work as well.
fn counted(text: &str, schema: &Value, exactness: Exactness) -> (Result<Reading, Vec<Issue>>, u64) {
    let work = Work::on(text);
    let mut check = |it: &Value| fits::check(it, schema);
    let read = read_counted(text, schema, exactness, &mut check, &work);
    (read, work.done())
}

fn read(text: &str, schema: &Value, exactness: Exactness) -> Result<Reading, Vec<Issue>> {
    counted(text, schema, exactness).0
}

fn lenient(text: &str, schema: &Value) -> Reading {
    read(text, schema, Exactness::Lenient).unwrap_or_else(|it| panic!("{text}: {it:?}"))
}

/// The example of the essay.
#[test]
fn an_answer_near_to_json_is_read_and_its_repairs_are_named() {
    let schema = json!({"type": "object", "properties": {
        "line": {"type": "integer"},
        "severity": {"enum": ["Low", "High"]},
    }, "required": ["line", "severity"]});
    let reading = lenient(r#"Sure: {line: "12", severity: "HIGH"}"#, &schema);
    assert_eq!(reading.value, json!({"line": 12, "severity": "High"}));
    assert_eq!(
        reading.repairs,
        [
            "surrounding-text at $: left out `Sure:` before it",
            "unquoted-key at $.line: put the key in quotes",
            "unquoted-key at $.severity: put the key in quotes",
            "text-as-number at $.line: read \"12\" as 12",
            "near-word at $.severity: read \"HIGH\" as `High`",
        ]
    );
}

#[test]
fn what_fits_is_taken_as_it_is() {
    let odd = json!({"type": "string"});
    for text in [
        r#""{\"a\": 1,}""#,
        r#" "'single'" "#,
        r#""1,000""#,
        r#"" True ""#,
        r#""<think>x</think>""#,
        r#""\ud83d\ude00 \u00e4""#,
    ] {
        for exactness in [Exactness::Exact, Exactness::Lenient] {
            let reading = read(text, &odd, exactness).expect("it fits");
            let value: Value = serde_json::from_str(text).expect("JSON");
            assert_eq!((reading.value, reading.repairs.len()), (value, 0));
        }
    }
}

#[test]
fn nothing_of_a_hidden_field_is_in_a_repair_or_an_issue() {
    let schema = json!({"type": "object", "properties": {
        "user": {"type": "string"},
        "card": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"], "writeOnly": true},
    }, "required": ["user", "card"]});
    for text in [
        r#"It is s3cr3t: {user: "a", card: {number: "4000"}} s3cr3t"#,
        r#"{"user": "a", "card": {"number": 4000, "s3cr3t": "s3cr3t"}}"#,
        r#"{"user": "a", "other": 1, "card": {"number": "s3cr3t"}}"#,
        r#"{"user": "a", "card": {"number": 4000}, "kard": {"number": "s3cr3t"}}"#,
        r#"{"user": "a", "card": {"s3cr3t"#,
        r#"{"user": "a", "card": {"number": 4000, "number": "s3cr3t"}} // s3cr3t"#,
        r#"{"user": "a", "card": [{"number": 4000}, "s3cr3t"]}"#,
        r#"{"value": {"user": "a", "card": {"number": 4000}}, "other": "s3cr3t"}"#,
        "s3cr3t",
    ] {
        let said = match read(text, &schema, Exactness::Lenient) {
            Ok(reading) => reading.repairs.join("\n"),
            Err(issues) => format!("{issues:?}"),
        };
        assert!(
            !said.contains("s3cr3t") && !said.contains("4000"),
            "{text}: {said}"
        );
    }
}

#[test]
fn digits_are_kept_or_refused() {
    let any = json!({});
    let long = "123456789012345678901234567890";
    for text in [long, &format!("{{\"n\": {long}}}"), &format!("[{long},]")] {
        for exactness in [Exactness::Exact, Exactness::Lenient] {
            assert!(read(text, &any, exactness).is_err(), "{text}");
        }
    }
    let float = json!({"type": "number"});
    let reading = lenient("9007199254740993", &float);
    assert_eq!(
        reading.repairs,
        ["rounded-number at $: rounded 9007199254740993 to 9007199254740992"]
    );
    assert!(read("9007199254740993", &float, Exactness::Exact).is_err());
}

#[test]
fn exact_answers_have_no_other_keys() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer"},
        "b": {"anyOf": [{"type": "object", "properties": {"kind": {"const": "X"}, "c": {"type": "integer"}}, "required": ["kind"]}, {"type": "null"}]},
    }, "required": ["a"]});
    let exact = |text: &str| read(text, &schema, Exactness::Exact);
    assert!(exact(r#"{"a": 1, "b": {"kind": "X"}}"#).is_ok());
    let issues = exact(r#"{"a": 1, "b": {"kind": "X", "d": 1}}"#).expect_err("a key too many");
    assert_eq!(
        issues[0].message,
        "at $.b.d: expected no such key, found `d`"
    );
    // An optional record has no kind that says which branch it is.
    let sub = json!({"type": "object", "properties": {"c": {"type": "integer"}, "d": {"type": "integer"}}, "required": ["c"]});
    let optional = json!({"type": "array", "items": {"anyOf": [{"type": "null"}, {"anyOf": [sub]}, {"type": "integer"}]}});
    for exactness in [Exactness::Exact, Exactness::Lenient] {
        assert!(read(r#"[null, {"c": 1}, 2]"#, &optional, exactness).is_ok());
        let issues = read(r#"[{"c": 1, "e": 2}]"#, &optional, exactness).expect_err("`d` misspelt");
        assert_eq!(issues[0].path, "$[0].e");
    }
    let named = lenient(r#"[{"c": 1, "d": 2, "e": 3}]"#, &optional).repairs;
    assert_eq!(named, ["dropped-key at $[0].e: left out 3"]);
    let issues = exact(r#"{"a": 1, "a": 1}"#).expect_err("a key twice");
    assert_eq!(
        issues[0].message,
        "at $: expected each key once, found \"a\" twice"
    );
    assert!(exact("{\"a\": 1,}").is_err() && exact("```json\n{\"a\": 1}\n```").is_err());
}
