//! What is decoded encodes to the same JSON, equals itself, and leaves nothing behind.

use std::cmp::Ordering;

use gsw_abi::builtin;
use gsw_abi::types::TypeId;
use proptest::prelude::{any, proptest};
use proptest::{prop_assert, prop_assert_eq};

use crate::codec::checker::NoFunctions;
use crate::codec::decode::{decode, decode_all_issues};
use crate::tests::values::random::{self, Dice};
use crate::tests::values::table::assert_empty;
use crate::{codec, compare};

proptest! {
    #![proptest_config(crate::tests::values::config())]

    #[test]
    fn json_of_a_type_reads_back(seed in any::<u64>()) {
        let mut dice = Dice::new(seed);
        let table = random::table(&mut dice);
        let ty = TypeId(table.0.types.len() as u32 - 1);
        let tree = random::value(&table.0, ty, &mut dice);
        let text = tree.to_string();
        let mut heap = table.heap();
        let first = decode(&mut NoFunctions(&mut heap), ty, &tree).expect("it fits");
        let parsed = gsw_notation::json::parse(&text).expect("it is JSON");
        let second = decode(&mut NoFunctions(&mut heap), ty, &parsed).expect("it fits");
        prop_assert_eq!(codec::encode(&heap, ty, first), &text[..]);
        if !text.contains("\"NaN\"") {
            prop_assert!(compare::equal(&heap, ty, first, second));
        }
        prop_assert_eq!(compare::hash(&heap, ty, first), compare::hash(&heap, ty, second));
        prop_assert_eq!(compare::compare(&heap, ty, first, second), Ordering::Equal);
        let json = codec::to_json(&mut heap, ty, first);
        prop_assert_eq!(codec::encode(&heap, builtin::JSON, json), text);
        for word in [first, second] {
            heap.release_typed(ty, word);
        }
        heap.release(json);
        assert_empty(&heap);
    }

    #[test]
    fn json_of_another_type_leaks_nothing(seed in any::<u64>()) {
        let mut dice = Dice::new(seed);
        let table = random::table(&mut dice);
        let first = 25 + builtin::BuiltinError::ALL.len();
        let pick = |dice: &mut Dice| TypeId((first + dice.below(table.0.types.len() - first)) as u32);
        let (wanted, other) = (pick(&mut dice), pick(&mut dice));
        let tree = random::value(&table.0, other, &mut dice);
        let mut heap = table.heap();
        if let Ok(word) = decode(&mut NoFunctions(&mut heap), wanted, &tree) {
            heap.release_typed(wanted, word);
        }
        if let Ok(word) = decode_all_issues(&mut NoFunctions(&mut heap), wanted, &tree) {
            heap.release_typed(wanted, word);
        }
        assert_empty(&heap);
    }
}
