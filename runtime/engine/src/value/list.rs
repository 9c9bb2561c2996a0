//! Lists: elements inline, pushed and taken off at both ends in place when the list has no other owner.

use std::ops::Range;

use gsw_abi::builtin;
use gsw_abi::layout::{HEADER, LIST_CAPACITY, LIST_ELEMENTS, LIST_LENGTH};
use gsw_abi::types::{Type, TypeId};

use crate::heap::{Heap, Poll};
use crate::value::{extra, is_unique, load, set_extra, store, string, type_of};

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
    // SAFETY: the object holds as many words from the first element on.
    unsafe { std::slice::from_raw_parts(first(word), len(word)) }
}

/// The elements of a list with one owner, to be moved about.
pub fn words_mut<'a>(word: u64) -> &'a mut [u64] {
    debug_assert!(is_unique(word));
    // SAFETY: as for `words`, and the caller is the only owner.
    unsafe { std::slice::from_raw_parts_mut(first(word), len(word)) }
}

/// The type of a list's elements.
#[must_use]
pub fn element_type(heap: &Heap, list: TypeId) -> TypeId {
    let ty = heap.types().get(heap.types().base(list));
    let Type::List(element) = ty else {
        unreachable!("a list has a list type, not {ty:?}")
    };
    *element
}

/// `list` with one more element; takes over both. What does not fit the run's memory is left away, and the run stops at its
/// next poll.
#[must_use]
pub fn push(heap: &mut Heap, list: u64, element: u64) -> u64 {
    match unique(heap, list, 1).and_then(|list| grown(heap, list, 1)) {
        Ok(list) => {
            let length = len(list);
            put(list, length, element);
            store(list, LIST_LENGTH, length as u64 + 1);
            list
        }
        Err(list) => {
            let of = element_type(heap, type_of(list));
            heap.release_typed(of, element);
            list
        }
    }
}

/// Takes the last element out of a list with one owner, which gives its share to the caller.
pub fn pop(list: u64) -> Option<u64> {
    debug_assert!(is_unique(list));
    let &last = words(list).last()?;
    store(list, LIST_LENGTH, len(list) as u64 - 1);
    Some(last)
}

/// The list itself when the caller is its only owner, else a copy with room for `extra` more; takes it over. `Err` gives the
/// list back when the run has no memory for a copy.
pub fn unique(heap: &mut Heap, list: u64, extra: usize) -> Result<u64, u64> {
    if is_unique(list) {
        return Ok(list);
    }
    // Asked before the copy is made, so that a refusal leaves the list and its owners as they were.
    if !heap.admit(size(len(list) + extra)) {
        return Err(list);
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
    Ok(copy)
}

/// The elements at these places, which are there; takes `list` over. In place when the caller is the only owner and what is left
/// is not too little for the object; else the copy, or the error that there is no memory for it.
pub(crate) fn part(heap: &mut Heap, list: u64, range: Range<usize>) -> Result<u64, u64> {
    let length = range.len();
    let unused = u32::try_from(extra(list) as usize + range.start);
    let is_worth_it = length * MOST_UNUSED >= words_after_front(list);
    let (Ok(unused), true, true) = (unused, is_unique(list), is_worth_it) else {
        let part = copy(heap, type_of(list), &words(list)[range]);
        heap.release(list);
        return part;
    };
    let element = element_type(heap, type_of(list));
    if heap.is_reference(element) {
        let (before, after) = (&words(list)[..range.start], &words(list)[range.end..]);
        for &word in before.iter().chain(after) {
            heap.release(word);
        }
    }
    let capacity = load(list, LIST_CAPACITY) - range.start as u64;
    set_extra(list, unused);
    store(list, LIST_CAPACITY, capacity);
    store(list, LIST_LENGTH, length as u64);
    Ok(list)
}

/// Where fewer than one word in this many would hold an element, the elements are copied and the object is given back. Each was
/// taken off before, so that costs a few moves for each of them.
const MOST_UNUSED: usize = 4;

/// A list with one owner that has room for `more`. `Err` gives it back as it was when the run has no memory for them.
fn grown(heap: &mut Heap, list: u64, more: usize) -> Result<u64, u64> {
    let length = len(list) + more;
    if length <= load(list, LIST_CAPACITY) as usize {
        return Ok(list);
    }
    let unused = extra(list) as usize;
    let capacity = words_after_front(list);
    if unused > 0 {
        move_to_front(list);
        // Half of the words at least have been taken off since the elements were moved last.
        if length <= capacity && unused >= capacity / 2 {
            return Ok(list);
        }
    }
    let sizes = [length.max(capacity * 2).max(4), length].map(size);
    let Some(bytes) = heap.admit_first(size(capacity), sizes) else {
        return Err(list);
    };
    let list = heap.resize(list, FRONT + 8 * capacity, bytes as usize);
    store(list, LIST_CAPACITY, (bytes - FRONT as u64) / 8);
    Ok(list)
}

/// Moves the elements of a list with one owner to its first words.
fn move_to_front(list: u64) {
    let capacity = words_after_front(list);
    let (from, length) = (first(list), len(list));
    set_extra(list, 0);
    store(list, LIST_CAPACITY, capacity as u64);
    // SAFETY: both are words of the object, which the caller alone owns.
    unsafe { std::ptr::copy(from, first(list), length) };
}

/// How many words an element may be in, the unused ones in front included.
fn words_after_front(list: u64) -> usize {
    extra(list) as usize + load(list, LIST_CAPACITY) as usize
}

/// Where the first element is.
fn first(list: u64) -> *mut u64 {
    // SAFETY: an object of a list begins with `FRONT` bytes and as many words as `extra` says.
    unsafe {
        (list as *mut u8)
            .offset(LIST_ELEMENTS as isize)
            .cast::<u64>()
            .add(extra(list) as usize)
    }
}

/// The bytes after the header of a list of this many elements.
fn size(length: usize) -> u64 {
    (FRONT + 8 * length) as u64
}

/// A list on its way: it counts as memory while it grows, and gives itself up with an error once the run is to stop or its
/// memory is used up.
#[derive(Debug)]
pub(crate) struct Filling {
    list: u64,
    poll: Poll,
}

impl Filling {
    /// An empty list with room for so many elements, or the error that they are too many.
    pub(crate) fn new(heap: &mut Heap, ty: TypeId, capacity: usize) -> Result<Self, u64> {
        heap.demand(size(0).saturating_add((capacity as u64).saturating_mul(8)))?;
        Ok(Self {
            list: with_capacity(heap, ty, capacity),
            poll: Poll::default(),
        })
    }

    /// Another element, which is taken over.
    pub(crate) fn push(mut self, heap: &mut Heap, element: u64) -> Result<Self, u64> {
        self.list = push(heap, self.list, element);
        if self.poll.ends(heap) {
            heap.release(self.list);
            return Err(heap.interrupted());
        }
        Ok(self)
    }

    pub(crate) fn give_up(self, heap: &mut Heap) {
        heap.release(self.list);
    }

    pub(crate) fn finish(self) -> u64 {
        self.list
    }
}

/// The bytes of the object after its header.
pub(crate) fn bytes_after_header(word: u64) -> usize {
    FRONT + 8 * words_after_front(word)
}

fn put(list: u64, index: usize, element: u64) {
    // SAFETY: callers made room for the element, and the list is theirs alone.
    unsafe { first(list).add(index).write(element) };
}

/// A new list of borrowed elements, or the error that they are too many.
pub(crate) fn copy(heap: &mut Heap, ty: TypeId, elements: &[u64]) -> Result<u64, u64> {
    heap.demand(size(elements.len()))?;
    retain_all(heap, element_type(heap, ty), elements);
    Ok(new(heap, ty, elements))
}

/// `list`, which is taken over, with borrowed elements after its own; they may be its own. What does not fit the run's
/// memory is left away, and the run stops at its next poll.
#[must_use]
pub fn extend(heap: &mut Heap, list: u64, elements: &[u64]) -> u64 {
    if elements.is_empty() {
        return list;
    }
    let element = element_type(heap, type_of(list));
    let list = match unique(heap, list, elements.len())
        .and_then(|list| grown(heap, list, elements.len()))
    {
        Ok(list) => list,
        Err(list) => return list,
    };
    let length = len(list);
    // Before they are written: `elements` may be the list's own, which then is not unique and was copied above.
    retain_all(heap, element, elements);
    for (index, &element) in elements.iter().enumerate() {
        put(list, length + index, element);
    }
    store(list, LIST_LENGTH, (length + elements.len()) as u64);
    list
}

fn retain_all(heap: &Heap, element: TypeId, words: &[u64]) {
    if heap.is_reference(element) {
        words.iter().for_each(|&word| heap.retain(word));
    }
}

/// A new list of strings, or the error that they are too many for the run.
pub(crate) fn of_texts<'a>(
    heap: &mut Heap,
    texts: impl Iterator<Item = &'a str>,
) -> Result<u64, u64> {
    let mut words = Filling::new(heap, builtin::LIST_STRING, 0)?;
    for text in texts {
        match string::admitted(heap, text) {
            Ok(word) => words = words.push(heap, word)?,
            Err(error) => {
                words.give_up(heap);
                return Err(error);
            }
        }
    }
    Ok(words.finish())
}
