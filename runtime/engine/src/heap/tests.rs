//! Objects are freed when their last owner goes, however they are nested.

use std::sync::Arc;

use gsw_abi::builtin::{self, LIST_STRING};

use crate::heap::Heap;
use crate::value::hash::HashKey;
use crate::value::{json, list, map, string};

fn heap() -> Heap {
    Heap::new(Arc::new(builtin::type_table()), None, HashKey::of_seed(1))
}

#[test]
fn a_released_list_frees_its_elements() {
    let mut heap = heap();
    let mut words = list::with_capacity(&mut heap, LIST_STRING, 0);
    for index in 0..1000 {
        let word = string::new(&mut heap, &"x".repeat(index));
        words = list::push(&mut heap, words, word);
    }
    assert_eq!(heap.live(), 1001);
    heap.release(words);
    assert_eq!((heap.live(), heap.bytes()), (0, 0));
}

#[test]
fn a_deep_value_is_freed_without_recursion() {
    let mut heap = heap();
    let mut deep = json::new(&mut heap, gsw_abi::layout::json::NULL, 0);
    for _ in 0..1_000_000 {
        deep = json::new_list(&mut heap, &[deep]);
    }
    heap.release(deep);
    assert_eq!(heap.live(), 0);
}

#[test]
fn strings_grow_in_place_only_when_unique() {
    let mut heap = heap();
    let (mut text, more) = (string::new(&mut heap, "a"), string::new(&mut heap, "ö"));
    heap.retain(text);
    let shared = text;
    for _ in 0..100 {
        text = string::concat(&mut heap, text, more);
    }
    assert_eq!(string::text(shared), "a");
    assert_eq!(string::text(text), format!("a{}", "ö".repeat(100)));
    assert_eq!(string::scalars(text), 101);
    for word in [text, shared, more] {
        heap.release(word);
    }
    assert_eq!((heap.live(), heap.bytes()), (0, 0));
}

#[test]
fn maps_keep_order_through_removals() {
    let mut heap = heap();
    let mut entries = json::new_entries(&mut heap);
    let names: Vec<u64> = (0..100)
        .map(|n| string::new(&mut heap, &n.to_string()))
        .collect();
    for &name in &names {
        heap.retain(name);
        let value = json::new_string(&mut heap, string::text(name));
        entries = map::insert(&mut heap, entries, name, value);
    }
    for &name in names.iter().step_by(2) {
        entries = map::remove(&mut heap, entries, name);
    }
    assert_eq!(map::len(entries), 50);
    assert_eq!(
        string::text(map::entry_at(entries, 3).expect("there are 50").0),
        "7"
    );
    assert!(map::get(&heap, entries, names[4]).is_none());
    assert!(map::get_text(&heap, entries, "99").is_some());
    heap.release(entries);
    names.iter().for_each(|&name| heap.release(name));
    assert_eq!((heap.live(), heap.bytes()), (0, 0));
}

#[test]
fn passing_the_limit_is_remembered() {
    let mut heap = Heap::new(
        Arc::new(builtin::type_table()),
        Some(1000),
        HashKey::of_seed(1),
    );
    assert!(!heap.is_over_limit());
    let word = string::new(&mut heap, &"x".repeat(2000));
    assert!(heap.take_over_limit() && !heap.is_over_limit());
    heap.release(word);
    assert!(heap.admit(100) && !heap.admit(2000));
}
