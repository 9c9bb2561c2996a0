//! Lists: elements inline, pushed in place when nobody else sees it.

use gsw_abi::layout::{HEADER, LIST_CAPACITY, LIST_ELEMENTS, LIST_LENGTH};
use gsw_abi::types::{Type, TypeId};

use crate::heap::Heap;
use crate::value::{is_unique, load, store, type_of};

const FRONT: usize = (LIST_ELEMENTS - HEADER) as usize;

/// An empty list with room for `capacity` elements.
#[must_use]
pub fn with_capacity(heap: &mut Heap, ty: TypeId, capacity: usize) -> u64 {
    let word = heap.object_of_bytes(ty, 0, FRONT + 8 * capacity);
    store(word, LIST_LENGTH, 0);
    store(word, LIST_CAPACITY, capacity as u64);
    word
}

/// A list of these elements, which it takes over.
#[must_use]
pub fn new(heap: &mut Heap, ty: TypeId, elements: &[u64]) -> u64 {
    let word = with_capacity(heap, ty, elements.len());
    for (index, &element) in elements.iter().enumerate() {
        put(word, index, element);
    }
    store(word, LIST_LENGTH, elements.len() as u64);
    word
}

/// How many elements a list has.
#[must_use]
pub fn len(word: u64) -> usize {
    load(word, LIST_LENGTH) as usize
}

/// The elements, borrowed; valid while the caller has a share in the list and does not change it.
#[must_use]
pub fn words<'a>(word: u64) -> &'a [u64] {
    // SAFETY: the object holds as many words from `LIST_ELEMENTS` on.
    unsafe {
        std::slice::from_raw_parts(
            (word as *const u8).offset(LIST_ELEMENTS as isize).cast(),
            len(word),
        )
    }
}

/// The elements of a list with one owner, to be moved about.
pub fn words_mut<'a>(word: u64) -> &'a mut [u64] {
    debug_assert!(is_unique(word));
    // SAFETY: as for `words`, and the caller is the only owner.
    unsafe {
        std::slice::from_raw_parts_mut(
            (word as *mut u8).offset(LIST_ELEMENTS as isize).cast(),
            len(word),
        )
    }
}

/// The type of a list's elements.
#[must_use]
pub fn element_type(heap: &Heap, list: TypeId) -> TypeId {
    match heap.types().get(heap.types().base(list)) {
        Type::List(element) => *element,
        other => unreachable!("a list has a list type, not {other:?}"),
    }
}

/// `list` with one more element; takes over both.
#[must_use]
pub fn push(heap: &mut Heap, list: u64, element: u64) -> u64 {
    let mut list = unique(heap, list, 1);
    let (length, capacity) = (len(list), load(list, LIST_CAPACITY) as usize);
    if length == capacity {
        let more = (capacity * 2).max(4);
        heap.admit_growth(8 * capacity as u64, 8 * more as u64);
        list = heap.resize(list, FRONT + 8 * capacity, FRONT + 8 * more);
        store(list, LIST_CAPACITY, more as u64);
    }
    put(list, length, element);
    store(list, LIST_LENGTH, length as u64 + 1);
    list
}

/// The list itself when the caller is its only owner, else a copy with room for `extra` more; takes it over.
#[must_use]
pub fn unique(heap: &mut Heap, list: u64, extra: usize) -> u64 {
    if is_unique(list) {
        return list;
    }
    let ty = type_of(list);
    let counted = heap.is_reference(element_type(heap, ty));
    let copy = with_capacity(heap, ty, len(list) + extra);
    for (index, &element) in words(list).iter().enumerate() {
        if counted {
            heap.retain(element);
        }
        put(copy, index, element);
    }
    store(copy, LIST_LENGTH, len(list) as u64);
    heap.release(list);
    copy
}

/// Shortens a list with one owner; the elements beyond are the caller's.
pub fn truncate(list: u64, length: usize) {
    debug_assert!(is_unique(list) && length <= len(list));
    store(list, LIST_LENGTH, length as u64);
}

/// The bytes of the object after its header.
pub(crate) fn bytes_after_header(word: u64) -> usize {
    FRONT + 8 * load(word, LIST_CAPACITY) as usize
}

fn put(list: u64, index: usize, element: u64) {
    // SAFETY: callers made room for the element, and the list is theirs alone.
    unsafe {
        let first = (list as *mut u8)
            .offset(LIST_ELEMENTS as isize)
            .cast::<u64>();
        first.add(index).write(element);
    }
}

/// A new list of borrowed elements.
#[must_use]
pub fn copy(heap: &mut Heap, ty: TypeId, elements: &[u64]) -> u64 {
    retain_all(heap, element_type(heap, ty), elements);
    new(heap, ty, elements)
}

/// `list`, which is taken over, with borrowed elements behind its own; they may be its own.
#[must_use]
pub fn extend(heap: &mut Heap, list: u64, elements: &[u64]) -> u64 {
    if elements.is_empty() {
        return list;
    }
    let element = element_type(heap, type_of(list));
    let count = elements.len();
    let mut list = unique(heap, list, count);
    let (length, capacity) = (len(list), load(list, LIST_CAPACITY) as usize);
    if capacity < length + count {
        let more = (length + count).max(capacity * 2);
        heap.admit_growth(8 * capacity as u64, 8 * more as u64);
        list = heap.resize(list, FRONT + 8 * capacity, FRONT + 8 * more);
        store(list, LIST_CAPACITY, more as u64);
    }
    retain_all(heap, element, elements);
    for (index, &element) in elements.iter().enumerate() {
        put(list, length + index, element);
    }
    store(list, LIST_LENGTH, (length + count) as u64);
    list
}

fn retain_all(heap: &Heap, element: TypeId, words: &[u64]) {
    if heap.is_reference(element) {
        words.iter().for_each(|&word| heap.retain(word));
    }
}
