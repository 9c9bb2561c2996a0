//! Calls end early once the flag of the run is set, and raise what ends a loop; what they took over is given back.

use std::sync::atomic::Ordering;

use gsw_abi::builtin::{self, BuiltinError, LIST_INT, LIST_STRING, STRING};
use gsw_abi::layout::{Outcome, stop};
use gsw_abi::types::{Type, TypeId};
use serde_json::json;

use crate::tests::values::machine::{Machine, call};
use crate::tests::values::table::Table;
use crate::value::error;

/// More than the rounds between two looks at the flag.
const MANY: usize = 10_000;

fn id(ty: TypeId) -> u64 {
    u64::from(ty.0)
}

/// Sets the flag as code that stops the run does.
fn stop_run(it: &mut Machine) {
    // SAFETY: the flag lives as long as the run.
    unsafe { &(*it.context()).stop }.store(stop::KILL, Ordering::SeqCst);
}

/// The call raised the unwinding of the whole task.
fn assert_unwinds(it: &mut Machine, what: &str, outcome: Outcome) {
    assert_ne!(outcome.error, 0, "{what} goes on");
    assert_eq!(
        error::kind(outcome.error),
        Some(BuiltinError::Unwind),
        "{what}"
    );
    it.heap().release(outcome.error);
}

#[test]
fn long_calls_end_when_the_run_is_to_stop() {
    let mut table = Table::new();
    let rows = Type::Map {
        key: STRING,
        value: STRING,
    };
    let rows = table.add(rows);
    let rows = table.add(Type::List(rows));
    let lists = table.add(Type::List(LIST_INT));
    let mut it = Machine::with(table);
    let numbers: Vec<usize> = (0..MANY).rev().collect();
    let xs = it.value(LIST_INT, &json!(numbers));
    let ys = it.value(LIST_INT, &json!(numbers));
    let keys = it.value(LIST_INT, &json!(numbers));
    let single = it.value(lists, &json!([numbers]));
    let text = it.text(&"a b\n".repeat(MANY));
    let tree = it.text(&json!(numbers).to_string());
    let whole = it.value(builtin::JSON, &json!(numbers));
    let csv = it.text(&format!("a\n{}", "1\n".repeat(MANY)));
    let (space, word, pattern) = (it.text(" "), it.text("word"), it.text("a"));
    stop_run(&mut it);
    for shared in [xs, ys] {
        it.heap().retain(shared);
    }
    let all = [
        ("sort", call!(it, list_sort(xs))),
        ("sort_by", call!(it, list_sort_by_keys(ys, keys))),
        ("flatten", call!(it, list_flatten(id(LIST_INT), single))),
        ("unique", call!(it, list_unique(xs))),
        ("split", call!(it, string_split(text, space))),
        ("chars", call!(it, string_chars(text))),
        ("replace", call!(it, string_replace(text, space, word))),
        ("repeat", call!(it, string_repeat(word, MANY as u64))),
        ("find_all", call!(it, regex_find_all(pattern, text))),
        (
            "regex replace",
            call!(it, regex_replace(pattern, text, word)),
        ),
        ("json.parse", call!(it, json_parse(tree))),
        ("json.pretty", call!(it, json_pretty(whole))),
        ("json as", call!(it, json_as(id(LIST_INT), whole))),
        ("csv.parse", call!(it, csv_parse(id(rows), csv))),
        ("range", call!(it, list_range(0, MANY as u64, 0))),
    ];
    for (what, outcome) in all {
        assert_unwinds(&mut it, what, outcome);
    }
    let plain = call!(it, value_to_string(id(LIST_INT), ys));
    let json = call!(it, value_to_json(id(LIST_INT), ys));
    let equal = call!(it, value_equal(id(LIST_STRING), single, single));
    assert_eq!(equal, 1, "what needs no rounds is as always");
    for word in [
        plain, json, ys, single, text, tree, whole, csv, space, word, pattern,
    ] {
        it.heap().release(word);
    }
}
