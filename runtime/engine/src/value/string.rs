//! Strings, and what is laid out like them: `bytes`, `secret`, literal unions.

use gsw_abi::builtin;
use gsw_abi::layout::{HEADER, STRING_BYTES, STRING_CAPACITY, STRING_LENGTH, STRING_SCALARS};
use gsw_abi::types::TypeId;

use crate::heap::{Heap, Poll};
use crate::value::{is_unique, load, store, type_of};

const FRONT: usize = (STRING_BYTES - HEADER) as usize;

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
    if load(b, STRING_LENGTH) == 0 {
        return a;
    }
    if is_unique(a) {
        // `a + a` with two owners is copied below, so here `b` is another object, or stays where it is.
        return append(heap, a, bytes(b), scalars(b));
    }
    let (count, length) = (scalars(a) + scalars(b), bytes(a).len() + bytes(b).len());
    if !heap.admit((FRONT + length) as u64) {
        return a;
    }
    let word = build(heap, type_of(a), &[bytes(a), bytes(b)], count, length);
    heap.release(a);
    word
}

/// A string, which is taken over, with more text after it; in place when it has no other owner. What does not fit the run's
/// memory is left away, and the run stops at its next poll.
#[must_use]
pub(crate) fn extended(heap: &mut Heap, word: u64, more: &str) -> u64 {
    if is_unique(word) {
        return append(heap, word, more.as_bytes(), scalar_count(more));
    }
    let (count, length) = (
        scalars(word) + scalar_count(more),
        bytes(word).len() + more.len(),
    );
    if !heap.admit((FRONT + length) as u64) {
        return word;
    }
    let longer = build(
        heap,
        type_of(word),
        &[bytes(word), more.as_bytes()],
        count,
        length,
    );
    heap.release(word);
    longer
}

/// A string with one owner and `part` after it, which is no part of it; without, when that does not fit the run's memory.
fn append(heap: &mut Heap, word: u64, part: &[u8], scalar_values: usize) -> u64 {
    let (left, room) = (
        load(word, STRING_LENGTH) as usize,
        load(word, STRING_CAPACITY) as usize,
    );
    let (length, count) = (left + part.len(), scalars(word) + scalar_values);
    let mut word = word;
    if room < length {
        // Doubling makes appending linear; where memory ends, exactly what is needed.
        let sizes = [length.max(room * 2).max(24), length].map(|it| it as u64);
        let Some(capacity) = heap.admit_first(room as u64, sizes) else {
            return word;
        };
        word = heap.resize(word, FRONT + room, FRONT + capacity as usize);
        store(word, STRING_CAPACITY, capacity);
    }
    // SAFETY: there is room for `length` bytes from `STRING_BYTES` on, and `part` is elsewhere.
    unsafe {
        let end = (word as *mut u8).offset(STRING_BYTES as isize).add(left);
        std::ptr::copy_nonoverlapping(part.as_ptr(), end, part.len());
    }
    store(word, STRING_LENGTH, length as u64);
    store(word, STRING_SCALARS, count as u64);
    word
}

/// A string of borrowed text, or the error that it is too large for the run.
pub(crate) fn admitted(heap: &mut Heap, text: &str) -> Result<u64, u64> {
    heap.demand((FRONT + text.len()) as u64)?;
    Ok(new(heap, text))
}

/// A string on its way: it counts as memory while it grows, and takes nothing more once the run is to stop or its memory is
/// used up.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    heap: &'a mut Heap,
    word: u64,
    poll: Poll,
    has_ended: bool,
}

impl<'a> Writer<'a> {
    /// An empty string with room for so many bytes, or the error that they are too many.
    pub(crate) fn new(heap: &'a mut Heap, capacity: usize) -> Result<Self, u64> {
        heap.demand(FRONT.saturating_add(capacity) as u64)?;
        let word = build(heap, builtin::STRING, &[], 0, capacity);
        Ok(Self {
            heap,
            word,
            poll: Poll::default(),
            has_ended: false,
        })
    }

    /// The heap that it is made in.
    pub(crate) fn heap(&self) -> &Heap {
        self.heap
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        if !self.has_ended {
            self.word = append(self.heap, self.word, text.as_bytes(), scalar_count(text));
            self.has_ended = self.poll.ends(self.heap);
        }
    }

    /// Ends the string when the run has no memory for this many bytes, which are about to be made.
    pub(crate) fn demand(&mut self, bytes: usize) {
        self.has_ended |= !self.heap.admit(bytes as u64);
    }

    /// Whether nothing more is taken.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The string, or the error that it ended early with.
    pub(crate) fn finish(self) -> Result<u64, u64> {
        if self.has_ended {
            self.heap.release(self.word);
            return Err(self.heap.interrupted());
        }
        Ok(self.word)
    }
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
