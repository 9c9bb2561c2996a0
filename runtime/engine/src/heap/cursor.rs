//! Where a string was cut last, so that a walk through a text that is not ASCII counts each scalar value once.

use crate::heap::Heap;
use crate::value::string;

/// A place in a text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct At {
    scalar: usize,
    byte: usize,
}

/// The last place that was looked for. What is appended to a string leaves the places in it as they are, so it is only void
/// when the object ends or moves.
#[derive(Default, Debug)]
pub(super) struct Cursor {
    /// 0 for none.
    word: u64,
    at: At,
}

impl Cursor {
    /// The object ends or moves.
    pub fn forget(&mut self, word: u64) {
        if self.word == word {
            self.word = 0;
        }
    }

    /// The nearest place in a string to a scalar value of it.
    fn nearest(&self, word: u64, scalar: usize) -> At {
        let end = At {
            scalar: string::scalars(word),
            byte: string::text(word).len(),
        };
        let known = (self.word == word).then_some(self.at);
        let places = [At::default(), end].into_iter().chain(known);
        places
            .min_by_key(|it| it.scalar.abs_diff(scalar))
            .unwrap_or_default()
    }
}

impl Heap {
    /// The byte at which scalar value number `scalar` of a string begins, or its length, where it has as many or fewer.
    pub(crate) fn byte_at(&mut self, word: u64, scalar: usize) -> usize {
        if string::is_ascii(word) {
            return scalar.min(string::scalars(word));
        }
        let scalar = scalar.min(string::scalars(word));
        let from = self.cursor.nearest(word, scalar);
        let (before, after) = string::text(word).split_at(from.byte);
        let lengths = |chars: &mut dyn Iterator<Item = char>, count: usize| -> usize {
            chars.take(count).map(char::len_utf8).sum()
        };
        let byte = if from.scalar <= scalar {
            from.byte + lengths(&mut after.chars(), scalar - from.scalar)
        } else {
            from.byte - lengths(&mut before.chars().rev(), from.scalar - scalar)
        };
        let at = At { scalar, byte };
        self.cursor = Cursor { word, at };
        byte
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gsw_abi::builtin;

    use super::At;
    use crate::heap::Heap;
    use crate::value::hash::HashKey;
    use crate::value::string;

    fn heap() -> Heap {
        Heap::new(Arc::new(builtin::type_table()), None, HashKey::of_seed(1))
    }

    #[test]
    fn every_place_is_found_from_every_other() {
        let mut heap = heap();
        let text = "aé日𝄞";
        let word = string::new(&mut heap, text);
        let ends = text.char_indices().map(|it| it.0).chain([text.len()]);
        let ends: Vec<usize> = ends.collect();
        for (before, _) in ends.iter().enumerate() {
            for (scalar, end) in ends.iter().enumerate() {
                heap.byte_at(word, before);
                assert_eq!(heap.byte_at(word, scalar), *end, "{before} {scalar}");
            }
        }
        assert_eq!(heap.byte_at(word, 99), text.len());
        heap.release(word);
    }

    #[test]
    fn a_walk_goes_on_from_where_it_was_until_the_string_ends() {
        let mut heap = heap();
        let word = string::new(&mut heap, &"é".repeat(100));
        for scalar in [30, 31, 29] {
            heap.byte_at(word, scalar);
            let at = At {
                scalar,
                byte: 2 * scalar,
            };
            assert_eq!(heap.cursor.nearest(word, scalar + 1), at);
        }
        let other = string::new(&mut heap, &"日".repeat(100));
        assert_eq!(heap.cursor.nearest(other, 30), At::default());
        heap.release(word);
        // The next text of its size takes its memory.
        let next = string::new(&mut heap, &format!("{}aa", "aé".repeat(66)));
        assert_eq!(next, word, "the memory that was given back is taken first");
        assert_eq!(heap.byte_at(next, 30), 45);
        for word in [other, next] {
            heap.release(word);
        }
        assert_eq!(heap.live(), 0);
    }

    #[test]
    fn a_string_that_grows_in_place_or_moves_keeps_its_places() {
        let mut heap = heap();
        let (mut word, more) = (string::new(&mut heap, "é"), string::new(&mut heap, "日本"));
        let mut text = String::from("é");
        for _ in 0..200 {
            word = string::concat(&mut heap, word, more);
            text.push_str("日本");
            let scalar = text.chars().count() - 2;
            assert_eq!(heap.byte_at(word, scalar), text.len() - 6);
            assert_eq!(heap.byte_at(word, 1), 2);
        }
        for word in [word, more] {
            heap.release(word);
        }
    }
}
