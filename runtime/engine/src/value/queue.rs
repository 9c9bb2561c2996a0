//! Queues: the items of a `Queue<T>`, what it is for, and how many it takes.
//!
//! The items lie in two lists that only the queue knows: those to come next, the first of them last, and those that came
//! after these, in their order. So both ends are ends of lists, and each item is moved once at most.

use gsw_abi::call::QueuePurpose;
use gsw_abi::types::{Type, TypeId};

use crate::heap::Heap;
use crate::value::{field, list, set_field, type_of};

/// How many words a queue has after its header.
pub(crate) const WORDS: usize = 5;
/// Which of them are lists.
pub(crate) const LISTS: [usize; 2] = [NEXT, LATER];

const NEXT: usize = 0;
const LATER: usize = 1;
const LIMIT: usize = 2;
const CLOSED: usize = 3;
const PURPOSE: usize = 4;

/// An empty queue of this type that is full with `limit` items.
#[must_use]
pub fn new(heap: &mut Heap, ty: TypeId, limit: u64, purpose: QueuePurpose) -> u64 {
    let lists = list_type(heap, ty);
    let queue = heap.object(ty, 0, WORDS);
    for place in LISTS {
        let empty = list::with_capacity(heap, lists, 0);
        set_field(queue, place, empty);
    }
    set_field(queue, LIMIT, limit);
    set_field(queue, PURPOSE, purpose as u64);
    queue
}

/// The type of a queue's items.
#[must_use]
pub fn item_type(heap: &Heap, queue: u64) -> TypeId {
    list::element_type(heap, list_type(heap, type_of(queue)))
}

fn list_type(heap: &Heap, queue: TypeId) -> TypeId {
    let ty = heap.types().get(heap.types().base(queue));
    let Type::Queue(list) = ty else {
        unreachable!("a queue has a queue type, not {ty:?}")
    };
    *list
}

#[must_use]
pub fn len(queue: u64) -> usize {
    LISTS.iter().map(|it| list::len(field(queue, *it))).sum()
}

/// Whether it takes no more items for now.
#[must_use]
pub fn is_full(queue: u64) -> bool {
    len(queue) as u64 >= limit(queue)
}

#[must_use]
pub fn limit(queue: u64) -> u64 {
    field(queue, LIMIT)
}

#[must_use]
pub fn is_closed(queue: u64) -> bool {
    field(queue, CLOSED) != 0
}

/// It takes no further items.
pub fn close(queue: u64) {
    set_field(queue, CLOSED, 1);
}

/// What the queue is for.
#[must_use]
pub fn purpose(queue: u64) -> QueuePurpose {
    QueuePurpose::numbered(field(queue, PURPOSE))
}

/// Adds an item, which it takes over, at the end.
pub fn push(heap: &mut Heap, queue: u64, item: u64) {
    push_to(heap, queue, LATER, item);
}

/// Puts an item, which it takes over, back where it was taken from.
pub fn put_back(heap: &mut Heap, queue: u64, item: u64) {
    push_to(heap, queue, NEXT, item);
}

fn push_to(heap: &mut Heap, queue: u64, place: usize, item: u64) {
    let list = list::push(heap, field(queue, place), item);
    set_field(queue, place, list);
}

/// Takes the first item out; its share is the caller's.
pub fn pop(queue: u64) -> Option<u64> {
    turn(queue);
    list::pop(field(queue, NEXT))
}

/// The first item, borrowed.
#[must_use]
pub fn first(queue: u64) -> Option<u64> {
    turn(queue);
    list::words(field(queue, NEXT)).last().copied()
}

/// With no item to come next, all the later ones are.
fn turn(queue: u64) {
    let (next, later) = (field(queue, NEXT), field(queue, LATER));
    if list::len(next) == 0 && list::len(later) > 0 {
        list::words_mut(later).reverse();
        set_field(queue, NEXT, later);
        set_field(queue, LATER, next);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gsw_abi::builtin::{INT, LIST_INT, LIST_STRING, type_table};
    use gsw_abi::call::QueuePurpose;
    use gsw_abi::types::{Type, TypeId};

    use super::{first, is_full, item_type, new, pop, push, put_back};
    use crate::heap::Heap;
    use crate::value::hash::HashKey;
    use crate::value::string;

    fn heap_with(list: TypeId) -> (Heap, TypeId) {
        let mut types = type_table();
        types.types.push(Type::Queue(list));
        let ty = TypeId(types.types.len() as u32 - 1);
        (Heap::new(Arc::new(types), None, HashKey::of_seed(1)), ty)
    }

    #[test]
    fn items_leave_in_the_order_in_which_they_came() {
        let (mut heap, ty) = heap_with(LIST_INT);
        let queue = new(&mut heap, ty, 3, QueuePurpose::Items);
        assert_eq!(item_type(&heap, queue), INT);
        for item in 1..=3 {
            push(&mut heap, queue, item);
        }
        assert!(is_full(queue));
        assert_eq!((first(queue), pop(queue)), (Some(1), Some(1)));
        push(&mut heap, queue, 4);
        put_back(&mut heap, queue, 1);
        let rest: Vec<u64> = std::iter::from_fn(|| pop(queue)).collect();
        assert_eq!(rest, [1, 2, 3, 4]);
        heap.release(queue);
        assert_eq!(heap.live(), 0);
    }

    #[test]
    fn a_queue_frees_what_is_left_in_it() {
        let (mut heap, ty) = heap_with(LIST_STRING);
        let queue = new(&mut heap, ty, 9, QueuePurpose::Items);
        for text in ["a", "b", "c"] {
            let text = string::new(&mut heap, text);
            push(&mut heap, queue, text);
        }
        if let Some(text) = pop(queue) {
            heap.release(text);
        }
        heap.release(queue);
        assert_eq!(heap.live(), 0);
    }
}
