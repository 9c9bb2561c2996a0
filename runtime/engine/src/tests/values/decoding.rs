//! Decoding: what is accepted, what is not, and how it is reported.

use gsw_abi::builtin::{self, FLOAT, INT, STRING};
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::{CheckScope, DefaultValue, Secrecy, Type, TypeId};
use serde_json::{Value, json};

use crate::codec;
use crate::codec::checker::{Checker, NoFunctions};
use crate::codec::decode::{decode, decode_all_issues};
use crate::heap::Heap;
use crate::tests::values::table::{Table, assert_empty, check, field};
use crate::value::{self, string};

/// Function 0 is the default `7`, 1 `it > 0`, 2 `it.len() > 0`, 3 `it < self.high` of a record with `high` at 1.
struct Functions(Heap);

impl Checker for Functions {
    fn heap(&mut self) -> &mut Heap {
        &mut self.0
    }

    fn call_default(&mut self, function: FunctionIndex) -> Result<u64, String> {
        (function.0 == 0)
            .then_some(7)
            .ok_or_else(|| "no luck".into())
    }

    fn check(&mut self, function: FunctionIndex, arguments: &[u64]) -> bool {
        match (function.0, arguments) {
            (1, &[it, ..]) => it as i64 > 0,
            (2, &[it, ..]) => {
                let holds = string::scalars(it) > 0;
                self.0.release(it);
                holds
            }
            (3, &[it, record]) => {
                let holds = (it as i64) < value::field(record, 1) as i64;
                self.0.release(record);
                holds
            }
            other => panic!("no function {other:?}"),
        }
    }
}

/// Each value is refused by its type with a path, what was expected, and what was found.
fn assert_refused(table: Table, cases: &[(TypeId, Value, [&str; 3])]) {
    let mut heap = table.heap();
    for (ty, tree, expected) in cases {
        let issue = decode(&mut NoFunctions(&mut heap), *ty, tree).expect_err("it does not fit");
        assert_eq!(
            [&issue.path[..], &issue.expected, &issue.found],
            *expected,
            "{tree}"
        );
    }
    assert_empty(&heap);
}

#[test]
fn issues_say_where_what_and_what_instead() {
    let mut table = Table::new();
    let item = table.record("Item", vec![field("name", STRING)]);
    let items = table.add(Type::List(item));
    let order = table.record("Order", vec![field("items", items)]);
    let pair = table.add(Type::Tuple(vec![INT, INT]));
    let by_number = table.add(Type::Map {
        key: INT,
        value: STRING,
    });
    let tags = table.set(STRING);
    let second = json!({"items": [{"name": "a"}, {"name": 3}]});
    let cases = [
        (order, second, ["$.items[1].name", "string", "3"]),
        (
            order,
            json!({"items": [{}]}),
            ["$.items[0].name", "string", "nothing"],
        ),
        (order, json!([]), ["$", "Order", "an array"]),
        (by_number, json!({"x": "y"}), ["$.x", "int", "\"x\""]),
        (
            by_number,
            json!({"1": "y", "01": "z"}),
            ["$", "each key once", "a key twice"],
        ),
        (pair, json!([1]), ["$", "(int, int)", "an array of 1"]),
        (
            tags,
            json!({"a": true}),
            ["$", "Set<string> as an array", "an object"],
        ),
        (tags, json!(["a", 1]), ["$[1]", "string", "1"]),
        (
            tags,
            json!(["a", "b", "a"]),
            ["$[2]", "each element once", "\"a\" a second time"],
        ),
    ];
    assert_refused(table, &cases);
}

#[test]
fn names_and_scalars_are_exact() {
    let mut table = Table::new();
    let level = table.choice("Level", vec![("Low", vec![]), ("High", vec![])]);
    let shape = table.choice(
        "Shape",
        vec![("Dot", vec![]), ("Box", vec![field("size", INT)])],
    );
    let literals = table.add(Type::Literals(vec!["a".into(), "b".into()]));
    let circle = json!({"kind": "circle"});
    let cases = [
        (
            level,
            json!("Low"),
            ["$", "Level (\"low\", \"high\")", "\"Low\""],
        ),
        (
            shape,
            circle,
            [
                "$.kind",
                "\"box\" (or \"dot\" in place of the object)",
                "\"circle\"",
            ],
        ),
        (
            shape,
            json!({"kind": "box", "size": 1.5}),
            ["$.size", "int", "1.5"],
        ),
        (literals, json!("c"), ["$", "\"a\" | \"b\"", "\"c\""]),
        (INT, json!(0.5), ["$", "int", "0.5"]),
        (
            builtin::TIME,
            json!("yesterday"),
            [
                "$",
                "time in RFC 3339, such as `2026-01-31T09:30:00Z`",
                "\"yesterday\"",
            ],
        ),
        (
            builtin::BYTES,
            json!("?"),
            ["$", "bytes in Base64", "\"?\""],
        ),
    ];
    assert_refused(table, &cases);
}

#[test]
fn numbers_are_taken_in_either_form() {
    let mut heap = Table::new().heap();
    let parse = |text: &str| gsw_notation::json::parse(text).expect("it is JSON");
    let mut read = |ty, text: &str| decode(&mut NoFunctions(&mut heap), ty, &parse(text)).ok();
    assert_eq!(read(INT, "3.0"), Some(3));
    assert_eq!(read(INT, "3e2"), Some(300));
    assert_eq!(read(INT, "9223372036854775807"), Some(i64::MAX as u64));
    assert_eq!(read(INT, "9223372036854775808"), None);
    assert_eq!(read(FLOAT, "3"), Some(3.0f64.to_bits()));
    assert_eq!(
        read(FLOAT, "\"-Infinity\""),
        Some(f64::NEG_INFINITY.to_bits())
    );
    assert_eq!(read(builtin::DURATION, "0.000000001"), Some(1));
    let word = read(builtin::JSON, "9223372036854775808").expect("json takes any number");
    assert_eq!(
        codec::encode(&heap, builtin::JSON, word),
        "9.223372036854776e18"
    );
    heap.release(word);
}

#[test]
fn missing_fields_are_filled_and_unknown_ones_ignored() {
    let mut table = Table::new();
    let mut count = field("count", INT);
    count.default = Some(DefaultValue {
        function: FunctionIndex(0),
        source: None,
        json: None,
    });
    let record = table.record("R", vec![count, field("note", builtin::OPTIONAL_STRING)]);
    let mut functions = Functions(table.heap());
    let word = decode(&mut functions, record, &json!({"other": 1})).expect("all can be filled");
    assert_eq!(
        codec::encode(&functions.0, record, word),
        r#"{"count":7,"note":null}"#
    );
    functions.0.release(word);
    assert_empty(&functions.0);
}

#[test]
fn checks_of_fields_aliases_and_siblings_are_asked() {
    let mut table = Table::new();
    let positive = check(1, CheckScope::Value, "it > 0");
    let full = check(2, CheckScope::Value, "it.len() > 0");
    let name = Type::Checked {
        name: "Name".into(),
        docs: None,
        base: STRING,
        check: full,
    };
    let name = table.add(name);
    let (mut low, mut high) = (field("low", INT), field("high", INT));
    low.check = Some(check(3, CheckScope::Record, "it < self.high"));
    high.check = Some(positive);
    let record = table.record("Range", vec![low, high, field("name", name)]);
    let mut functions = Functions(table.heap());
    let good = json!({"low": 1, "high": 2, "name": "x"});
    let word = decode(&mut functions, record, &good).expect("all checks hold");
    functions.0.release(word);
    let bad = json!({"low": 3, "high": -2, "name": ""});
    let issues = decode_all_issues(&mut functions, record, &bad).expect_err("none holds");
    let told: Vec<(&str, &str)> = issues
        .iter()
        .map(|it| (&it.path[..], &it.expected[..]))
        .collect();
    assert_eq!(told, [("$.high", "`it > 0`"), ("$.name", "`it.len() > 0`")]);
    let crossed = json!({"low": 3, "high": 2, "name": "x"});
    let issues = decode_all_issues(&mut functions, record, &crossed).expect_err("they are crossed");
    assert_eq!(
        issues[0].message,
        "at $.low: expected `it < self.high`, found 3"
    );
    assert_empty(&functions.0);
}

#[test]
fn errors_read_and_write_by_kind() {
    let mut table = Table::new();
    let own = table.error(
        "DeployFailed",
        vec![field("env", STRING), field("code", INT)],
    );
    let mut heap = table.heap();
    let text = r#"{"kind":"DeployFailed","env":"staging","code":3}"#;
    let tree = gsw_notation::json::parse(text).expect("it is JSON");
    let word = decode(&mut NoFunctions(&mut heap), builtin::ERROR, &tree).expect("it fits");
    assert_eq!(value::type_of(word), own);
    assert_eq!(codec::encode(&heap, builtin::ERROR, word), text);
    let message = value::error::message(&heap, word);
    assert_eq!(message, r#"DeployFailed(env: "staging", code: 3)"#);
    value::error::push_trace(&mut heap, word, 4);
    value::error::push_trace(&mut heap, word, 9);
    assert_eq!(value::error::trace(word), [4, 9]);
    heap.release(word);
    assert_empty(&heap);
}

#[test]
fn observers_see_no_secrets() {
    let mut table = Table::new();
    let mut hidden = field("key", STRING);
    hidden.secrecy = Secrecy::Redacted;
    let record = table.record("R", vec![hidden, field("token", builtin::SECRET)]);
    let mut heap = table.heap();
    let tree = json!({"key": "k", "token": "t"});
    let word = decode(&mut NoFunctions(&mut heap), record, &tree).expect("it fits");
    assert_eq!(
        codec::encode_redacted(&heap, record, word),
        r#"{"key":"***","token":"***"}"#
    );
    assert_eq!(
        codec::encode(&heap, record, word),
        r#"{"key":"k","token":"t"}"#
    );
    heap.release(word);
    assert_empty(&heap);
}

#[test]
fn a_deep_record_is_read_up_to_the_limit() {
    let mut table = Table::new();
    let maybe = TypeId(table.0.types.len() as u32);
    table.add(Type::Optional(TypeId(maybe.0 + 1)));
    let node = table.record("Node", vec![field("next", maybe)]);
    let mut heap = table.heap();
    let nested = |depth| format!("{}null{}", "{\"next\":".repeat(depth), "}".repeat(depth));
    let tree = gsw_notation::json::parse(&nested(512)).expect("it is not too deep");
    let word = decode(&mut NoFunctions(&mut heap), node, &tree).expect("nor is this");
    assert_eq!(codec::encode(&heap, node, word), nested(512));
    heap.release(word);
    let deeper = json!({ "next": tree });
    assert!(decode(&mut NoFunctions(&mut heap), node, &deeper).is_err());
    assert_empty(&heap);
}
