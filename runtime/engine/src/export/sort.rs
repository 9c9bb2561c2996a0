//! Runtime calls that sort lists; all are stable.

use std::cell::Cell;
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use gsw_abi::types::TypeId;

use crate::compare;
use crate::export::guard::calls;
use crate::export::list::own_list;
use crate::heap::{Heap, Poll};
use crate::value::{list, type_of};

calls! {
    raising list_sort(run, xs) {
        sort(&mut run.heap, xs, |order| order)
    }

    raising list_sort_desc(run, xs) {
        sort(&mut run.heap, xs, Ordering::reverse)
    }

    /// `xs` in the order of `keys`.
    raising list_sort_by_keys(run, xs, keys) {
        sort_by_keys(&mut run.heap, xs, keys, |order| order)
    }

    /// `xs` in the descending order of `keys`.
    raising list_sort_by_keys_desc(run, xs, keys) {
        sort_by_keys(&mut run.heap, xs, keys, Ordering::reverse)
    }
}

fn sort(heap: &mut Heap, xs: u64, turn: fn(Ordering) -> Ordering) -> Result<u64, u64> {
    let element = list::element_type(heap, type_of(xs));
    let xs = own_list(heap, xs)?;
    let words = list::words_mut(xs);
    // A merge sort takes as much room again as half of what it sorts.
    let is_sorted = with_scratch(heap, 4 * words.len(), |heap| {
        let order = order(heap, element);
        interruptible(heap, |poll| {
            words.sort_by(|&a, &b| turn(poll.order(order(a, b))))
        })
    });
    if let Err(error) = is_sorted {
        heap.release(xs);
        return Err(error);
    }
    Ok(xs)
}

fn sort_by_keys(
    heap: &mut Heap,
    xs: u64,
    keys: u64,
    turn: fn(Ordering) -> Ordering,
) -> Result<u64, u64> {
    let sorted = own_list(heap, xs).and_then(|xs| {
        let key = list::element_type(heap, type_of(keys));
        let words = list::words_mut(xs);
        let is_sorted = with_scratch(heap, 24 * words.len(), |heap| {
            let keys = list::words(keys).iter().copied();
            let mut pairs: Vec<(u64, u64)> = keys.zip(words.iter().copied()).collect();
            let order = order(heap, key);
            let is_sorted = interruptible(heap, |poll| {
                pairs.sort_by(|&(a, _), &(b, _)| turn(poll.order(order(a, b))));
            });
            for (place, (_, word)) in words.iter_mut().zip(pairs) {
                *place = word;
            }
            is_sorted
        });
        is_sorted.map(|()| xs).inspect_err(|_| heap.release(xs))
    });
    heap.release(keys);
    sorted
}

/// Runs work that takes this many bytes outside the heap meanwhile; raises when these are too many, or when it was interrupted.
fn with_scratch(
    heap: &mut Heap,
    bytes: usize,
    body: impl FnOnce(&Heap) -> Result<(), Interrupted>,
) -> Result<(), u64> {
    heap.demand(bytes as u64)?;
    heap.charge(bytes);
    let result = body(heap);
    heap.discharge(bytes);
    result.map_err(|Interrupted| heap.interrupted())
}

/// A sort was interrupted: all elements are there, in no particular order.
struct Interrupted;

struct Comparisons<'a> {
    heap: &'a Heap,
    poll: Cell<Poll>,
}

impl Comparisons<'_> {
    /// Another comparison. The sort of the standard library can only be left by unwinding out of one.
    fn order(&self, order: Ordering) -> Ordering {
        let mut poll = self.poll.take();
        if poll.ends(self.heap) {
            resume_unwind(Box::new(Interrupted));
        }
        self.poll.set(poll);
        order
    }
}

/// Sorts until it is done, or the run is to stop.
fn interruptible(heap: &Heap, sort: impl FnOnce(&Comparisons<'_>)) -> Result<(), Interrupted> {
    let comparisons = Comparisons {
        heap,
        poll: Cell::default(),
    };
    match catch_unwind(AssertUnwindSafe(|| sort(&comparisons))) {
        Ok(()) => Ok(()),
        Err(payload) => match payload.downcast::<Interrupted>() {
            Ok(interrupted) => Err(*interrupted),
            Err(panic) => resume_unwind(panic),
        },
    }
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
