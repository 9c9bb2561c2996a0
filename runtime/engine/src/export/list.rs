//! Runtime calls on lists.

use gsw_abi::builtin::{BuiltinError, LIST_INT, OPTIONAL_INT};
use gsw_abi::types::{Type, TypeId};
use rustc_hash::FxHashMap;

use crate::compare;
use crate::export::guard::calls;
use crate::heap::Heap;
use crate::value::{error, list, optional, set_field, string, type_of};

calls! {
    /// An empty list with room for n elements.
    plain list_new(run, ty, capacity) {
        // The room is a hint, so one that cannot be meant is not followed.
        let capacity = (capacity as usize).min(1 << 20);
        list::with_capacity(&mut run.heap, TypeId(ty as u32), capacity)
    }

    /// `xs.len()`
    plain list_len(_run, xs) {
        list::len(xs) as u64
    }

    /// A list with one more element.
    plain list_push(run, xs, x) {
        list::push(&mut run.heap, xs, x)
    }

    /// `xs[i]`
    raising list_index(run, xs, index) {
        match element(&run.heap, xs, index) {
            Some(word) => Ok(word),
            None => Err(out_of_range(&mut run.heap)),
        }
    }

    /// Element i, which is there.
    plain list_at(run, xs, index) {
        element(&run.heap, xs, index).unwrap_or_default()
    }

    /// `xs.get(i)`
    plain list_get(run, result, xs, index) {
        match element(&run.heap, xs, index) {
            Some(word) => {
                let of = list::element_type(&run.heap, type_of(xs));
                optional::some_of(&mut run.heap, TypeId(result as u32), of, word)
            }
            None => 0,
        }
    }

    /// `xs + ys`
    plain list_concat(run, xs, ys) {
        list::extend(&mut run.heap, xs, list::words(ys))
    }

    /// `xs.slice(from, to)`
    plain list_slice(run, xs, from, to) {
        let words = list::words(xs);
        let range = clamp(words.len(), from as i64, to as i64);
        list::copy(&mut run.heap, type_of(xs), &words[range])
    }

    /// `xs.reverse()`
    plain list_reverse(run, xs) {
        let xs = list::unique(&mut run.heap, xs, 0);
        list::words_mut(xs).reverse();
        xs
    }

    /// `x in xs`
    plain list_contains(run, xs, x) {
        u64::from(position(&run.heap, xs, x).is_some())
    }

    /// `xs.index_of(x)`
    plain list_index_of(run, xs, x) {
        match position(&run.heap, xs, x) {
            Some(index) => optional::some(&mut run.heap, OPTIONAL_INT, index as u64),
            None => 0,
        }
    }

    /// `xs.unique()`
    plain list_unique(run, xs) {
        unique_elements(&mut run.heap, xs)
    }

    /// `xs.zip(ys)`
    plain list_zip(run, result, xs, ys) {
        let pairs = list::words(xs).iter().copied().zip(list::words(ys).iter().copied());
        pair_list(&mut run.heap, TypeId(result as u32), pairs)
    }

    /// `xs.enumerate()`
    plain list_enumerate(run, result, xs) {
        let pairs = list::words(xs).iter().enumerate();
        pair_list(&mut run.heap, TypeId(result as u32), pairs.map(|(at, &it)| (at as u64, it)))
    }

    /// `xs.chunks(n)`
    raising list_chunks(run, result, xs, size) {
        let size = size_of_group(&mut run.heap, "chunks", size)?;
        let groups: Vec<&[u64]> = list::words(xs).chunks(size).collect();
        Ok(group_list(&mut run.heap, TypeId(result as u32), &groups))
    }

    /// `xs.windows(n)`
    raising list_windows(run, result, xs, size) {
        let size = size_of_group(&mut run.heap, "windows", size)?;
        let words = list::words(xs);
        let count = (words.len() + 1).saturating_sub(size);
        if !run.heap.admit((count as u64).saturating_mul(8 * size as u64)) {
            return Err(error::new(&mut run.heap, BuiltinError::OutOfMemory, &[]));
        }
        let groups: Vec<&[u64]> = words.windows(size).collect();
        Ok(group_list(&mut run.heap, TypeId(result as u32), &groups))
    }

    /// `xs.flatten()`
    plain list_flatten(run, result, xs) {
        let lists = list::words(xs);
        let count = lists.iter().map(|&it| list::len(it)).sum();
        let mut all = list::with_capacity(&mut run.heap, TypeId(result as u32), count);
        for &it in lists {
            all = list::extend(&mut run.heap, all, list::words(it));
        }
        all
    }

    /// `xs.join(sep)`
    plain list_join(run, xs, separator) {
        let texts: Vec<&str> = list::words(xs).iter().map(|&it| string::text(it)).collect();
        let bytes: usize = texts.iter().map(|it| it.len() + string::text(separator).len()).sum();
        if !run.heap.admit(bytes as u64) {
            return string::new(&mut run.heap, "");
        }
        let text = texts.join(string::text(separator));
        string::new(&mut run.heap, &text)
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

    /// The ints `from..to` as a list.
    raising list_range(run, from, to) {
        let (from, to) = (from as i64, to as i64);
        let count = if from < to { to.abs_diff(from) } else { 0 };
        if !run.heap.admit(count.saturating_mul(8)) {
            return Err(error::new(&mut run.heap, BuiltinError::OutOfMemory, &[]));
        }
        let words: Vec<u64> = (from..to).map(|it| it as u64).collect();
        Ok(list::new(&mut run.heap, LIST_INT, &words))
    }

    /// `xs` with element i replaced.
    raising list_set(run, xs, index, x) {
        let element = list::element_type(&run.heap, type_of(xs));
        if index as usize >= list::len(xs) {
            run.heap.release(xs);
            run.heap.release_typed(element, x);
            return Err(out_of_range(&mut run.heap));
        }
        let xs = list::unique(&mut run.heap, xs, 0);
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

/// Element `index` with a share of its own; a negative index is beyond any length.
fn element(heap: &Heap, xs: u64, index: u64) -> Option<u64> {
    let word = *list::words(xs).get(index as usize)?;
    heap.retain_typed(list::element_type(heap, type_of(xs)), word);
    Some(word)
}

fn out_of_range(heap: &mut Heap) -> u64 {
    error::new(heap, BuiltinError::OutOfRange, &[])
}

fn position(heap: &Heap, xs: u64, x: u64) -> Option<usize> {
    let element = list::element_type(heap, type_of(xs));
    list::words(xs)
        .iter()
        .position(|&it| compare::equal(heap, element, it, x))
}

fn unique_elements(heap: &mut Heap, xs: u64) -> u64 {
    let element = list::element_type(heap, type_of(xs));
    let mut seen: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
    let mut kept = Vec::new();
    for &word in list::words(xs) {
        let alike = seen.entry(compare::hash(heap, element, word)).or_default();
        if !alike
            .iter()
            .any(|&it| compare::equal(heap, element, it, word))
        {
            alike.push(word);
            kept.push(word);
        }
    }
    if kept.len() == list::len(xs) {
        return xs;
    }
    let result = list::copy(heap, type_of(xs), &kept);
    heap.release(xs);
    result
}

/// A list of pairs of borrowed words; `ty` is its type.
fn pair_list(heap: &mut Heap, ty: TypeId, pairs: impl Iterator<Item = (u64, u64)>) -> u64 {
    let pair = list::element_type(heap, ty);
    let (first, second) = match heap.types().get(heap.types().base(pair)) {
        Type::Tuple(parts) => (parts[0], parts[1]),
        other => unreachable!("a pair is a tuple, not {other:?}"),
    };
    let mut words = Vec::with_capacity(pairs.size_hint().0);
    for (a, b) in pairs {
        heap.retain_typed(first, a);
        heap.retain_typed(second, b);
        let word = heap.object(pair, 0, 2);
        set_field(word, 0, a);
        set_field(word, 1, b);
        words.push(word);
    }
    list::new(heap, ty, &words)
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
fn group_list(heap: &mut Heap, ty: TypeId, groups: &[&[u64]]) -> u64 {
    let group = list::element_type(heap, ty);
    let words: Vec<u64> = groups
        .iter()
        .map(|words| list::copy(heap, group, words))
        .collect();
    list::new(heap, ty, &words)
}
