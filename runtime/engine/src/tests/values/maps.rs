//! Maps against `IndexMap`.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use gsw_abi::builtin;
use gsw_abi::types::{Type, TypeId};
use indexmap::IndexMap;
use proptest::prelude::{any, proptest};
use proptest::{collection, prop_assert_eq};

use crate::compare;
use crate::heap::Heap;
use crate::tests::values::table::{Table, assert_empty};
use crate::value::{map, string};

fn number_map(heap: &mut Heap, ty: TypeId, entries: &[(i64, i64)]) -> u64 {
    entries
        .iter()
        .fold(map::new(heap, ty), |map, &(key, value)| {
            map::insert(heap, map, key as u64, value as u64)
        })
}

#[test]
fn maps_of_one_size_hash_by_their_entries_in_any_order() {
    let mut table = Table::new();
    let ty = table.add(Type::Map {
        key: builtin::INT,
        value: builtin::INT,
    });
    let mut heap = table.heap();
    let mut hash_of = |entries: &[(i64, i64)]| {
        let map = number_map(&mut heap, ty, entries);
        let hash = compare::hash(&heap, ty, map);
        heap.release(map);
        hash
    };
    assert_eq!(hash_of(&[(1, 2), (3, 4)]), hash_of(&[(3, 4), (1, 2)]));
    assert_ne!(hash_of(&[(1, 2), (3, 4)]), hash_of(&[(1, 4), (3, 2)]));
    let different: HashSet<u64> = (0..1_000).map(|it| hash_of(&[(0, it)])).collect();
    assert_eq!(different.len(), 1_000);
}

#[test]
fn the_first_entry_is_taken_at_once() {
    const COUNT: usize = 40_000;
    let mut table = Table::new();
    let ty = table.add(Type::Map {
        key: builtin::INT,
        value: builtin::INT,
    });
    let mut heap = table.heap();
    let entries: Vec<(i64, i64)> = (0..COUNT as i64).map(|it| (it, it)).collect();
    let mut map = number_map(&mut heap, ty, &entries);
    let begun = Instant::now();
    for number in 0..COUNT {
        let (key, _) = map::entry_at(map, 0).expect("some are left");
        assert_eq!(key, number as u64);
        map = map::remove(&mut heap, map, key);
        // One more at the end, as in a queue.
        map = map::insert(&mut heap, map, (COUNT + number) as u64, 0);
    }
    // If each closed the holes it would be minutes.
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(map::entry_at(map, 1).map(|it| it.0), Some(COUNT as u64 + 1));
    heap.release(map);
    assert_empty(&heap);
}

proptest! {
    #![proptest_config(crate::tests::values::config())]

    #[test]
    fn a_map_does_what_an_index_map_does(steps in collection::vec((0..4u8, 0..60u8, any::<i64>()), 0..300)) {
        let mut table = Table::new();
        let ty = table.add(Type::Map { key: builtin::STRING, value: builtin::INT });
        let mut heap = table.heap();
        let mut ours = map::new(&mut heap, ty);
        let mut theirs: IndexMap<String, i64> = IndexMap::new();
        for (step, key, value) in steps {
            let name = format!("k{key}");
            let key = string::new(&mut heap, &name);
            match step {
                0 => {
                    ours = map::remove(&mut heap, ours, key);
                    theirs.shift_remove(&name);
                }
                1 => {
                    // It has another owner, so this must copy.
                    heap.retain(ours);
                    heap.retain(key);
                    let before = map::len(ours);
                    let changed = map::insert(&mut heap, ours, key, value as u64);
                    prop_assert_eq!(map::len(ours), before);
                    heap.release(ours);
                    ours = changed;
                    theirs.insert(name, value);
                }
                _ => {
                    heap.retain(key);
                    ours = map::insert(&mut heap, ours, key, value as u64);
                    theirs.insert(name, value);
                }
            }
            heap.release(key);
            prop_assert_eq!(map::len(ours), theirs.len());
            let first = map::entry_at(ours, 0).map(|(key, _)| string::text(key));
            prop_assert_eq!(first, theirs.first().map(|(key, _)| &key[..]));
        }
        let entries = map::entries(ours).map(|(key, value)| (string::text(key), value as i64));
        let entries: Vec<(&str, i64)> = entries.collect();
        let expected: Vec<(&str, i64)> = theirs.iter().map(|(key, value)| (&key[..], *value)).collect();
        prop_assert_eq!(entries, expected);
        for (index, (key, value)) in theirs.iter().enumerate() {
            prop_assert_eq!(map::get_text(&heap, ours, key), Some(*value as u64));
            let (found, _) = map::entry_at(ours, index).expect("it is in range");
            prop_assert_eq!(string::text(found), key);
        }
        prop_assert_eq!(map::entry_at(ours, theirs.len()), None);
        heap.release(ours);
        assert_empty(&heap);
    }
}
