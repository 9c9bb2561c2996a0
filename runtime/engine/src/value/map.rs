//! Maps: entries in order of insertion, beside them an index by hash once there are more than a few.
//!
//! An object holds its table's addresses and sizes; removed entries are holes until a position behind one is asked for.

use gsw_abi::types::{Type, TypeId};

use crate::heap::Heap;
use crate::value::list::Filling;
use crate::value::{field, is_unique, set_field, string, type_of};

const LENGTH: usize = 0;
const USED: usize = 1;
const CAPACITY: usize = 2;
const ENTRIES: usize = 3;
const SLOTS: usize = 4;
const SLOT_COUNT: usize = 5;
/// How many holes are before the first entry: who takes the first one again and again makes no others.
const FIRST: usize = 6;
const WORDS: usize = 7;

/// The bytes of a map object after its header.
pub(crate) const BYTES: usize = 8 * WORDS;
/// Up to this many entries, looking at each is as fast as hashing; a guess.
const LINEAR: usize = 8;
const HOLE: u64 = u64::MAX;
const MOST_HASH: u64 = u64::MAX >> 1;
const EMPTY: u32 = u32::MAX;

/// One entry; a hole has the hash [`HOLE`], which no key has.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    key: u64,
    value: u64,
}

/// The types of a map's keys and values, and how its keys compare.
#[derive(Clone, Copy, Debug)]
struct Kind {
    key: TypeId,
    value: TypeId,
    by_text: bool,
}

#[must_use]
pub fn new(heap: &mut Heap, ty: TypeId) -> u64 {
    heap.object(ty, 0, WORDS)
}

/// How many entries a map has.
#[must_use]
pub fn len(map: u64) -> usize {
    field(map, LENGTH) as usize
}

/// The types of keys and values.
#[must_use]
pub fn types(heap: &Heap, map: TypeId) -> (TypeId, TypeId) {
    let ty = heap.types().get(heap.types().base(map));
    let Type::Map { key, value } = ty else {
        unreachable!("a map has a map type, not {ty:?}")
    };
    (*key, *value)
}

/// The value under a key; both are borrowed.
#[must_use]
pub fn get(heap: &Heap, map: u64, key: u64) -> Option<u64> {
    let kind = kind(heap, map);
    let index = find(map, kind, key, hash(heap, kind, key))?;
    Some(all(map)[index].value)
}

/// The value under a text, in a map whose keys are strings.
#[must_use]
pub fn get_text(heap: &Heap, map: u64, name: &str) -> Option<u64> {
    let hash = heap.hash_key().bytes(name.as_bytes()) & MOST_HASH;
    let index = search(map, hash, |key| string::text(key) == name)?;
    Some(all(map)[index].value)
}

/// The entries in order, borrowed.
pub fn entries<'a>(map: u64) -> impl Iterator<Item = (u64, u64)> + use<'a> {
    let entries: &'a [Entry] = all(map);
    entries[field(map, FIRST) as usize..]
        .iter()
        .filter(|it| it.hash != HOLE)
        .map(|it| (it.key, it.value))
}

/// Entry `index` in order, borrowed; `None` when there are fewer.
#[must_use]
pub fn entry_at(map: u64, index: usize) -> Option<(u64, u64)> {
    // Only a position behind a hole needs the holes closed; iteration and look-ups skip them.
    let used = field(map, USED) as usize;
    if index > 0 && len(map) + field(map, FIRST) as usize != used {
        settle(map);
    }
    let first = field(map, FIRST) as usize;
    all(map).get(first + index).map(|it| (it.key, it.value))
}

/// `map` with this entry; takes over all three. A key that is there keeps its place. What does not fit the run's memory is
/// left away, and the run stops at its next poll.
#[must_use]
pub fn insert(heap: &mut Heap, map: u64, key: u64, value: u64) -> u64 {
    let kind = kind(heap, map);
    let map = match unique(heap, map) {
        Ok(map) => map,
        Err(map) => return left_away(heap, kind, key, value, map),
    };
    insert_own(heap, map, key, value);
    map
}

/// Inserts into a map with one owner; returns the address of the word that holds the value, and `None` when the run has no
/// memory for the entry, which is left away.
pub fn insert_own(heap: &mut Heap, map: u64, key: u64, value: u64) -> Option<u64> {
    debug_assert!(is_unique(map));
    let kind = kind(heap, map);
    let hash = hash(heap, kind, key);
    if let Some(index) = find(map, kind, key, hash) {
        let old = std::mem::replace(&mut all_mut(map)[index].value, value);
        heap.release_typed(kind.value, old);
        // The old key stays, so a borrowed key that programs hold is still the one in the map.
        heap.release_typed(kind.key, key);
        return Some(place_of(map, index));
    }
    if append(heap, map, Entry { hash, key, value }) {
        return Some(place_of(map, field(map, USED) as usize - 1));
    }
    left_away(heap, kind, key, value, map);
    None
}

/// The address of the word that holds the value under a key, in a map with one owner; the key is borrowed.
pub fn value_place(heap: &Heap, map: u64, key: u64) -> Option<u64> {
    debug_assert!(is_unique(map));
    let kind = kind(heap, map);
    let index = find(map, kind, key, hash(heap, kind, key))?;
    Some(place_of(map, index))
}

fn place_of(map: u64, index: usize) -> u64 {
    std::ptr::from_mut(&mut all_mut(map)[index].value) as u64
}

/// The map without an entry that the run has no memory for.
fn left_away(heap: &mut Heap, kind: Kind, key: u64, value: u64, map: u64) -> u64 {
    heap.release_typed(kind.key, key);
    heap.release_typed(kind.value, value);
    map
}

/// The value under a key with a share of its own, and `default` when there is none; borrows the map and the key, takes over
/// `default`. In a map with one owner `default` takes the value's place, so that the caller's share may be the only one.
#[must_use]
pub fn take(heap: &mut Heap, map: u64, key: u64, default: u64) -> u64 {
    let kind = kind(heap, map);
    let Some(index) = find(map, kind, key, hash(heap, kind, key)) else {
        return default;
    };
    if is_unique(map) {
        return std::mem::replace(&mut all_mut(map)[index].value, default);
    }
    let value = all(map)[index].value;
    heap.retain_typed(kind.value, value);
    heap.release_typed(kind.value, default);
    value
}

/// `map` without a key; takes over the map, borrows the key. The same map when the run has no memory for a copy.
#[must_use]
pub fn remove(heap: &mut Heap, map: u64, key: u64) -> u64 {
    let kind = kind(heap, map);
    let hash = hash(heap, kind, key);
    if find(map, kind, key, hash).is_none() {
        return map;
    }
    let map = match unique(heap, map) {
        Ok(map) => map,
        Err(map) => return map,
    };
    let index = find(map, kind, key, hash).expect("a copy has the keys of the original");
    let entry = std::mem::replace(
        &mut all_mut(map)[index],
        Entry {
            hash: HOLE,
            key: 0,
            value: 0,
        },
    );
    set_field(map, LENGTH, field(map, LENGTH) - 1);
    let first = field(map, FIRST) as usize;
    let holes = all(map)[first..].iter().take_while(|it| it.hash == HOLE);
    set_field(map, FIRST, (first + holes.count()) as u64);
    // `key` may be the entry's own, borrowed from it.
    heap.release_typed(kind.key, entry.key);
    heap.release_typed(kind.value, entry.value);
    map
}

/// The map itself when the caller is its only owner, else a copy; takes it over. `Err` gives the map back when the run has no
/// memory for a copy.
pub fn unique(heap: &mut Heap, map: u64) -> Result<u64, u64> {
    if is_unique(map) {
        return Ok(map);
    }
    let kind = kind(heap, map);
    let copy = new(heap, type_of(map));
    if !reserve(heap, copy, len(map) + 1) {
        heap.release(copy);
        return Err(map);
    }
    for entry in all(map).iter().filter(|it| it.hash != HOLE) {
        heap.retain_typed(kind.key, entry.key);
        heap.retain_typed(kind.value, entry.value);
        let is_in = append(heap, copy, *entry);
        debug_assert!(is_in, "the room was reserved");
    }
    heap.release(map);
    Ok(copy)
}

/// Makes room for `capacity` entries in all; whether the run has the memory.
pub fn reserve(heap: &mut Heap, map: u64, capacity: usize) -> bool {
    let old = field(map, CAPACITY) as usize;
    if capacity <= old {
        return true;
    }
    let bytes = |entries: usize| (entries * size_of::<Entry>() + slot_count(entries) * 4) as u64;
    if !heap.admit_growth(bytes(old), bytes(capacity)) {
        return false;
    }
    let fresh = heap.allocate(capacity * size_of::<Entry>()).cast::<Entry>();
    let used = all(map).len();
    if old > 0 {
        let entries = field(map, ENTRIES) as *mut Entry;
        // SAFETY: the old table holds `used` entries, the new one has room for more, and only this map knows the old.
        unsafe {
            std::ptr::copy_nonoverlapping(entries, fresh, used);
            heap.deallocate(entries.cast(), old * size_of::<Entry>());
        }
    }
    // The index is made anew from the entries, since its slots name positions that have changed.
    set_field(map, ENTRIES, fresh as u64);
    set_field(map, CAPACITY, capacity as u64);
    let slots = slot_count(capacity);
    free_slots(heap, map);
    if slots > 0 {
        let table = heap.allocate(slots * size_of::<u32>());
        set_field(map, SLOTS, table as u64);
        set_field(map, SLOT_COUNT, slots as u64);
        index_all(map);
    }
    true
}

/// The slots of the index of a map with room for this many entries.
fn slot_count(capacity: usize) -> usize {
    if capacity <= LINEAR {
        0
    } else {
        (capacity * 2).next_power_of_two()
    }
}

/// Gives back the tables of a map whose entries are gone.
pub(crate) fn free_tables(heap: &mut Heap, map: u64) {
    free_slots(heap, map);
    let capacity = field(map, CAPACITY) as usize;
    if capacity > 0 {
        let entries = field(map, ENTRIES) as *mut u8;
        // SAFETY: `reserve` allocated the table with this size, and the map is being freed.
        unsafe { heap.deallocate(entries, capacity * size_of::<Entry>()) };
    }
}

/// Puts an entry after the others; `false` when the run has no memory for it.
fn append(heap: &mut Heap, map: u64, entry: Entry) -> bool {
    if field(map, USED) == field(map, CAPACITY) {
        let length = len(map);
        if length < field(map, USED) as usize {
            settle(map);
        }
        // After closing many holes there may be room enough.
        // Without the quarter that must be free, inserting and removing in turn would close one hole at a time.
        let is_tight = length * 4 >= field(map, CAPACITY) as usize * 3;
        if is_tight && !reserve(heap, map, (length * 2).max(4)) {
            return false;
        }
    }
    let index = field(map, USED) as usize;
    set_field(map, USED, index as u64 + 1);
    set_field(map, LENGTH, field(map, LENGTH) + 1);
    all_mut(map)[index] = entry;
    if field(map, SLOT_COUNT) > 0 {
        index_one(map, entry.hash, index);
    }
    true
}

/// Closes the holes. Changes nothing that anybody can see, so it is allowed with more than one owner.
fn settle(map: u64) {
    let mut kept = 0;
    let entries = all_mut(map);
    for index in 0..entries.len() {
        if entries[index].hash != HOLE {
            entries[kept] = entries[index];
            kept += 1;
        }
    }
    set_field(map, USED, kept as u64);
    set_field(map, FIRST, 0);
    if field(map, SLOT_COUNT) > 0 {
        index_all(map);
    }
}

fn find(map: u64, kind: Kind, key: u64, hash: u64) -> Option<usize> {
    if kind.by_text {
        let bytes = string::bytes(key);
        search(map, hash, |other| {
            other == key || string::bytes(other) == bytes
        })
    } else {
        search(map, hash, |other| other == key)
    }
}

fn search(map: u64, hash: u64, is_key: impl Fn(u64) -> bool) -> Option<usize> {
    let entries = all(map);
    let slots = slots(map);
    if slots.is_empty() {
        return entries
            .iter()
            .position(|it| it.hash == hash && is_key(it.key));
    }
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    while slots[at] != EMPTY {
        let entry = entries[slots[at] as usize];
        if entry.hash == hash && is_key(entry.key) {
            return Some(slots[at] as usize);
        }
        at = (at + 1) & mask;
    }
    None
}

fn index_all(map: u64) {
    slots(map).fill(EMPTY);
    for (index, entry) in all(map).iter().enumerate() {
        if entry.hash != HOLE {
            index_one(map, entry.hash, index);
        }
    }
}

fn index_one(map: u64, hash: u64, index: usize) {
    let slots = slots(map);
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    while slots[at] != EMPTY {
        at = (at + 1) & mask;
    }
    // Half the memory of whole words; the entries that 32 bits cannot number would take 100 GB.
    slots[at] = index as u32;
}

/// The hash of a key; never that of a [`HOLE`].
fn hash(heap: &Heap, kind: Kind, key: u64) -> u64 {
    let hash = if kind.by_text {
        heap.hash_key().bytes(string::bytes(key))
    } else {
        heap.hash_key().word(key)
    };
    // The upper half is left to holes, so that one word says both.
    hash & MOST_HASH
}

fn kind(heap: &Heap, map: u64) -> Kind {
    let (key, value) = types(heap, type_of(map));
    Kind {
        key,
        value,
        by_text: heap.is_reference(key),
    }
}

fn all<'a>(map: u64) -> &'a [Entry] {
    let used = field(map, USED) as usize;
    if used == 0 {
        return &[];
    }
    // SAFETY: the table holds `USED` written entries.
    unsafe { std::slice::from_raw_parts(field(map, ENTRIES) as *const Entry, used) }
}

fn all_mut<'a>(map: u64) -> &'a mut [Entry] {
    let used = field(map, USED) as usize;
    if used == 0 {
        return &mut [];
    }
    // SAFETY: as for `all`; one thread runs this heap, and no other slice of the table is alive here.
    unsafe { std::slice::from_raw_parts_mut(field(map, ENTRIES) as *mut Entry, used) }
}

fn slots<'a>(map: u64) -> &'a mut [u32] {
    let count = field(map, SLOT_COUNT) as usize;
    if count == 0 {
        return &mut [];
    }
    // SAFETY: the index holds that many slots, and no other slice of it is alive where this one is.
    unsafe { std::slice::from_raw_parts_mut(field(map, SLOTS) as *mut u32, count) }
}

fn free_slots(heap: &mut Heap, map: u64) {
    let count = field(map, SLOT_COUNT) as usize;
    if count > 0 {
        // SAFETY: `reserve` allocated the index with this size, and the map forgets it here.
        unsafe { heap.deallocate(field(map, SLOTS) as *mut u8, count * size_of::<u32>()) };
        set_field(map, SLOT_COUNT, 0);
    }
}

/// The keys as a list of type `ty`, with shares of their own.
pub(crate) fn keys(heap: &mut Heap, map: u64, ty: TypeId) -> Result<u64, u64> {
    let counted = kind(heap, map).key;
    let mut keys = Filling::new(heap, ty, len(map))?;
    for (key, _) in entries(map) {
        heap.retain_typed(counted, key);
        keys = keys.push(heap, key)?;
    }
    Ok(keys.finish())
}

/// The values as a list of type `ty`, with shares of their own.
pub(crate) fn values(heap: &mut Heap, map: u64, ty: TypeId) -> Result<u64, u64> {
    let counted = kind(heap, map).value;
    let mut values = Filling::new(heap, ty, len(map))?;
    for (_, value) in entries(map) {
        heap.retain_typed(counted, value);
        values = values.push(heap, value)?;
    }
    Ok(values.finish())
}
