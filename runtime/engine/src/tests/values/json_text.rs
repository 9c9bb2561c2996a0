//! The strict parser, and the text of a value in another text.

use gsw_abi::builtin;
use gsw_abi::types::Type;
use gsw_notation::json::parse;
use serde_json::json;

use crate::codec;
use crate::codec::checker::NoFunctions;
use crate::codec::decode::decode;
use crate::tests::values::table::{Table, assert_empty, field};

#[test]
fn what_is_no_json_is_refused_with_a_place() {
    let cases = [
        (
            "",
            "$",
            "a JSON value",
            "the end of the text at line 1, column 1",
        ),
        (
            "[1,\n 2",
            "$",
            "`,`",
            "the end of the text at line 2, column 3",
        ),
        (
            "{\"a\": [01]}",
            "$.a[0]",
            "no digit after a leading 0",
            "`1` at line 1, column 9",
        ),
        ("{\"a\": 1, \"a\": 2}", "$", "each key once", "\"a\" twice"),
        (
            "[1] 2",
            "$",
            "the end of the text",
            "`2` at line 1, column 5",
        ),
        ("[1,]", "$[1]", "a JSON value", "`]` at line 1, column 4"),
        ("nul", "$", "a JSON value", "`n` at line 1, column 1"),
        ("1e999", "$", "a number that a float can hold", "1e999"),
        ("\"\\ud800\"", "$", "`\\`", "`\"` at line 1, column 8"),
    ];
    for (text, path, expected, found) in cases {
        let issue = parse(text).expect_err(text);
        assert_eq!(
            (&issue.path[..], &issue.expected[..], &issue.found[..]),
            (path, expected, found)
        );
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(&nested(512)).is_ok());
    assert!(parse(&nested(513)).is_err());
    assert!(parse(&"[".repeat(1_000_000)).is_err());
    let mut heap = Table::new().heap();
    let tree = parse(&nested(512)).expect("it is not too deep");
    let word = codec::json_from_tree(&mut heap, &tree).expect("nor is this");
    assert_eq!(codec::encode(&heap, builtin::JSON, word), nested(512));
    assert_eq!(codec::json_to_tree(word), Ok(tree));
    heap.release(word);
    assert_empty(&heap);
}

#[test]
fn a_deep_value_is_written_compared_and_hashed_without_recursion() {
    let mut heap = Table::new().heap();
    let build = |heap: &mut crate::heap::Heap| {
        let mut deep = crate::value::json::new(heap, gsw_abi::layout::json::NULL, 0);
        for _ in 0..200_000 {
            deep = crate::value::json::new_list(heap, &[deep]);
        }
        deep
    };
    let (a, b) = (build(&mut heap), build(&mut heap));
    assert_eq!(codec::encode(&heap, builtin::JSON, a).len(), 400_004);
    assert!(crate::compare::equal(&heap, builtin::JSON, a, b));
    let hash = |word| crate::compare::hash(&heap, builtin::JSON, word);
    assert_eq!(hash(a), hash(b));
    assert!(codec::json_to_tree(a).is_err());
    heap.release(a);
    heap.release(b);
    assert_empty(&heap);
}

#[test]
fn interpolation_shows_texts_bare_and_the_rest_as_json() {
    let mut table = Table::new();
    let level = table.choice(
        "Level",
        vec![("Low", vec![]), ("High", vec![field("x", builtin::INT)])],
    );
    let maybe = table.add(Type::Optional(level));
    let pair = table.add(Type::Tuple(vec![builtin::INT, builtin::STRING]));
    let mut heap = table.heap();
    let cases = [
        (builtin::STRING, json!("a \"b\""), "a \"b\""),
        (builtin::INT, json!(-3), "-3"),
        (builtin::FLOAT, json!(2), "2.0"),
        (builtin::FLOAT, json!("NaN"), "NaN"),
        (builtin::BOOL, json!(true), "true"),
        (builtin::UNIT, json!(null), "null"),
        (builtin::DURATION, json!(90), "1m30s"),
        (builtin::OPTIONAL_DURATION, json!(0.25), "250ms"),
        (builtin::OPTIONAL_INT, json!(null), "null"),
        (builtin::OPTIONAL_STRING, json!("x"), "x"),
        (
            builtin::TIME,
            json!("1970-01-01T00:00:00Z"),
            "1970-01-01T00:00:00Z",
        ),
        (builtin::BYTES, json!("AAE="), "AAE="),
        (builtin::LIST_STRING, json!(["a", "b"]), "a\nb"),
        (builtin::LIST_INT, json!([1, 2]), "[1,2]"),
        (builtin::JSON, json!("text"), "text"),
        (builtin::JSON, json!({"a": [1, "b"]}), r#"{"a":[1,"b"]}"#),
        (maybe, json!("low"), "low"),
        (
            maybe,
            json!({"kind": "high", "x": 1}),
            r#"{"kind":"high","x":1}"#,
        ),
        (pair, json!([1, "a"]), r#"[1,"a"]"#),
    ];
    for (ty, tree, expected) in cases {
        let word = decode(&mut NoFunctions(&mut heap), ty, &tree).expect("it fits");
        assert_eq!(codec::to_text(&heap, ty, word), expected);
        heap.release_typed(ty, word);
    }
    assert_empty(&heap);
}

#[test]
fn pretty_json_is_indented() {
    let mut heap = Table::new().heap();
    let tree = json!({"a": [1, {}], "b": []});
    let word = codec::json_from_tree(&mut heap, &tree).expect("it is JSON");
    let text = codec::encode_pretty(&heap, builtin::JSON, word);
    assert_eq!(text, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
    heap.release(word);
    assert_empty(&heap);
}
