//! Places: parts of the value in a cell, as the addresses of the words that hold them.
//!
//! On the way to a part, what is shared with others is replaced by a copy, which no program can tell from the original; so
//! what is at the end of the way can be changed without any other owner seeing it, and a way that ends early has changed
//! nothing. A place is valid until the value is changed in another way than through it.

use gsw_abi::layout;
use gsw_abi::types::{Type, TypeId};

use crate::heap::Heap;
use crate::value::{extra, field, is_unique, list, map, set_field, type_of};

/// The place of the value in a cell.
#[must_use]
pub fn of_cell(cell: u64) -> u64 {
    offset(cell, layout::field(0))
}

/// The word at a place, borrowed.
#[must_use]
pub fn get(place: u64) -> u64 {
    // SAFETY: a place is the address of a word of an object that its user keeps.
    unsafe { *(place as *const u64) }
}

/// Replaces the word at a place, without counting.
pub fn set(place: u64, word: u64) {
    // SAFETY: as for `get`; the object has one owner, which asked for the change.
    unsafe { *(place as *mut u64) = word };
}

/// A field of the record or tuple at a place.
///
/// # Errors
/// When the run has no memory for a copy.
pub fn field_place(heap: &mut Heap, place: u64, index: usize) -> Result<u64, u64> {
    let whole = own(heap, place)?;
    Ok(offset(whole, layout::field(index)))
}

/// An element of the list at a place; `None` when there is none.
///
/// # Errors
/// As for [`field_place`].
pub fn element_place(heap: &mut Heap, place: u64, index: u64) -> Result<Option<u64>, u64> {
    // A list without the element is not copied; a negative index is beyond any length.
    if index as usize >= list::len(get(place)) {
        return Ok(None);
    }
    let whole = own(heap, place)?;
    let element = std::ptr::from_mut(&mut list::words_mut(whole)[index as usize]);
    Ok(Some(element as u64))
}

/// What is under a key in the map at a place; `None` when nothing is. Borrows the key.
///
/// # Errors
/// As for [`field_place`].
pub fn entry_place(heap: &mut Heap, place: u64, key: u64) -> Result<Option<u64>, u64> {
    let word = get(place);
    // A shared map without the key is not copied just to find that out.
    if !is_unique(word) && map::get(heap, word, key).is_none() {
        return Ok(None);
    }
    let whole = own(heap, place)?;
    Ok(map::value_place(heap, whole, key))
}

/// Puts an entry into the map at a place and returns the place of its value; takes over key and value.
///
/// # Errors
/// When the run has no memory for it.
pub fn insert(heap: &mut Heap, place: u64, key: u64, value: u64) -> Result<u64, u64> {
    let (key_type, value_type) = map::types(heap, type_of(get(place)));
    match own(heap, place) {
        Ok(whole) => map::insert_own(heap, whole, key, value).ok_or_else(|| heap.interrupted()),
        Err(error) => {
            heap.release_typed(key_type, key);
            heap.release_typed(value_type, value);
            Err(error)
        }
    }
}

/// The object at a place, which has one owner afterwards: a copy takes its place when others see it.
#[inline]
fn own(heap: &mut Heap, place: u64) -> Result<u64, u64> {
    let word = get(place);
    if is_unique(word) {
        return Ok(word);
    }
    own_copy(heap, place, word)
}

/// A copy of the shared object at a place, in its place.
#[cold]
fn own_copy(heap: &mut Heap, place: u64, word: u64) -> Result<u64, u64> {
    // The copy below changes the heap, which the types are borrowed from.
    let types = heap.types().clone();
    let owned = match types.get(types.base(type_of(word))) {
        Type::List(_) => list::unique(heap, word, 0),
        Type::Map { .. } => map::unique(heap, word),
        Type::Record(record) => {
            let parts = record.fields.iter().map(|it| it.ty);
            Ok(copy(heap, word, parts))
        }
        Type::Tuple(parts) => Ok(copy(heap, word, parts.iter().copied())),
        Type::Set { members, .. } => Ok(copy(heap, word, std::iter::once(*members))),
        other @ (Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::Enum(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session) => {
            unreachable!("only lists, maps, records and tuples have places in them, not {other:?}")
        }
    };
    match owned {
        Ok(owned) => {
            set(place, owned);
            Ok(owned)
        }
        Err(_) => Err(heap.interrupted()),
    }
}

/// A copy of a record or tuple with these parts; gives up the share in the original.
fn copy(heap: &mut Heap, word: u64, parts: impl ExactSizeIterator<Item = TypeId>) -> u64 {
    let copy = heap.object(type_of(word), extra(word), parts.len());
    for (index, ty) in parts.enumerate() {
        let part = field(word, index);
        heap.retain_typed(ty, part);
        set_field(copy, index, part);
    }
    heap.release(word);
    copy
}

fn offset(object: u64, bytes: i32) -> u64 {
    object.wrapping_add_signed(i64::from(bytes))
}
