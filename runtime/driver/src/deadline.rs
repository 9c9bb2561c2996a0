//! Deadlines: one ordered set per driver, so that one timer for its head is enough.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// Things that are to happen, by time; equal times in the order they were set.
#[derive(Debug)]
pub struct Deadlines<T, K> {
    by_time: BTreeMap<(T, u64), K>,
    by_key: FxHashMap<K, (T, u64)>,
    next: u64,
}

impl<T: Ord + Copy, K: std::hash::Hash + Eq + Clone> Default for Deadlines<T, K> {
    fn default() -> Self {
        Self {
            by_time: BTreeMap::new(),
            by_key: FxHashMap::default(),
            next: 0,
        }
    }
}

impl<T: Ord + Copy, K: std::hash::Hash + Eq + Clone> Deadlines<T, K> {
    /// Sets a deadline for `key`, in place of an earlier one. Says whether it is now the first of all.
    pub fn set(&mut self, at: T, key: K) -> bool {
        self.clear(&key);
        let position = (at, self.next);
        self.next += 1;
        self.by_key.insert(key.clone(), position);
        self.by_time.insert(position, key);
        self.by_time
            .first_key_value()
            .is_some_and(|(first, _)| *first == position)
    }

    /// Takes the deadline of `key` away. Says whether there was one.
    pub fn clear(&mut self, key: &K) -> bool {
        let Some(position) = self.by_key.remove(key) else {
            return false;
        };
        self.by_time.remove(&position);
        true
    }

    /// When the first is due.
    #[must_use]
    pub fn first(&self) -> Option<T> {
        self.by_time.first_key_value().map(|((at, _), _)| *at)
    }

    /// Takes the first one that is due at `now`.
    pub fn pop_due(&mut self, now: T) -> Option<K> {
        let entry = self.by_time.first_entry()?;
        if entry.key().0 > now {
            return None;
        }
        let key = entry.remove();
        self.by_key.remove(&key);
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::Deadlines;

    #[test]
    fn they_come_in_order_and_can_be_cleared() {
        let mut deadlines = Deadlines::default();
        assert!(deadlines.set(20, "b"));
        assert!(deadlines.set(10, "a"));
        assert!(!deadlines.set(20, "c"));
        deadlines.clear(&"b");
        assert_eq!(deadlines.first(), Some(10));
        assert_eq!(deadlines.pop_due(5), None);
        assert_eq!(deadlines.pop_due(30), Some("a"));
        assert_eq!(deadlines.pop_due(30), Some("c"));
        assert_eq!(deadlines.pop_due(30), None);
    }
}
