//! Runtime calls on lists.

use gsw_abi::builtin::{BuiltinError, LIST_INT, OPTIONAL_INT};
use gsw_abi::types::{Type, TypeId};
use rustc_hash::FxHashMap;

use crate::compare;
use crate::export::guard::calls;
use crate::heap::{Heap, Poll};
use crate::value::list::Filling;
use crate::value::{error, list, optional, set_field, string, type_of};

calls! {
    /// An empty list with room for n elements.
    object list_new(run, ty, capacity) {
        // The room is a hint, so one that cannot be meant is not followed.
        let capacity = (capacity as usize).min(1 << 20);
        list::with_capacity(&mut run.heap, TypeId(ty as u32), capacity)
    }

    plain list_len(_run, xs) {
        list::len(xs) as u64
    }

    /// A list with one more element.
    object list_push(run, xs, x) {
        list::push(&mut run.heap, xs, x)
    }

    raising list_index(run, xs, index) {
        match element(&run.heap, xs, index) {
            Some(word) => Ok(word),
            None => Err(error::no_index(&mut run.heap, index, list::len(xs))),
        }
    }

    /// Element i, which must exist.
    object list_at(run, xs, index) {
        element(&run.heap, xs, index).unwrap_or_default()
    }

    plain list_get(run, result, xs, index) {
        match element(&run.heap, xs, index) {
            Some(word) => {
                let of = list::element_type(&run.heap, type_of(xs));
                optional::some_of(&mut run.heap, TypeId(result as u32), of, word)
            }
            None => 0,
        }
    }

    object list_concat(run, xs, ys) {
        list::extend(&mut run.heap, xs, list::words(ys))
    }

    raising list_slice(run, xs, from, to) {
        let range = clamp(list::len(xs), from as i64, to as i64);
        list::part(&mut run.heap, xs, range)
    }

    raising list_reverse(run, xs) {
        let xs = own_list(&mut run.heap, xs)?;
        list::words_mut(xs).reverse();
        Ok(xs)
    }

    plain list_contains(run, xs, x) {
        u64::from(position(&run.heap, xs, x).is_some())
    }

    plain list_index_of(run, xs, x) {
        match position(&run.heap, xs, x) {
            Some(index) => optional::some(&mut run.heap, OPTIONAL_INT, index as u64),
            None => 0,
        }
    }

    raising list_unique(run, xs) {
        unique_elements(&mut run.heap, xs)
    }

    raising list_zip(run, result, xs, ys) {
        let pairs = list::words(xs).iter().copied().zip(list::words(ys).iter().copied());
        pair_list(&mut run.heap, TypeId(result as u32), pairs)
    }

    raising list_enumerate(run, result, xs) {
        let pairs = list::words(xs).iter().enumerate();
        pair_list(&mut run.heap, TypeId(result as u32), pairs.map(|(at, &it)| (at as u64, it)))
    }

    raising list_chunks(run, result, xs, size) {
        let size = size_of_group(&mut run.heap, "chunks", size)?;
        group_list(&mut run.heap, TypeId(result as u32), list::words(xs).chunks(size))
    }

    raising list_windows(run, result, xs, size) {
        let size = size_of_group(&mut run.heap, "windows", size)?;
        let words = list::words(xs);
        let count = (words.len() + 1).saturating_sub(size);
        run.heap.demand((count as u64).saturating_mul(8).saturating_mul(size as u64))?;
        group_list(&mut run.heap, TypeId(result as u32), words.windows(size))
    }

    raising list_flatten(run, result, xs) {
        flatten(&mut run.heap, TypeId(result as u32), list::words(xs))
    }

    raising list_join(run, xs, separator) {
        join(&mut run.heap, list::words(xs), string::text(separator))
    }

    /// `xs.sum()`, of ints, floats or durations.
    raising list_sum(run, xs) {
        let element = list::element_type(&run.heap, type_of(xs));
        let words = list::words(xs);
        if matches!(run.heap.types().get(run.heap.types().base(element)), Type::Float) {
            // Not `sum`, which begins with -0.0.
            return Ok(words.iter().fold(0.0, |all, &it| all + f64::from_bits(it)).to_bits());
        }
        let mut all = 0i64;
        for &word in words {
            match all.checked_add(word as i64) {
                Some(more) => all = more,
                None => return Err(error::new(&mut run.heap, BuiltinError::Overflow, &[])),
            }
        }
        Ok(all as u64)
    }

    /// The ints `from..to` as a list, and `to` itself where `more` is 1.
    raising list_range(run, from, to, more) {
        let (from, to) = (from as i64, to as i64);
        let count = if from <= to { to.abs_diff(from).saturating_add(more) } else { 0 };
        let mut words = Filling::new(&mut run.heap, LIST_INT, usize::try_from(count).unwrap_or(usize::MAX))?;
        // From the start by distance, since no int follows the largest.
        for distance in 0..count {
            words = words.push(&mut run.heap, (from as u64).wrapping_add(distance))?;
        }
        Ok(words.finish())
    }

    /// `xs` with element i replaced.
    raising list_set(run, xs, index, x) {
        let element = list::element_type(&run.heap, type_of(xs));
        let length = list::len(xs);
        if index as usize >= length {
            run.heap.release(xs);
            run.heap.release_typed(element, x);
            return Err(error::no_index(&mut run.heap, index, length));
        }
        let xs = match own_list(&mut run.heap, xs) {
            Ok(xs) => xs,
            Err(error) => {
                run.heap.release_typed(element, x);
                return Err(error);
            }
        };
        let old = std::mem::replace(&mut list::words_mut(xs)[index as usize], x);
        run.heap.release_typed(element, old);
        Ok(xs)
    }
}

/// The part of `length` places that `from..to` is, both clamped.
pub(super) fn clamp(length: usize, from: i64, to: i64) -> std::ops::Range<usize> {
    let at = |place: i64| usize::try_from(place).unwrap_or(0).min(length);
    at(from)..at(to).max(at(from))
}

/// Element `index` with a count of its own; a negative index is beyond any length.
fn element(heap: &Heap, xs: u64, index: u64) -> Option<u64> {
    let word = *list::words(xs).get(index as usize)?;
    heap.retain_typed(list::element_type(heap, type_of(xs)), word);
    Some(word)
}

/// The first element that equals `x`; none when the run is to stop.
fn position(heap: &Heap, xs: u64, x: u64) -> Option<usize> {
    let element = list::element_type(heap, type_of(xs));
    let mut poll = Poll::default();
    let mut words = list::words(xs).iter().take_while(|_| !poll.ends(heap));
    words.position(|&it| compare::equal(heap, element, it, x))
}

/// A list with one owner; takes `xs` over, also when it raises because the run has no memory for a copy.
pub(super) fn own_list(heap: &mut Heap, xs: u64) -> Result<u64, u64> {
    list::unique(heap, xs, 0).map_err(|xs| {
        heap.release(xs);
        heap.interrupted()
    })
}

fn flatten(heap: &mut Heap, ty: TypeId, lists: &[u64]) -> Result<u64, u64> {
    let element = list::element_type(heap, ty);
    let count = lists.iter().map(|&it| list::len(it)).sum();
    let mut all = Filling::new(heap, ty, count)?;
    for &word in lists.iter().flat_map(|&it| list::words(it)) {
        heap.retain_typed(element, word);
        all = all.push(heap, word)?;
    }
    Ok(all.finish())
}

fn join(heap: &mut Heap, texts: &[u64], separator: &str) -> Result<u64, u64> {
    let lengths = texts.iter().map(|&it| string::bytes(it).len());
    let bytes = lengths.sum::<usize>() + separator.len() * texts.len().saturating_sub(1);
    let mut joined = string::Writer::new(heap, bytes)?;
    for (index, &text) in texts.iter().enumerate() {
        if index > 0 {
            joined.push_str(separator);
        }
        joined.push_str(string::text(text));
    }
    joined.finish()
}

/// Of elements that are equal the first.
fn unique_elements(heap: &mut Heap, xs: u64) -> Result<u64, u64> {
    let scratch = list::len(xs) * SCRATCH_OF_UNIQUE;
    let kept = heap.demand(scratch as u64).and_then(|()| {
        heap.charge(scratch);
        let kept = first_of_each(heap, xs);
        heap.discharge(scratch);
        kept.ok_or_else(|| heap.interrupted())
    });
    let result = match kept {
        Ok(kept) if kept.len() == list::len(xs) => return Ok(xs),
        Ok(kept) => list::copy(heap, type_of(xs), &kept),
        Err(error) => Err(error),
    };
    heap.release(xs);
    result
}

/// The bytes that telling elements apart takes for each of them, about.
const SCRATCH_OF_UNIQUE: usize = 48;

/// The elements that are equal to none before them; `None` when the run is to stop.
fn first_of_each(heap: &Heap, xs: u64) -> Option<Vec<u64>> {
    let element = list::element_type(heap, type_of(xs));
    let mut poll = Poll::default();
    let mut kept: Vec<u64> = Vec::new();
    // By hash the last that was kept, and by that the one before it with the same hash.
    let mut last: FxHashMap<u64, usize> = FxHashMap::default();
    let mut before: Vec<Option<usize>> = Vec::new();
    for &word in list::words(xs) {
        if poll.ends(heap) {
            return None;
        }
        let hash = compare::hash(heap, element, word);
        let newest = last.get(&hash).copied();
        let mut alike = std::iter::successors(newest, |&it| before[it]);
        if !alike.any(|it| compare::equal(heap, element, kept[it], word)) {
            last.insert(hash, kept.len());
            before.push(newest);
            kept.push(word);
        }
    }
    Some(kept)
}

/// A list of pairs of borrowed words; `ty` is its type.
fn pair_list(
    heap: &mut Heap,
    ty: TypeId,
    pairs: impl Iterator<Item = (u64, u64)>,
) -> Result<u64, u64> {
    let pair = list::element_type(heap, ty);
    let Type::Tuple(parts) = heap.types().get(heap.types().base(pair)) else {
        unreachable!("a pair is a tuple");
    };
    let (first, second) = (parts[0], parts[1]);
    let mut words = Filling::new(heap, ty, pairs.size_hint().0)?;
    for (a, b) in pairs {
        heap.retain_typed(first, a);
        heap.retain_typed(second, b);
        let word = heap.object(pair, 0, 2);
        set_field(word, 0, a);
        set_field(word, 1, b);
        words = words.push(heap, word)?;
    }
    Ok(words.finish())
}

fn size_of_group(heap: &mut Heap, what: &str, size: u64) -> Result<usize, u64> {
    match usize::try_from(size as i64) {
        Ok(size) if size > 0 => Ok(size),
        _ => {
            let text = format!("{what} of {} elements", size as i64);
            Err(error::with_text(heap, BuiltinError::AssertionFailed, &text))
        }
    }
}

/// A list of lists of borrowed words; `ty` is its type.
fn group_list<'a>(
    heap: &mut Heap,
    ty: TypeId,
    groups: impl ExactSizeIterator<Item = &'a [u64]>,
) -> Result<u64, u64> {
    let group = list::element_type(heap, ty);
    let mut words = Filling::new(heap, ty, groups.len())?;
    for elements in groups {
        match list::copy(heap, group, elements) {
            Ok(word) => words = words.push(heap, word)?,
            Err(error) => {
                words.give_up(heap);
                return Err(error);
            }
        }
    }
    Ok(words.finish())
}
