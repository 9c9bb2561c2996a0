//! Maps against `IndexMap`.

use gsw_abi::builtin;
use gsw_abi::types::Type;
use gsw_engine::value::{map, string};
use indexmap::IndexMap;
use proptest::prelude::{any, proptest};
use proptest::{collection, prop_assert_eq};

use crate::table::{Table, assert_empty};

proptest! {
    #![proptest_config(crate::config())]

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
                    // Somebody else has a share, so this must copy.
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
        }
        let entries = map::entries(ours).map(|(key, value)| (string::text(key), value as i64));
        let entries: Vec<(&str, i64)> = entries.collect();
        let expected: Vec<(&str, i64)> = theirs.iter().map(|(key, value)| (&key[..], *value)).collect();
        prop_assert_eq!(entries, expected);
        for (index, (key, value)) in theirs.iter().enumerate() {
            prop_assert_eq!(map::get_text(ours, key), Some(*value as u64));
            let (found, _) = map::entry_at(ours, index).expect("it is in range");
            prop_assert_eq!(string::text(found), key);
        }
        prop_assert_eq!(map::entry_at(ours, theirs.len()), None);
        heap.release(ours);
        assert_empty(&heap);
    }
}
