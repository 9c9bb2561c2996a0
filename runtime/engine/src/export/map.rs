//! Runtime calls on maps.

use gsw_abi::types::TypeId;

use crate::export::guard::calls;
use crate::heap::{Heap, Poll};
use crate::value::list::Filling;
use crate::value::{error, list, map, optional, set_field, type_of};

calls! {
    object map_new(run, ty) {
        map::new(&mut run.heap, TypeId(ty as u32))
    }

    plain map_len(_run, m) {
        map::len(m) as u64
    }

    object map_insert(run, m, key, value) {
        map::insert(&mut run.heap, m, key, value)
    }

    plain map_get(run, result, m, key) {
        match value(&run.heap, m, key) {
            Some(word) => {
                let (_, of) = map::types(&run.heap, type_of(m));
                optional::some_of(&mut run.heap, TypeId(result as u32), of, word)
            }
            None => 0,
        }
    }

    plain map_take(run, m, key, default) {
        map::take(&mut run.heap, m, key, default)
    }

    raising map_index(run, m, key) {
        match value(&run.heap, m, key) {
            Some(word) => Ok(word),
            None => Err(error::no_key(&mut run.heap, m, key)),
        }
    }

    plain map_has(run, m, key) {
        u64::from(map::get(&run.heap, m, key).is_some())
    }

    object map_remove(run, m, key) {
        map::remove(&mut run.heap, m, key)
    }

    raising map_keys(run, result, m) {
        map::keys(&mut run.heap, m, TypeId(result as u32))
    }

    raising map_values(run, result, m) {
        map::values(&mut run.heap, m, TypeId(result as u32))
    }

    raising map_entries(run, result, m) {
        entry_list(&mut run.heap, TypeId(result as u32), m)
    }

    raising map_merge(run, m, other) {
        let (key_type, value_type) = map::types(&run.heap, type_of(other));
        let mut m = m;
        let mut poll = Poll::default();
        for (key, value) in map::entries(other) {
            run.heap.retain_typed(key_type, key);
            run.heap.retain_typed(value_type, value);
            m = map::insert(&mut run.heap, m, key, value);
            if poll.ends(&run.heap) {
                run.heap.release(m);
                return Err(run.heap.interrupted());
            }
        }
        Ok(m)
    }

    /// The key of entry i.
    object map_key_at(run, m, index) {
        let (key, _) = entry(m, index);
        run.heap.retain_typed(map::types(&run.heap, type_of(m)).0, key);
        key
    }

    /// The value of entry i.
    object map_value_at(run, m, index) {
        let (_, value) = entry(m, index);
        run.heap.retain_typed(map::types(&run.heap, type_of(m)).1, value);
        value
    }
}

/// The value under a key, with a count of its own.
fn value(heap: &Heap, m: u64, key: u64) -> Option<u64> {
    let word = map::get(heap, m, key)?;
    heap.retain_typed(map::types(heap, type_of(m)).1, word);
    Some(word)
}

fn entry(m: u64, index: u64) -> (u64, u64) {
    map::entry_at(m, index as usize).expect("compiled code counts entries before it asks for one")
}

/// The entries as a list of pairs, whose type is `ty`.
pub(super) fn entry_list(heap: &mut Heap, ty: TypeId, m: u64) -> Result<u64, u64> {
    let (key_type, value_type) = map::types(heap, type_of(m));
    let pair = list::element_type(heap, ty);
    let mut pairs = Filling::new(heap, ty, map::len(m))?;
    for (key, value) in map::entries(m) {
        heap.retain_typed(key_type, key);
        heap.retain_typed(value_type, value);
        let word = heap.object(pair, 0, 2);
        set_field(word, 0, key);
        set_field(word, 1, value);
        pairs = pairs.push(heap, word)?;
    }
    Ok(pairs.finish())
}
