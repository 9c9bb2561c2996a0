//! Optionals: `none` is 0; what is held inline is in a box, an object is its own optional.

use gsw_abi::types::{Type, TypeId};

use crate::heap::Heap;
use crate::value::{field, set_field};

/// The value present in an optional of `of` that is not `none`; borrowed.
#[must_use]
pub fn inside(heap: &Heap, of: TypeId, word: u64) -> u64 {
    if heap.is_reference(of) {
        word
    } else {
        field(word, 0)
    }
}

/// `word`, which is taken over, as a value of the type `optional`.
#[must_use]
pub fn some(heap: &mut Heap, optional: TypeId, word: u64) -> u64 {
    let optional = heap.types().base(optional);
    // `T??` is `T?`, so a generic function may be asked for an optional that is one already.
    let Type::Optional(of) = *heap.types().get(optional) else {
        return word;
    };
    if heap.is_reference(of) {
        return word;
    }
    let place = heap.object(optional, 0, 1);
    set_field(place, 0, word);
    place
}

/// `word` of type `of`, which is taken over, as a value of `of?`: `T??` is `T?`, so an optional stays as it is.
#[must_use]
pub fn some_of(heap: &mut Heap, optional: TypeId, of: TypeId, word: u64) -> u64 {
    if matches!(heap.types().get(heap.types().base(of)), Type::Optional(_)) {
        word
    } else {
        some(heap, optional, word)
    }
}
