//! Values as compiled code lays them out: the words of objects, and typed views of them below.
//!
//! Nothing here checks that a word is of the type it is read as; see [`crate::heap`] for why words are valid.

pub mod built;
pub mod error;
pub mod hash;
pub mod json;
pub mod list;
pub mod map;
pub mod optional;
pub mod place;
pub mod queue;
pub mod set;
pub mod string;

use gsw_abi::layout::{self, Header, IMMORTAL};
use gsw_abi::types::TypeId;

/// The type of an object.
#[must_use]
pub fn type_of(word: u64) -> TypeId {
    // SAFETY: the word is an object's address, which starts with a header.
    TypeId(unsafe { (*(word as *const Header)).ty })
}

/// An enum's variant, a `json`'s tag, or how many words of a list are unused in front of its elements.
#[must_use]
pub fn extra(word: u64) -> u32 {
    // SAFETY: the word is an object's address, which starts with a header.
    unsafe { (*(word as *const Header)).extra }
}

/// Replaces that, of an object with one owner.
fn set_extra(word: u64, extra: u32) {
    // SAFETY: the word is an object's address, which starts with a header, and it has no other reference.
    unsafe { (*(word as *mut Header)).extra = extra };
}

/// Whether the caller is the only owner of an object that is no constant, so that its change is not observable.
#[must_use]
pub fn is_unique(word: u64) -> bool {
    // SAFETY: the word is an object's address, which starts with a header; a constant's count is `IMMORTAL` at least.
    unsafe { (*(word as *const Header)).count == 1 }
}

/// How many owners an object has; `None` for constants.
#[must_use]
pub fn owners(word: u64) -> Option<u64> {
    // SAFETY: the word is an object's address, which starts with a header.
    let count = unsafe { (*(word as *const Header)).count };
    (count & IMMORTAL == 0).then_some(count)
}

/// Word `index` after the header: a field of a record, tuple, variant, box or cell.
#[must_use]
pub fn field(word: u64, index: usize) -> u64 {
    load(word, layout::field(index))
}

/// Replaces word `index` after the header, without counting.
pub fn set_field(word: u64, index: usize, value: u64) {
    store(word, layout::field(index), value);
}

/// The word at a byte offset inside an object.
pub(crate) fn load(word: u64, offset: i32) -> u64 {
    // SAFETY: callers pass offsets of the object's layout, all of which are multiples of 8.
    unsafe { *((word as *const u8).offset(offset as isize).cast::<u64>()) }
}

/// Writes the word at a byte offset inside an object.
pub(crate) fn store(word: u64, offset: i32, value: u64) {
    // SAFETY: as for `load`; callers own the object alone or write what is theirs.
    unsafe { *((word as *mut u8).offset(offset as isize).cast::<u64>()) = value };
}
