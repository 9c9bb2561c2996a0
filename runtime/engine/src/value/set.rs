//! Sets: objects of one word, the map that has the elements as its keys.

use gsw_abi::layout;
use gsw_abi::types::TypeId;

use crate::heap::Heap;
use crate::value::{field, store};

/// The fields of a set as it is declared in the library, by which compiled code makes and reads it.
pub(crate) const WORDS: usize = 1;
const MEMBERS: usize = 0;

/// The set of the keys of a map, which it takes over.
#[must_use]
pub fn new(heap: &mut Heap, ty: TypeId, members: u64) -> u64 {
    let set = heap.object(ty, 0, WORDS);
    store(set, layout::field(MEMBERS), members);
    set
}

/// The map with the elements as its keys, borrowed.
#[must_use]
pub fn members(set: u64) -> u64 {
    field(set, MEMBERS)
}
