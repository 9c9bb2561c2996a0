//! Strings, and what is laid out like them: `bytes`, `secret`, literal unions.

use gsw_abi::builtin;
use gsw_abi::layout::{HEADER, STRING_BYTES, STRING_CAPACITY, STRING_LENGTH, STRING_SCALARS};
use gsw_abi::types::TypeId;

use crate::heap::Heap;
use crate::value::{is_unique, load, store, type_of};

const FRONT: usize = (STRING_BYTES - HEADER) as usize;

/// A new string.
#[must_use]
pub fn new(heap: &mut Heap, text: &str) -> u64 {
    let scalars = scalar_count(text);
    build(
        heap,
        builtin::STRING,
        &[text.as_bytes()],
        scalars,
        text.len(),
    )
}

/// New `bytes`.
#[must_use]
pub fn new_bytes(heap: &mut Heap, bytes: &[u8]) -> u64 {
    build(heap, builtin::BYTES, &[bytes], bytes.len(), bytes.len())
}

/// A new object of type `ty`, laid out as a string.
#[must_use]
pub fn new_of(heap: &mut Heap, ty: TypeId, text: &str) -> u64 {
    build(heap, ty, &[text.as_bytes()], scalar_count(text), text.len())
}

/// The text of a string; valid while the caller has a share in it and does not change it.
#[must_use]
pub fn text<'a>(word: u64) -> &'a str {
    // SAFETY: strings hold UTF-8: they are made from `str`s and from constants that the compiler made of such.
    unsafe { std::str::from_utf8_unchecked(bytes(word)) }
}

/// The bytes of a string or of `bytes`; valid as for [`text`].
#[must_use]
pub fn bytes<'a>(word: u64) -> &'a [u8] {
    let length = load(word, STRING_LENGTH) as usize;
    // SAFETY: the object holds that many bytes from `STRING_BYTES` on.
    unsafe { std::slice::from_raw_parts((word as *const u8).offset(STRING_BYTES as isize), length) }
}

/// How many Unicode scalar values a string has.
#[must_use]
pub fn scalars(word: u64) -> usize {
    load(word, STRING_SCALARS) as usize
}

/// Whether a string is ASCII, so that its bytes are its scalar values.
#[must_use]
pub fn is_ascii(word: u64) -> bool {
    load(word, STRING_SCALARS) == load(word, STRING_LENGTH)
}

/// `a + b`: takes over `a`, borrows `b`; in place when `a` has no other owner. What does not fit the run's memory is left
/// away, and the run stops at its next poll.
#[must_use]
pub fn concat(heap: &mut Heap, a: u64, b: u64) -> u64 {
    let (left, right) = (
        load(a, STRING_LENGTH) as usize,
        load(b, STRING_LENGTH) as usize,
    );
    if right == 0 {
        return a;
    }
    let (length, count) = (left + right, scalars(a) + scalars(b));
    if !is_unique(a) {
        if !heap.admit((FRONT + length) as u64) {
            return a;
        }
        let word = build(heap, type_of(a), &[bytes(a), bytes(b)], count, length);
        heap.release(a);
        return word;
    }
    let room = load(a, STRING_CAPACITY) as usize;
    let mut word = a;
    if room < length {
        let capacity = length.max(room * 2).max(24);
        if !heap.admit_growth(room as u64, capacity as u64) {
            return a;
        }
        word = heap.resize(a, FRONT + room, FRONT + capacity);
        store(word, STRING_CAPACITY, capacity as u64);
    }
    // `a + a` with two owners was copied above, so here `b` is another object, or stays where it is.
    // SAFETY: there is room for `length` bytes from `STRING_BYTES` on, and `b` holds `right` bytes elsewhere.
    unsafe {
        let end = (word as *mut u8).offset(STRING_BYTES as isize).add(left);
        std::ptr::copy_nonoverlapping(bytes(b).as_ptr(), end, right);
    }
    store(word, STRING_LENGTH, length as u64);
    store(word, STRING_SCALARS, count as u64);
    word
}

/// The bytes of the object after its header.
pub(crate) fn bytes_after_header(word: u64) -> usize {
    FRONT + load(word, STRING_CAPACITY) as usize
}

/// How many Unicode scalar values a text has.
#[must_use]
pub fn scalar_count(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}

fn build(heap: &mut Heap, ty: TypeId, parts: &[&[u8]], scalars: usize, capacity: usize) -> u64 {
    let word = heap.object_of_bytes(ty, 0, FRONT + capacity);
    let mut length = 0;
    for part in parts {
        // SAFETY: `capacity` is at least the sum of the parts, so this stays inside the new object.
        unsafe {
            let end = (word as *mut u8).offset(STRING_BYTES as isize).add(length);
            std::ptr::copy_nonoverlapping(part.as_ptr(), end, part.len());
        }
        length += part.len();
    }
    store(word, STRING_LENGTH, length as u64);
    store(word, STRING_SCALARS, scalars as u64);
    store(word, STRING_CAPACITY, capacity as u64);
    word
}
