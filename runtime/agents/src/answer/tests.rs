//! What models do to JSON, and what becomes of it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use gsw_notation::issue::Issue;
use proptest::{prop_assert, proptest};
use serde_json::{Value, json};

use super::fit;
use super::{Reading, read};
use crate::settings::Exactness;

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "title": {"type": "string"},
        "line": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "severity": {"enum": ["Low", "Medium", "High"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    }, "required": ["title", "line", "severity", "tags"]})
}

fn fits(value: &Value, schema: &Value) -> bool {
    fit::fits(value, schema, schema, &Cell::new(u32::MAX))
}

fn issue(message: &str) -> Vec<Issue> {
    vec![Issue {
        path: "$".into(),
        expected: String::new(),
        found: String::new(),
        message: message.into(),
    }]
}

fn attempt(text: &str, schema: &Value, exactness: Exactness) -> Result<Reading, Vec<Issue>> {
    let mut check = |it: &Value| {
        if fits(it, schema) {
            Ok(())
        } else {
            Err(issue("does not fit"))
        }
    };
    read(text, Some(schema), exactness, &mut check)
}

fn lenient(text: &str, schema: &Value) -> Reading {
    attempt(text, schema, Exactness::Lenient).unwrap_or_else(|it| panic!("{text}: {it:?}"))
}

const BUG: &str = r#"{"title": "off by one", "line": 3, "severity": "High", "tags": ["a", "b"]}"#;

fn bug() -> Value {
    json!({"title": "off by one", "line": 3, "severity": "High", "tags": ["a", "b"]})
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
            "dropped text around the answer",
            "put quotes around a key",
            "$.line: read \"12\" as integer",
            "$.severity: read `HIGH` as `High`",
        ]
    );
}

#[test]
fn what_fits_is_taken_as_it_is() {
    let reading = lenient(&format!("\n {BUG} \n"), &schema());
    assert_eq!((reading.value, reading.repairs.len()), (bug(), 0));
    let odd = json!({"type": "string"});
    for text in [
        r#""{\"a\": 1,}""#,
        r#""'single'""#,
        r#""1,000""#,
        r#"" True ""#,
    ] {
        let reading = lenient(text, &odd);
        assert_eq!(
            reading.value,
            serde_json::from_str::<Value>(text).expect("JSON")
        );
        assert_eq!(reading.repairs.len(), 0);
    }
}

#[test]
fn syntax_is_mended_and_the_mend_is_named() {
    for (text, part) in [
        (format!("```json\n{BUG}\n```"), "block of code"),
        (
            format!("Here it is:\n{BUG}\nI hope it helps."),
            "text around",
        ),
        (
            format!("Draft: {{\"title\": 1}}. Answer: {BUG}"),
            "the last of several",
        ),
        (BUG.replace("]}", ",],}"), "trailing comma"),
        (BUG.replace('"', "'"), "single quotes"),
        (
            BUG.replacen('"', "“", 1).replacen('"', "”", 1),
            "typographic",
        ),
        (BUG.replace("\"title\"", "title"), "around a key"),
        (BUG.replace("\"High\"", "High"), "around a bare text"),
        (BUG.replace(", \"line\"", ", // which\n\"line\""), "comment"),
        (BUG.replace("3,", "3"), "missing comma"),
        (BUG.trim_end_matches(['}', ']']).to_owned(), "cut off"),
        (
            format!("{{\"title\": \"x\", {}", &BUG[1..]),
            "several fields of one name",
        ),
    ] {
        let reading = lenient(&text, &schema());
        assert_eq!(reading.value, bug(), "{text}");
        assert!(
            reading.repairs.concat().contains(part),
            "{:?}",
            reading.repairs
        );
        assert!(
            attempt(&text, &schema(), Exactness::Exact).is_err(),
            "{text}"
        );
    }
}

#[test]
fn strings_keep_what_is_in_them() {
    let text = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    for (given, expected) in [
        ("{\"a\": \"one\ntwo\"}", "one\ntwo"),
        (r#"{"a": "say "hi" to it"}"#, "say \"hi\" to it"),
        ("{'a': 'it's'}", "it's"),
        ("{\"a\": `x`}", "x"),
        ("{\"a\": \"\"\"x \"y\" z\"\"\"}", "x \"y\" z"),
        (r#"{"a": "\ud83d\ude00 \u00e4",}"#, "😀 ä"),
        ("{\"a\": \"```js\\nf()\\n```\",}", "```js\nf()\n```"),
    ] {
        assert_eq!(
            lenient(given, &text).value,
            json!({"a": expected}),
            "{given}"
        );
    }
}

#[test]
fn values_are_coerced_along_the_schema() {
    for (given, part) in [
        (BUG.replace('3', "\"3\""), "$.line: read"),
        (BUG.replace("High", "high!"), "read `high!` as `High`"),
        (BUG.replace("High", "I say it is HIGH"), "as `High`"),
        (
            BUG.replace("\"title\"", "\"Title\""),
            "key `Title` as `title`",
        ),
        (format!("{{\"bug\": {BUG}}}"), "object out of another"),
        (format!("[{BUG}]"), "only item"),
    ] {
        let reading = lenient(&given, &schema());
        assert_eq!(reading.value, bug(), "{given}");
        assert!(
            reading.repairs.concat().contains(part),
            "{:?}",
            reading.repairs
        );
    }
    let one = BUG.replace("[\"a\", \"b\"]", "\"a\"");
    assert_eq!(lenient(&one, &schema()).value["tags"], json!(["a"]));
}

#[test]
fn bare_answers_are_read_by_their_type() {
    for (schema, text, expected) in [
        (json!({"enum": ["spam", "ham"]}), "**Spam**.", json!("spam")),
        (
            json!({"enum": ["spam", "ham"]}),
            "It is ham, I think",
            json!("ham"),
        ),
        (json!({"type": "integer"}), "```\n42\n```", json!(42)),
        (json!({"type": "integer"}), "1,234", json!(1234)),
        (json!({"type": "boolean"}), "Yes.", json!(true)),
        (
            json!({"type": "array", "items": {"type": "integer"}}),
            "{\"value\": [1]}",
            json!([1]),
        ),
    ] {
        let reading = lenient(text, &schema);
        assert_eq!(reading.value, expected, "{text}");
        assert!(!reading.repairs.is_empty());
    }
    let either = json!({"enum": ["spam", "ham"]});
    assert!(attempt("spam or ham", &either, Exactness::Lenient).is_err());
}

#[test]
fn nesting_has_its_limit_and_garbage_its_issue() {
    let any = json!({});
    let deep = |count| format!("{}{}", "[".repeat(count), "]".repeat(count));
    assert!(attempt(&deep(512), &any, Exactness::Exact).is_ok());
    assert!(attempt(&deep(513), &any, Exactness::Exact).is_err());
    for text in [
        "",
        "no idea",
        &"[".repeat(100_000),
        &"{\"a\":".repeat(50_000),
        "\u{feff}",
    ] {
        let issues = attempt(text, &schema(), Exactness::Lenient).expect_err("no answer");
        assert_eq!(issues[0].path, "$");
    }
}

#[test]
fn large_and_wound_answers_end() {
    let any = json!({"type": "integer"});
    for text in [
        "word ".repeat(200_000),
        format!("[{}", "a, ".repeat(200_000)),
        "{\"a\": \"".repeat(50_000),
        "```".repeat(100_000),
        "\"\"\"".repeat(100_000),
        "[1] ".repeat(100_000),
        "{'a': // x\n".repeat(50_000),
    ] {
        // Whether something can be read in it is of no interest here.
        drop(attempt(&text, &any, Exactness::Lenient));
    }
    let operand = json!({"$ref": "#/$defs/E"});
    let variant = |name: &str| {
        json!({"type": "object", "properties":
            {"a": operand, "kind": {"const": name}, "x": {"type": "integer"}},
            "required": ["a", "kind", "x"]})
    };
    let names = ["Add", "Sub", "Mul", "Div"];
    let mut branches: Vec<Value> = names.iter().map(|it| variant(it)).collect();
    branches.push(json!({"type": "integer"}));
    let schema = json!({"$ref": "#/$defs/E", "$defs": {"E": {"anyOf": branches}}});
    let mut value = json!("1");
    for _ in 0..60 {
        value = json!({"a": value, "kind": "Div", "x": 1});
    }
    let reading = lenient(&value.to_string(), &schema);
    assert_eq!(reading.repairs.len(), 1);
    let text = value.to_string().replace("\"Div\"", "\"none of them\"");
    assert!(attempt(&text, &schema, Exactness::Lenient).is_err());
}

/// Texts of about this size that make a reader look at everything again and again if it ever goes back.
fn wound(size: usize) -> Vec<String> {
    [
        "```json\n",
        "```json\n{\n",
        "``` ",
        "```\n",
        "``` \"\n",
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
    ]
    .iter()
    .flat_map(|it| {
        [
            it.repeat(size / it.len()),
            format!("[{}", it.repeat(size / it.len())),
        ]
    })
    .collect()
}

#[test]
fn reading_takes_time_in_proportion_to_the_text() {
    let any = json!({"type": "integer"});
    for text in wound(400_000) {
        let begin = Instant::now();
        drop(attempt(&text, &any, Exactness::Lenient));
        // A second at worst where nothing is optimized; going back at each place would take an hour.
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(60), "{took:?}: {}", &text[..20]);
    }
}

#[test]
fn choices_in_choices_around_much_that_does_not_fit_end() {
    let inner = json!({"$ref": "#/$defs/E"});
    let variant = |name: &str| json!({"type": "object", "properties": {name: inner, "b": inner}});
    let branches = [
        variant("a"),
        variant("c"),
        variant("d"),
        json!({"type": "array", "items": {"type": "integer"}}),
    ];
    let schema = json!({"$ref": "#/$defs/E", "$defs": {"E": {"anyOf": branches}}});
    let mut text = format!("[{}\"x y\"]", "1, ".repeat(100_000));
    for _ in 0..100 {
        text = format!("{{\"b\": {text}}}");
    }
    let begin = Instant::now();
    assert!(attempt(&text, &schema, Exactness::Lenient).is_err());
    assert!(begin.elapsed() < Duration::from_secs(120));
}

#[test]
fn whole_values_are_found_in_broken_ones_and_between_fences() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    for (text, expected) in [
        ("[[1], [2, 3], oh", json!([2, 3])),
        ("{\"a\": [1], \"a\": [2], \"b\": x", json!([2])),
        ("[8] [\"see [7]\", x", json!([8])),
        ("[ \"no end [7]", json!([7])),
        ("say [sic] and [[4] then", json!([4])),
        ("```json\n[1]\n``` or ```json\n[2]\n```", json!([2])),
        ("````json\n[6]\n````", json!([6])),
    ] {
        let reading = lenient(text, &list);
        assert_eq!(reading.value, expected, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_is_too_odd(text in "[\\[\\]{}:,\"'`“”/#*\\\\nu0-9a-c \n]{0,60}") {
        for schema in [schema(), json!({"type": "string"}), json!({"type": "array", "items": {"type": "integer"}})] {
            if let Ok(reading) = attempt(&text, &schema, Exactness::Lenient) {
                prop_assert!(fits(&reading.value, &schema));
                let is_exact = serde_json::from_str::<Value>(&text).is_ok_and(|it| it == reading.value);
                prop_assert!(is_exact || !reading.repairs.is_empty());
            }
        }
    }
}

/// Lists of bugs whose line is below 100; says what is wrong with each.
fn checked(text: &str, schema: &Value, exactness: Exactness) -> Result<Reading, Vec<Issue>> {
    let item = &schema["items"];
    let mut check = |it: &Value| {
        let Some(items) = it.as_array() else {
            return Err(issue("no list"));
        };
        let wrong = items.iter().enumerate().filter(|(_, it)| !fits(it, item));
        let issues: Vec<Issue> = wrong
            .map(|(index, it)| Issue::new(format!("$[{index}]"), "a bug".into(), it.to_string()))
            .collect();
        if issues.is_empty() {
            Ok(())
        } else {
            Err(issues)
        }
    };
    read(text, Some(schema), exactness, &mut check)
}

#[test]
fn items_that_do_not_fit_are_left_out_only_where_that_is_asked_for() {
    let schema = json!({"type": "array", "items": {"type": "object", "properties": {
        "line": {"type": "integer"}, "title": {"type": "string"},
    }, "required": ["line", "title"]}});
    let wrong = r#"[{"line": 1, "title": "a"}, {"line": "soon", "title": "b"}, {"title": "c"}, {"line": "4", "title": "d"}]"#;
    for exactness in [Exactness::Exact, Exactness::Lenient] {
        assert!(checked(wrong, &schema, exactness).is_err());
    }
    let keep = |text: &str| checked(text, &schema, Exactness::KeepValid);
    let left = json!([{"line": 1, "title": "a"}, {"line": 4, "title": "d"}]);
    let prose = format!("Here [1] they are: {wrong} See [2].");
    let broken = wrong.replace("}]", "},]").replace("\"title\"", "title");
    for text in [wrong, &prose, &broken, &format!("```json\n{wrong}\n```")] {
        let reading = keep(text).unwrap_or_else(|it| panic!("{text}: {it:?}"));
        assert_eq!(reading.value, left, "{text}");
        let paths: Vec<&str> = reading.dropped.iter().map(|it| &*it.path).collect();
        assert_eq!(paths, ["$[1]", "$[2]"], "{text}");
    }
    // What fits is not touched, and what has nothing that fits is an empty list only as a whole answer.
    let whole = keep(r#"[{"line": 1, "title": "a"}]"#).expect("it fits");
    assert!(whole.dropped.is_empty() && whole.repairs.is_empty());
    let empty = keep(r#"[{"title": "c"}]"#).expect("no item is left");
    assert_eq!((empty.value, empty.dropped.len()), (json!([]), 1));
    for text in [
        "I found nothing in [1] and [2].",
        r#"{"title": "c"}"#,
        "none",
        "",
    ] {
        assert!(keep(text).is_err(), "{text}");
    }
    // An answer that is cut loses the item that is not whole.
    let cut = keep(r#"[{"line": 1, "title": "a"}, {"line": 2, "ti"#).expect("one is whole");
    assert_eq!(cut.value, json!([{"line": 1, "title": "a"}]));
    assert_eq!(cut.dropped.len(), 1, "{cut:?}");
}
