//! Calls on lists and maps.

use gsw_abi::builtin::{self, FLOAT, INT, LIST_INT, LIST_STRING, OPTIONAL_INT, STRING};
use gsw_abi::types::{Type, TypeId};
use proptest::prelude::{Just, Strategy, any, proptest};
use proptest::{collection, prop_assert_eq, prop_oneof};
use serde_json::{Value, json};

use crate::tests::values::machine::{Given, Machine, call};
use crate::tests::values::table::Table;

fn id(ty: TypeId) -> u64 {
    u64::from(ty.0)
}

proptest! {
    #![proptest_config(crate::tests::values::config())]

    #[test]
    fn sorting_is_stable(pairs in collection::vec((0..5i64, any::<i64>()), 0..40)) {
        let (keys, items): (Vec<i64>, Vec<i64>) = pairs.iter().copied().unzip();
        let mut it = Machine::new();
        let sorted = |turn: fn(&mut Vec<(i64, i64)>)| {
            let mut pairs = pairs.clone();
            turn(&mut pairs);
            json!(pairs.into_iter().map(|(_, item)| item).collect::<Vec<_>>()).to_string()
        };
        let words = |it: &mut Machine, of: &[i64]| it.value(LIST_INT, &json!(of));
        let (xs, ks) = (words(&mut it, &items), words(&mut it, &keys));
        let word = call!(it, list_sort_by_keys(xs, ks));
        prop_assert_eq!(it.take(LIST_INT, word), sorted(|it| it.sort_by_key(|it| it.0)));
        let (xs, ks) = (words(&mut it, &items), words(&mut it, &keys));
        let word = call!(it, list_sort_by_keys_desc(xs, ks));
        let expected = sorted(|it| it.sort_by_key(|it| std::cmp::Reverse(it.0)));
        prop_assert_eq!(it.take(LIST_INT, word), expected);
        let mut all = items.clone();
        all.sort_unstable();
        let xs = words(&mut it, &items);
        let word = call!(it, list_sort(xs));
        prop_assert_eq!(it.take(LIST_INT, word), json!(all).to_string());
        all.reverse();
        let xs = words(&mut it, &items);
        let word = call!(it, list_sort_desc(xs));
        prop_assert_eq!(it.take(LIST_INT, word), json!(all).to_string());
    }

    #[test]
    fn parts_of_lists_are_those_of_slices(items in collection::vec("[a-c]", 0..12), from in -3..15i64, to in -3..15i64) {
        let mut table = Table::new();
        let lists = table.add(Type::List(LIST_STRING));
        let maybe = builtin::OPTIONAL_STRING;
        let mut it = Machine::with(table);
        let xs = it.value(LIST_STRING, &json!(items));
        it.heap().retain(xs);
        let word = call!(it, list_slice(xs, from as u64, to as u64));
        let (start, end) = (from.max(0) as usize, to.max(from).max(0) as usize);
        let part: Vec<&String> = items.iter().skip(start).take(end - start).collect();
        prop_assert_eq!(it.take(LIST_STRING, word), json!(part).to_string());
        let word = call!(it, list_get(id(maybe), xs, from as u64));
        let found = usize::try_from(from).ok().and_then(|at| items.get(at));
        prop_assert_eq!(it.take(maybe, word), json!(found).to_string());
        let outcome = call!(it, list_index(xs, from as u64));
        prop_assert_eq!(it.outcome(STRING, outcome).ok(), found.map(|it| json!(it).to_string()));
        for size in [to, 1] {
            let outcome = call!(it, list_chunks(id(lists), xs, size as u64));
            let expected = usize::try_from(size).ok().filter(|size| *size > 0).map(|size| {
                json!(items.chunks(size).collect::<Vec<_>>()).to_string()
            });
            prop_assert_eq!(it.outcome(lists, outcome).ok(), expected);
            let outcome = call!(it, list_windows(id(lists), xs, size as u64));
            let expected = usize::try_from(size).ok().filter(|size| *size > 0).map(|size| {
                json!(items.windows(size).collect::<Vec<_>>()).to_string()
            });
            prop_assert_eq!(it.outcome(lists, outcome).ok(), expected);
        }
        let mut seen = Vec::new();
        items.iter().for_each(|it| if !seen.contains(it) { seen.push(it.clone()) });
        it.heap().retain(xs);
        let word = call!(it, list_unique(xs));
        prop_assert_eq!(it.take(LIST_STRING, word), json!(seen).to_string());
        it.heap().retain(xs);
        let word = call!(it, list_concat(xs, xs));
        prop_assert_eq!(it.take(LIST_STRING, word), json!([&items[..], &items[..]].concat()).to_string());
        let word = call!(it, list_reverse(xs));
        let back: Vec<&String> = items.iter().rev().collect();
        prop_assert_eq!(it.take(LIST_STRING, word), json!(back).to_string());
    }
}

/// What is done to a list.
#[derive(Clone, Debug)]
enum Change {
    Push(u8),
    /// How many are taken off the front and the end.
    Part(usize, usize),
    /// It has another owner, which must not see what follows.
    Shared,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        8 => any::<u8>().prop_map(Change::Push),
        4 => (0..3usize, 0..3usize).prop_map(|(front, back)| Change::Part(front, back)),
        1 => (0..30usize, 0..30usize).prop_map(|(front, back)| Change::Part(front, back)),
        1 => Just(Change::Shared),
    ]
}

proptest! {
    #![proptest_config(crate::tests::values::config())]

    #[test]
    fn what_is_taken_off_both_ends_in_place_is_what_a_copy_would_lack(changes in collection::vec(change(), 0..200)) {
        let mut it = Machine::new();
        let (mut xs, mut expected) = (it.value(LIST_STRING, &json!([])), Vec::new());
        let mut others = Vec::new();
        for change in changes {
            match change {
                Change::Push(x) => {
                    let text = it.text(&x.to_string());
                    xs = call!(it, list_push(xs, text));
                    expected.push(x.to_string());
                }
                Change::Part(front, back) => {
                    let to = expected.len().saturating_sub(back);
                    xs = call!(it, list_slice(xs, front as u64, to as u64)).value;
                    expected.truncate(to);
                    expected.drain(..front.min(to));
                }
                Change::Shared => {
                    it.heap().retain(xs);
                    others.push((xs, json!(expected).to_string()));
                }
            }
        }
        prop_assert_eq!(it.take(LIST_STRING, xs), json!(expected).to_string());
        for (other, expected) in others {
            prop_assert_eq!(it.take(LIST_STRING, other), expected);
        }
    }
}

#[test]
fn pairs_and_groups_have_the_types_asked_for() {
    let mut table = Table::new();
    let pair = table.add(Type::Tuple(vec![INT, STRING]));
    let pairs = table.add(Type::List(pair));
    let lists = table.add(Type::List(LIST_INT));
    let mut it = Machine::with(table);
    let (xs, ys) = (
        it.value(LIST_INT, &json!([1, 2])),
        it.value(LIST_STRING, &json!(["a"])),
    );
    let word = call!(it, list_zip(id(pairs), xs, ys));
    assert_eq!(it.take(pairs, word), r#"[[1,"a"]]"#);
    let word = call!(it, list_enumerate(id(pairs), ys));
    assert_eq!(it.take(pairs, word), r#"[[0,"a"]]"#);
    it.heap().release(xs);
    it.heap().release(ys);
    let nested = it.value(lists, &json!([[1, 2], [], [3]]));
    let word = call!(it, list_flatten(id(LIST_INT), nested));
    assert_eq!(it.take(LIST_INT, word), "[1,2,3]");
    it.heap().release(nested);
}

#[test]
fn searching_replacing_and_counting() {
    let mut it = Machine::new();
    let xs = it.value(LIST_STRING, &json!(["a", "b"]));
    let b = it.text("b");
    assert_eq!(call!(it, list_contains(xs, b)), 1);
    let word = call!(it, list_index_of(xs, b));
    assert_eq!(it.take(OPTIONAL_INT, word), "1");
    it.heap().retain(xs);
    let outcome = call!(it, list_set(xs, 0, b));
    assert_eq!(it.outcome(LIST_STRING, outcome), Ok(r#"["b","b"]"#.into()));
    let c = it.text("c");
    let outcome = call!(it, list_set(xs, 2, c));
    assert_eq!(
        it.outcome(LIST_STRING, outcome)
            .map_err(|it| it[..10].to_owned()),
        Err("OutOfRange".into())
    );
    let outcome = call!(it, list_range(3, 6, 0));
    let range = outcome.value;
    let sum = call!(it, list_sum(range));
    assert_eq!(it.int(sum), Ok("12".into()));
    assert_eq!(it.outcome(LIST_INT, outcome), Ok("[3,4,5]".into()));
    let outcome = call!(it, list_range(0, i64::MAX as u64, 0));
    assert!(it.outcome(LIST_INT, outcome).is_err());
    let huge = it.value(LIST_INT, &json!([i64::MAX, 1]));
    let outcome = call!(it, list_sum(huge));
    assert_eq!(
        it.int(outcome),
        Err("Overflow: an integer overflowed 64 bits".into())
    );
    it.heap().release(huge);
}

#[test]
fn floats_sum_and_sort_totally() {
    let mut table = Table::new();
    let floats = table.add(Type::List(FLOAT));
    let mut it = Machine::with(table);
    let xs = it.value(floats, &json!(["NaN", 2.5, "-Infinity", 1]));
    let word = call!(it, list_sort(xs));
    assert_eq!(it.take(floats, word), r#"["-Infinity",1.0,2.5,"NaN"]"#);
    let empty = it.value(floats, &json!([]));
    let outcome = call!(it, list_sum(empty));
    assert_eq!(it.outcome(FLOAT, outcome), Ok("0.0".into()));
    it.heap().release(empty);
    let nan = it.value(floats, &json!(["NaN"]));
    assert_eq!(call!(it, value_equal(id(floats), nan, nan)), 0);
    it.heap().release(nan);
}

#[test]
fn maps_give_keys_values_entries_and_merge() {
    let mut table = Table::new();
    let map = table.add(Type::Map {
        key: STRING,
        value: INT,
    });
    let pair = table.add(Type::Tuple(vec![STRING, INT]));
    let pairs = table.add(Type::List(pair));
    let mut it = Machine::with(table);
    let (m, other) = (
        it.value(map, &json!({"a": 1, "b": 2})),
        it.value(map, &json!({"b": 3, "c": 4})),
    );
    let word = call!(it, map_keys(id(LIST_STRING), m));
    assert_eq!(it.take(LIST_STRING, word), r#"["a","b"]"#);
    let word = call!(it, map_values(id(LIST_INT), m));
    assert_eq!(it.take(LIST_INT, word), "[1,2]");
    let word = call!(it, map_entries(id(pairs), m));
    assert_eq!(it.take(pairs, word), r#"[["a",1],["b",2]]"#);
    let key = call!(it, map_key_at(m, 1));
    assert_eq!(call!(it, map_value_at(m, 1)), 2);
    assert_eq!(call!(it, map_has(m, key)), 1);
    let word = call!(it, map_get(id(OPTIONAL_INT), m, key));
    assert_eq!(it.take(OPTIONAL_INT, word), "2");
    let m = call!(it, map_merge(m, other)).word();
    let m = call!(it, map_remove(m, key));
    let outcome = call!(it, map_index(m, key));
    assert!(it.int(outcome).is_err());
    assert_eq!(call!(it, map_len(m)), 2);
    assert_eq!(it.take(map, m), r#"{"a":1,"c":4}"#);
    it.heap().release(key);
    it.heap().release(other);
}

#[test]
fn json_is_looked_into() {
    let mut table = Table::new();
    let pair = table.add(Type::Tuple(vec![STRING, builtin::JSON]));
    let pairs = table.add(Type::List(pair));
    let mut it = Machine::with(table);
    let tree: Value = json!({"a": [1, null], "b": "x"});
    let j = it.value(builtin::JSON, &tree);
    let (a, z) = (it.text("a"), it.text("z"));
    let list = call!(it, json_field(j, a)).value;
    let outcome = call!(it, json_index(list, 0));
    assert_eq!(it.outcome(builtin::JSON, outcome), Ok("1".into()));
    let outcome = call!(it, json_index(list, 5));
    let message = "DecodeError: at $[5]: expected a value, found an array without it";
    assert_eq!(it.outcome(builtin::JSON, outcome), Err(message.into()));
    let outcome = call!(it, json_field(j, z));
    let message = "DecodeError: at $.z: expected a value, found an object without it";
    assert_eq!(it.outcome(builtin::JSON, outcome), Err(message.into()));
    assert_eq!(call!(it, json_get(j, z)), 0);
    let outcome = call!(it, json_items(list));
    assert_eq!(
        it.outcome(builtin::LIST_JSON, outcome),
        Ok("[1,null]".into())
    );
    let outcome = call!(it, json_items(j));
    assert!(it.outcome(builtin::LIST_JSON, outcome).is_err());
    let outcome = call!(it, json_entries(id(pairs), j));
    assert_eq!(
        it.outcome(pairs, outcome),
        Ok(r#"[["a",[1,null]],["b","x"]]"#.into())
    );
    let outcome = call!(it, json_as(id(LIST_INT), list));
    let message = "DecodeError: at $[1]: expected int, found null";
    assert_eq!(it.outcome(LIST_INT, outcome), Err(message.into()));
    for word in [j, a, z, list] {
        it.heap().release(word);
    }
    let text = it.text(r#"{"a": 1, "a": 2}"#);
    let outcome = call!(it, json_parse(text));
    let message = "DecodeError: at $: expected each key once, found \"a\" twice";
    assert_eq!(it.outcome(builtin::JSON, outcome), Err(message.into()));
    it.heap().release(text);
}

#[test]
fn an_optional_of_an_optional_is_one() {
    let mut table = Table::new();
    let list = table.add(Type::List(OPTIONAL_INT));
    let map = table.add(Type::Map {
        key: STRING,
        value: OPTIONAL_INT,
    });
    let mut it = Machine::with(table);
    let xs = it.value(list, &json!([7, null]));
    for (index, expected) in [(0, "7"), (1, "null"), (2, "null")] {
        let word = call!(it, list_get(id(OPTIONAL_INT), xs, index));
        assert_eq!(it.take(OPTIONAL_INT, word), expected);
    }
    let (m, key) = (it.value(map, &json!({"a": 7})), it.text("a"));
    let word = call!(it, map_get(id(OPTIONAL_INT), m, key));
    assert_eq!(it.take(OPTIONAL_INT, word), "7");
    for word in [xs, m, key] {
        it.heap().release(word);
    }
}
