//! The memory of one run: its objects and frames, counted so that nothing outlives it and a limit can hold.
//!
//! A *word* given to any function of this crate is valid: it is held inline, or 0, or the address of an object of this
//! heap or of the image's constants whose count includes the caller's share. Compiled code, checked by the Flow verifier,
//! and the functions here keep that true; it is why reading through a word is no `unsafe` of each caller.

mod cursor;
pub(crate) mod limit;
mod pool;
mod shape;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::sync::Arc;

use gsw_abi::layout::{Frame, HEADER, Header, IMMORTAL, slot};
use gsw_abi::types::{TypeId, TypeTable};

use cursor::Cursor;
use pool::Pool;
use shape::Shape;

use crate::front::Front;
use crate::hidden::Hidden;
use crate::value;
use crate::value::hash::HashKey;

pub(crate) use limit::Poll;

/// A list of work of more entries is given back after it is done.
const KEPT_WORK: usize = 1 << 16;

/// The memory of one run.
#[derive(Debug)]
pub struct Heap {
    types: Arc<TypeTable>,
    shapes: Box<[Shape]>,
    reflexive: Box<[bool]>,
    pool: Pool,
    live: u64,
    frames: u64,
    limit: u64,
    /// Where it counts as passed: above the limit from when that was reported until less is in use again, so that unwinding, which
    /// takes memory before it gives some back, does not pass it a second time.
    threshold: u64,
    /// Bytes of tasks and nodes, which are no part of the pool.
    outside: u64,
    is_over_limit: bool,
    /// Work of the runtime that cannot raise has ended early.
    is_cut: Cell<bool>,
    /// The flag that loops poll; null outside of a run.
    alarm: Option<Arc<Front>>,
    internal: Option<String>,
    dropped: Vec<(TypeId, u64)>,
    work: Vec<u64>,
    hash_key: HashKey,
    labels: indexmap::IndexSet<Box<str>>,
    /// The values of constants that are made when they are first used, by the function that makes them.
    constants: rustc_hash::FxHashMap<u32, u64>,
    /// What has come from outside into places that hide it.
    hidden: Arc<Hidden>,
    cursor: Cursor,
}

// SAFETY: every pointer in a heap points at memory that only this heap reaches, or at immutable constants.
unsafe impl Send for Heap {}

impl Heap {
    /// An empty heap that passes its limit when more than `limit` bytes are in use, with this key of hashes.
    #[must_use]
    pub fn new(types: Arc<TypeTable>, limit: Option<u64>, hash_key: HashKey) -> Self {
        let shapes = shape::shapes(&types);
        let reflexive = shape::reflexive(&types);
        Self {
            types,
            shapes,
            reflexive,
            pool: Pool::default(),
            live: 0,
            frames: 0,
            limit: limit.unwrap_or(u64::MAX),
            threshold: limit.unwrap_or(u64::MAX),
            outside: 0,
            is_over_limit: false,
            is_cut: Cell::new(false),
            alarm: None,
            internal: None,
            dropped: Vec::new(),
            work: Vec::new(),
            hash_key,
            labels: indexmap::IndexSet::new(),
            constants: rustc_hash::FxHashMap::default(),
            hidden: Arc::default(),
            cursor: Cursor::default(),
        }
    }

    /// A value has come from outside into a place that hides it.
    pub(crate) fn hide(&mut self, value: &serde_json::Value) {
        Arc::make_mut(&mut self.hidden).add(value);
    }

    /// From here on nothing is hidden, and what comes into a hidden place is not kept, until what is returned is given back.
    pub(crate) fn set_hidden_aside(&mut self) -> Arc<Hidden> {
        std::mem::take(&mut self.hidden)
    }

    pub(crate) fn take_hidden_back(&mut self, hidden: Arc<Hidden>) {
        self.hidden = hidden;
    }

    /// What is hidden, for who changes the heap meanwhile.
    pub(crate) fn hidden(&self) -> Arc<Hidden> {
        Arc::clone(&self.hidden)
    }

    pub(crate) fn known_hidden(&self) -> &Hidden {
        &self.hidden
    }

    /// A text that the runtime has made of values, without those that are hidden. A text is cut after this and not before, so that no
    /// beginning of one is left.
    pub(crate) fn without_hidden(&self, text: String) -> String {
        self.hidden.redact_text(text)
    }

    /// What observers see of a few words about an operation.
    pub(crate) fn shown_summary(&self, summary: &str) -> String {
        self.hidden.redact_summary(summary)
    }

    /// The same of the texts in a value.
    pub(crate) fn value_without_hidden(&self, value: serde_json::Value) -> serde_json::Value {
        self.hidden.redact_texts(value)
    }

    #[must_use]
    pub fn types(&self) -> &Arc<TypeTable> {
        &self.types
    }

    /// The key of hashes of values.
    #[must_use]
    pub fn hash_key(&self) -> HashKey {
        self.hash_key
    }

    /// How many objects are alive; constants do not count.
    #[must_use]
    pub fn live(&self) -> u64 {
        self.live
    }

    /// How many frames are alive.
    #[must_use]
    pub fn live_frames(&self) -> u64 {
        self.frames
    }

    /// The bytes in use by objects and frames.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.pool.bytes()
    }

    /// Records a bug in the runtime; the first one stays.
    pub fn record_internal(&mut self, message: String) {
        self.internal.get_or_insert(message);
    }

    /// The recorded bug in the runtime, once.
    pub fn take_internal(&mut self) -> Option<String> {
        self.internal.take()
    }

    /// The handles of tasks, streams, sessions and media whose objects were freed since this was last asked.
    pub fn take_dropped(&mut self) -> Vec<(TypeId, u64)> {
        std::mem::take(&mut self.dropped)
    }

    /// Whether a word of this type is counted.
    #[must_use]
    pub fn is_reference(&self, ty: TypeId) -> bool {
        !matches!(self.shape(ty), Shape::Inline)
    }

    /// Whether each value of this type equals itself; what holds a float may not.
    #[must_use]
    pub fn is_reflexive(&self, ty: TypeId) -> bool {
        self.reflexive[ty.0 as usize]
    }

    /// A fresh object with one owner, `words` words after the header, all 0.
    #[must_use]
    pub fn object(&mut self, ty: TypeId, extra: u32, words: usize) -> u64 {
        let word = self.object_of_bytes(ty, extra, 8 * words);
        for index in 0..words {
            value::set_field(word, index, 0);
        }
        word
    }

    /// The number of a text that objects may carry in their headers, from 1; each different text is kept once, for good.
    pub fn label(&mut self, text: &str) -> u32 {
        let index = match self.labels.get_index_of(text) {
            Some(index) => index,
            None => self.labels.insert_full(text.into()).0,
        };
        u32::try_from(index).map_or(0, |it| it.saturating_add(1))
    }

    /// The text of a number; `None` for 0.
    #[must_use]
    pub fn label_text(&self, number: u32) -> Option<&str> {
        let index = (number as usize).checked_sub(1)?;
        self.labels.get_index(index).map(|it| &**it)
    }

    /// The value of the constant that a function computes, with a count of its own; 0 when it was not computed yet.
    #[must_use]
    pub fn kept(&self, function: u32) -> u64 {
        let value = self.constants.get(&function).copied().unwrap_or(0);
        retain(value);
        value
    }

    /// Keeps the value of the constant that a function makes until the run ends; borrows it.
    pub fn keep(&mut self, function: u32, value: u64) {
        retain(value);
        if let Some(old) = self.constants.insert(function, value) {
            self.release(old);
        }
    }

    /// Releases the values of constants: no code of the run is left that could ask for them.
    pub fn release_constants(&mut self) {
        for value in std::mem::take(&mut self.constants).into_values() {
            self.release(value);
        }
    }

    /// A fresh object with one owner and `bytes` unwritten bytes after the header.
    #[must_use]
    pub fn object_of_bytes(&mut self, ty: TypeId, extra: u32, bytes: usize) -> u64 {
        let address = self.allocate(HEADER as usize + bytes);
        let header = Header {
            count: 1,
            ty: ty.0,
            extra,
        };
        // SAFETY: `allocate` gave at least the size of a header, aligned to 16.
        unsafe { address.cast::<Header>().write(header) };
        self.live += 1;
        address as u64
    }

    /// Makes an object larger or smaller at its end, moving it if need be; `old` and `new` are bytes after the header.
    /// The object has one owner, and the word that named it is void.
    #[must_use]
    pub fn resize(&mut self, word: u64, old: usize, new: usize) -> u64 {
        let (old, new) = (HEADER as usize + old, HEADER as usize + new);
        self.cursor.forget(word);
        // SAFETY: the object was allocated with `old` bytes, and by the contract of this function it has no other
        // reference.
        let address = unsafe { self.pool.resize(word as *mut u8, old, new) };
        self.look_at_limit();
        address as u64
    }

    pub fn retain(&self, word: u64) {
        retain(word);
    }

    /// One more owner of a word that may be held inline.
    pub fn retain_typed(&self, ty: TypeId, word: u64) {
        if self.is_reference(ty) {
            retain(word);
        }
    }

    /// One owner less; frees the object, and what only it owned, when it was the last. 0 and constants are ignored.
    pub fn release(&mut self, word: u64) {
        if drops_last(word) {
            self.free(word);
        }
    }

    /// One owner less of a word that may be held inline.
    pub fn release_typed(&mut self, ty: TypeId, word: u64) {
        if self.is_reference(ty) {
            self.release(word);
        }
    }

    /// Frees an object that has no owner left, and what only it owned, however deep, without native recursion.
    pub fn free(&mut self, word: u64) {
        // A worklist instead of recursion: a list of a million nested lists would otherwise end the native stack.
        let mut work = std::mem::take(&mut self.work);
        work.push(word);
        while let Some(word) = work.pop() {
            self.free_one(word, &mut work);
        }
        // Reused from call to call, since most objects own a few others; a list of millions must not keep its worklist.
        work.shrink_to(KEPT_WORK);
        self.work = work;
    }

    /// A fresh frame with no parent, state 0 and `slots` slots, all 0.
    #[must_use]
    pub fn frame_new(&mut self, function: u32, slots: u32) -> *mut Frame {
        let bytes = frame_bytes(slots);
        let frame = self.allocate(bytes);
        // SAFETY: a frame of zero bytes is a valid `Frame`, and `allocate` gave that many bytes, aligned to 16.
        unsafe {
            // State 0 and no parent, value or error: a frame that is dropped before it starts owns its parameters alone.
            frame.write_bytes(0, bytes);
            (*frame.cast::<Frame>()).function = function;
        }
        self.frames += 1;
        frame.cast()
    }

    /// Frees a frame made with the same number of slots; these own nothing any more.
    pub fn frame_free(&mut self, frame: *mut Frame, slots: u32) {
        self.frames -= 1;
        // SAFETY: the frame came from `frame_new` with as many slots, and its owner gives it up.
        unsafe { self.pool.free(frame.cast(), frame_bytes(slots)) };
    }

    /// Memory that is part of an object, beside it.
    pub(crate) fn allocate(&mut self, bytes: usize) -> *mut u8 {
        let address = self.pool.allocate(bytes);
        // The memory is given all the same: a refusal here would be an error edge in every instruction that makes a value.
        // The flag ends the run's code at its next poll.
        self.look_at_limit();
        address
    }

    /// Gives memory back.
    ///
    /// # Safety
    /// `address` came from `allocate` with the same number of bytes and is not used any more.
    pub(crate) unsafe fn deallocate(&mut self, address: *mut u8, bytes: usize) {
        // SAFETY: as this function demands.
        unsafe { self.pool.free(address, bytes) };
    }

    fn shape(&self, ty: TypeId) -> &Shape {
        &self.shapes[ty.0 as usize]
    }

    fn free_one(&mut self, word: u64, work: &mut Vec<u64>) {
        let mut drop_child = |child: u64| {
            // The count goes down when the child is found, so each object enters the worklist once, whatever the order.
            if drops_last(child) {
                work.push(child);
            }
        };
        self.cursor.forget(word);
        let ty = value::type_of(word);
        let bytes = match &self.shapes[ty.0 as usize] {
            Shape::Inline => 8,
            Shape::Bytes => value::string::bytes_after_header(word),
            Shape::Words(fields) => {
                fields.references(word).for_each(&mut drop_child);
                fields.bytes()
            }
            Shape::Variants(variants) => {
                let fields = &variants[value::extra(word) as usize];
                fields.references(word).for_each(&mut drop_child);
                fields.bytes()
            }
            Shape::List { counted } => {
                if *counted {
                    value::list::words(word)
                        .iter()
                        .copied()
                        .for_each(&mut drop_child);
                }
                value::list::bytes_after_header(word)
            }
            Shape::Map {
                key,
                value: of_value,
            } => {
                let (key, of_value) = (*key, *of_value);
                for (entry_key, entry_value) in value::map::entries(word) {
                    if key {
                        drop_child(entry_key);
                    }
                    if of_value {
                        drop_child(entry_value);
                    }
                }
                // After the entries were read: the tables hold them.
                value::map::free_tables(self, word);
                value::map::BYTES
            }
            Shape::Json => {
                if value::json::owns_payload(word) {
                    drop_child(value::field(word, 0));
                }
                8
            }
            Shape::Opaque => {
                // What the handle names belongs to the run, which is not reachable from here; it collects these between two tasks.
                self.dropped.push((ty, value::field(word, 0)));
                8
            }
        };
        self.live -= 1;
        // SAFETY: the object had no owner left and was allocated with this size; its children were taken out above.
        unsafe { self.pool.free(word as *mut u8, HEADER as usize + bytes) };
    }
}

/// One more owner of an object; 0 and constants are ignored.
pub fn retain(word: u64) {
    if word == 0 {
        return;
    }
    let header = word as *mut Header;
    // SAFETY: the word is valid; constants carry `IMMORTAL` and are not written.
    unsafe {
        if (*header).count & IMMORTAL == 0 {
            (*header).count += 1;
        }
    }
}

/// Takes one owner away; whether it was the last.
fn drops_last(word: u64) -> bool {
    if word == 0 {
        return false;
    }
    let header = word as *mut Header;
    // SAFETY: the word is valid; constants carry `IMMORTAL` and are not written.
    unsafe {
        if (*header).count & IMMORTAL != 0 {
            return false;
        }
        (*header).count -= 1;
        (*header).count == 0
    }
}

fn frame_bytes(slots: u32) -> usize {
    slot(slots as usize) as usize
}
