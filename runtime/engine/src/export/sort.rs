//! Runtime calls that sort lists; all are stable.

use std::cmp::Ordering;

use gsw_abi::types::TypeId;

use crate::compare;
use crate::export::guard::calls;
use crate::heap::Heap;
use crate::value::{list, type_of};

calls! {
    /// `xs.sort()`
    plain list_sort(run, xs) {
        sort(&mut run.heap, xs, |order| order)
    }

    /// `xs.sort_desc()`
    plain list_sort_desc(run, xs) {
        sort(&mut run.heap, xs, Ordering::reverse)
    }

    /// `xs` in the order of `keys`.
    plain list_sort_by_keys(run, xs, keys) {
        sort_by_keys(&mut run.heap, xs, keys, |order| order)
    }

    /// `xs` in the descending order of `keys`.
    plain list_sort_by_keys_desc(run, xs, keys) {
        sort_by_keys(&mut run.heap, xs, keys, Ordering::reverse)
    }
}

fn sort(heap: &mut Heap, xs: u64, turn: fn(Ordering) -> Ordering) -> u64 {
    let element = list::element_type(heap, type_of(xs));
    let xs = list::unique(heap, xs, 0);
    let order = order(heap, element);
    list::words_mut(xs).sort_by(|&a, &b| turn(order(a, b)));
    xs
}

fn sort_by_keys(heap: &mut Heap, xs: u64, keys: u64, turn: fn(Ordering) -> Ordering) -> u64 {
    let key = list::element_type(heap, type_of(keys));
    let xs = list::unique(heap, xs, 0);
    let words = list::words_mut(xs);
    let mut pairs: Vec<(u64, u64)> = list::words(keys)
        .iter()
        .copied()
        .zip(words.iter().copied())
        .collect();
    let order = order(heap, key);
    pairs.sort_by(|&(a, _), &(b, _)| turn(order(a, b)));
    drop(order);
    for (place, (_, word)) in words.iter_mut().zip(pairs) {
        *place = word;
    }
    heap.release(keys);
    xs
}

/// The order of words of a type, without looking at the type for each of them where that is possible.
fn order(heap: &Heap, ty: TypeId) -> impl Fn(u64, u64) -> Ordering + '_ {
    let inline = !heap.is_reference(ty);
    let float = inline && !heap.is_reflexive(ty);
    move |a, b| {
        if float {
            compare::compare_floats(f64::from_bits(a), f64::from_bits(b))
        } else if inline {
            (a as i64).cmp(&(b as i64))
        } else {
            compare::compare(heap, ty, a, b)
        }
    }
}
