//! Answers that are kept: least recently used out first, within bounds that are really counted.

mod flight;
pub(crate) mod key;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lru::LruCache;
use serde::Serialize;

use flight::Flights;
pub(crate) use flight::Hold;

/// The most entries.
const MOST_ENTRIES: usize = 1_000;
/// The most bytes.
const MOST_BYTES: usize = 52_428_800;
/// What an entry costs besides its texts: list links, table slot, allocations.
const OVERHEAD: usize = 256;

/// A cache, shared by the runs of a process.
#[derive(Debug)]
pub struct Cache {
    kept: Mutex<Kept>,
    flights: Flights,
    most_bytes: usize,
}

#[derive(Debug)]
struct Kept {
    entries: LruCache<String, Entry>,
    bytes: usize,
    hits: u64,
    misses: u64,
    evictions: u64,
}

#[derive(Debug)]
struct Entry {
    text: Arc<str>,
    owner: String,
    expires: Duration,
}

/// What a cache has done and holds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Metrics {
    /// Look-ups that found an entry.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Entries that gave way to others or whose time was over.
    pub evictions: u64,
    /// Entries now.
    pub entries: usize,
    /// Bytes now.
    pub bytes: usize,
    /// Hits per look-up; 0 before the first.
    pub hit_rate: f64,
}

/// What a call that wants an answer finds.
#[derive(Debug)]
pub(crate) enum Lookup {
    /// The kept text.
    Hit(Arc<str>),
    /// Another call is at it.
    Busy,
    /// Nobody: the caller is to find out and holds the place meanwhile.
    Miss(Hold),
}

impl Default for Cache {
    fn default() -> Self {
        Self::with_bounds(MOST_ENTRIES, MOST_BYTES)
    }
}

impl Cache {
    /// An empty cache of other bounds. No entries at all means one.
    #[must_use]
    pub fn with_bounds(most_entries: usize, most_bytes: usize) -> Self {
        let most_entries = NonZeroUsize::new(most_entries).unwrap_or(NonZeroUsize::MIN);
        Self {
            kept: Mutex::new(Kept {
                entries: LruCache::sparse(most_entries),
                bytes: 0,
                hits: 0,
                misses: 0,
                evictions: 0,
            }),
            flights: Flights::default(),
            most_bytes,
        }
    }

    /// The text kept under a key, unless its time is over. `now` is any clock's, the same for all calls.
    pub fn get(&self, key: &str, now: Duration) -> Option<Arc<str>> {
        let mut kept = self.kept();
        let found = kept
            .entries
            .get(key)
            .map(|it| (Arc::clone(&it.text), it.expires));
        match found {
            Some((text, expires)) if now < expires => {
                kept.hits += 1;
                Some(text)
            }
            Some(_) => {
                kept.remove(key);
                kept.evictions += 1;
                kept.misses += 1;
                None
            }
            None => {
                kept.misses += 1;
                None
            }
        }
    }

    /// Keeps a text for `ttl`; gives the keys that had to give way. One that is larger than the whole cache is not kept.
    pub fn set(
        &self,
        key: &str,
        owner: &str,
        text: &str,
        ttl: Duration,
        now: Duration,
    ) -> Vec<String> {
        let mut kept = self.kept();
        kept.remove(key);
        let entry = Entry {
            text: text.into(),
            owner: owner.to_owned(),
            expires: now.saturating_add(ttl),
        };
        let bytes = entry.bytes(key);
        let mut evicted = Vec::new();
        if bytes > self.most_bytes {
            return evicted;
        }
        while kept.bytes + bytes > self.most_bytes {
            evicted.extend(kept.evict_oldest());
        }
        if kept.entries.len() == kept.entries.cap().get() {
            evicted.extend(kept.evict_oldest());
        }
        kept.bytes += bytes;
        kept.entries.put(key.to_owned(), entry);
        evicted
    }

    /// Forgets one key; whether it was there.
    pub fn bust(&self, key: &str) -> bool {
        self.kept().remove(key)
    }

    /// Forgets all keys that begin so; how many.
    pub fn bust_prefix(&self, prefix: &str) -> usize {
        self.kept().remove_where(|key, _| key.starts_with(prefix))
    }

    /// Forgets all answers of an agent; how many.
    pub fn bust_owner(&self, owner: &str) -> usize {
        self.kept().remove_where(|_, entry| entry.owner == owner)
    }

    /// Forgets everything; the counts of hits and misses stay.
    pub fn clear(&self) {
        let mut kept = self.kept();
        kept.entries.clear();
        kept.bytes = 0;
    }

    /// What it has done and holds.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        let kept = self.kept();
        let lookups = kept.hits + kept.misses;
        Metrics {
            hits: kept.hits,
            misses: kept.misses,
            evictions: kept.evictions,
            entries: kept.entries.len(),
            bytes: kept.bytes,
            hit_rate: if lookups == 0 {
                0.0
            } else {
                kept.hits as f64 / lookups as f64
            },
        }
    }

    /// Looks up for a call that will ask a model if it must.
    pub(crate) fn look_up(self: &Arc<Self>, key: &str, now: Duration) -> Lookup {
        // The place is taken first: whoever held it has put its answer in before giving it up.
        let Some(hold) = Hold::take(self, key) else {
            return Lookup::Busy;
        };
        match self.get(key, now) {
            Some(text) => Lookup::Hit(text),
            None => Lookup::Miss(hold),
        }
    }

    /// Ends when no call holds the key.
    pub(crate) async fn released(&self, key: &str) {
        self.flights.landed(key).await;
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // No code of ours panics while it holds the lock, and nothing inside depends on more than one step.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn remove(&mut self, key: &str) -> bool {
        let Some(entry) = self.entries.pop(key) else {
            return false;
        };
        self.bytes -= entry.bytes(key);
        true
    }

    fn evict_oldest(&mut self) -> Option<String> {
        let (key, entry) = self.entries.pop_lru()?;
        self.bytes -= entry.bytes(&key);
        self.evictions += 1;
        Some(key)
    }

    fn remove_where(&mut self, is_meant: impl Fn(&str, &Entry) -> bool) -> usize {
        let meant = self
            .entries
            .iter()
            .filter(|(key, entry)| is_meant(key, entry));
        let keys: Vec<String> = meant.map(|(key, _)| key.clone()).collect();
        keys.iter().for_each(|it| {
            self.remove(it);
        });
        keys.len()
    }
}

impl Entry {
    fn bytes(&self, key: &str) -> usize {
        key.len() + self.text.len() + self.owner.len() + OVERHEAD
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Cache, Lookup, OVERHEAD};

    const HOUR: Duration = Duration::from_secs(3600);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let cache = Cache::with_bounds(2, 1 << 20);
        for key in ["a", "b"] {
            cache.set(key, "agent", "1", HOUR, at(0));
        }
        assert!(cache.get("a", at(1)).is_some());
        assert_eq!(cache.set("c", "agent", "1", HOUR, at(1)), ["b"]);
        assert!(cache.get("b", at(1)).is_none());
        assert!(cache.get("a", at(1)).is_some() && cache.get("c", at(1)).is_some());
        let metrics = cache.metrics();
        assert_eq!((metrics.hits, metrics.misses, metrics.evictions), (3, 1, 1));
        assert_eq!(metrics.hit_rate, 0.75);
    }

    #[test]
    fn bytes_are_counted_and_bounded() {
        let most = 4 * (OVERHEAD + 100);
        let cache = Cache::with_bounds(100, most);
        for index in 0..50 {
            cache.set(&format!("{index:02}"), "", &"x".repeat(index), HOUR, at(0));
            assert!(cache.metrics().bytes <= most);
        }
        cache.set("large", "", &"x".repeat(most), HOUR, at(0));
        assert!(cache.get("large", at(0)).is_none());
        assert!(cache.get("49", at(0)).is_some());
        cache.clear();
        assert_eq!((cache.metrics().bytes, cache.metrics().entries), (0, 0));
    }

    #[test]
    fn time_ends_and_busting_removes() {
        let cache = Cache::default();
        cache.set("ab", "one", "1", at(10), at(0));
        cache.set("ac", "two", "2", HOUR, at(0));
        cache.set("b", "two", "3", HOUR, at(0));
        assert!(cache.get("ab", at(9)).is_some() && cache.get("ab", at(10)).is_none());
        assert_eq!(cache.bust_prefix("a"), 1);
        assert_eq!(cache.bust_owner("one"), 0);
        assert!(cache.bust("b") && !cache.bust("b"));
        assert_eq!(cache.metrics().bytes, 0);
    }

    #[test]
    fn one_call_holds_a_key_until_it_lets_go() {
        let cache = Arc::new(Cache::default());
        let Lookup::Miss(hold) = cache.look_up("k", at(0)) else {
            panic!("an empty cache")
        };
        assert!(matches!(cache.look_up("k", at(0)), Lookup::Busy));
        cache.set("k", "", "1", HOUR, at(0));
        drop(hold);
        assert!(matches!(cache.look_up("k", at(0)), Lookup::Hit(_)));
        assert!(matches!(cache.look_up("k", at(0)), Lookup::Hit(_)));
    }
}
