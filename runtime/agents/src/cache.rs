//! Answers that are kept: in memory, least recently used out first, within bounds that are really counted; and, where there is
//! one, in a file that other processes use as well ([`Disk`]).

pub(crate) mod disk;
mod flight;
pub(crate) mod key;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gsw_driver::answers::Answers;
use gsw_driver::call::Call;
use gsw_driver::models::Pending;
use gsw_engine::answers::{Found, KeptAnswer, LookUp, Tier};
use lru::LruCache;
use serde::Serialize;

use disk::{Disk, OnDisk};
use flight::{Flights, Landed, Place};

const MOST_ENTRIES: usize = 1_000;
const MOST_BYTES: usize = 52_428_800;
/// What an entry costs besides its texts: list links, table slot, allocations.
const OVERHEAD: usize = 256;
/// How often a call looks whether another process has the answer that both want.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A cache, shared by the runs of a process.
#[derive(Debug)]
pub struct Cache {
    kept: Mutex<Kept>,
    flights: Mutex<Flights>,
    most_bytes: usize,
    disk: Option<Disk>,
}

#[derive(Debug)]
struct Kept {
    entries: LruCache<String, Entry>,
    bytes: usize,
    hits: u64,
    disk_hits: u64,
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
    /// Those of them that found it on the disk.
    pub disk_hits: u64,
    pub misses: u64,
    /// Entries that were evicted or have expired.
    pub evictions: u64,
    pub entries: usize,
    pub bytes: usize,
    /// Hits per look-up; 0 before the first.
    pub hit_rate: f64,
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
                disk_hits: 0,
                misses: 0,
                evictions: 0,
            }),
            flights: Mutex::default(),
            most_bytes,
            disk: None,
        }
    }

    /// Adds a second tier on disk.
    #[must_use]
    pub fn with_disk(mut self, disk: Disk) -> Self {
        self.disk = Some(disk);
        self
    }

    /// The text kept under a key, unless it has expired. `now` is of any clock, the same for all calls.
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

    /// Keeps a text for `ttl`; returns the keys that were evicted. A text larger than the whole cache is not kept.
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
            disk_hits: kept.disk_hits,
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

    /// What memory does not have. The answer of another process is in memory afterwards.
    fn on_disk(&self, what: &LookUp, place: &Place) -> OnDisk {
        let (Some(disk), Tier::Disk) = (&self.disk, what.tier) else {
            return OnDisk::Nothing;
        };
        // A call in another one never waits for a process: that could wait for this one.
        let found = match place {
            Place::Taken if what.around.is_empty() => disk.look_up(&what.key, what.at),
            Place::Taken | Place::Alone | Place::Busy => disk.look_up_alone(&what.key, what.at),
        };
        if let OnDisk::Hit { owner, text, rest } = &found {
            self.set(&what.key, owner, text, *rest, what.at);
            let mut kept = self.kept();
            kept.hits += 1;
            kept.disk_hits += 1;
            // Memory has counted a miss.
            kept.misses -= 1;
        }
        found
    }

    fn let_go_on_disk(&self, key: &str) {
        if let Some(disk) = &self.disk {
            disk.let_go(key);
        }
    }

    fn flights(&self) -> MutexGuard<'_, Flights> {
        // Nothing that can panic runs while the lock is held.
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // No code of ours panics while it holds the lock, and nothing inside depends on more than one step.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answers for Cache {
    fn look_up(&self, what: &LookUp, call: &Call) -> Found {
        // The place is claimed first: its last holder stored its answer before releasing it.
        let place = self.flights().take(&what.key, &what.around, &call.run);
        match place {
            Place::Busy => return Found::Busy,
            Place::Taken | Place::Alone => {}
        }
        let in_memory = self.get(&what.key, what.at).map(|it| it.to_string());
        let found = match in_memory {
            Some(text) => Found::Hit(text),
            None => match self.on_disk(what, &place) {
                OnDisk::Hit { text, .. } => Found::Hit(text),
                OnDisk::Claimed | OnDisk::Nothing => Found::Miss,
                OnDisk::Busy => Found::Busy,
            },
        };
        match (&found, place) {
            // A caller that asks the model keeps the place; one that waits for another process takes it again.
            (Found::Hit(_) | Found::Busy, Place::Taken) => self.let_go(&call.run, &what.key),
            (Found::Miss, Place::Taken) | (_, Place::Alone | Place::Busy) => {}
        }
        found
    }

    fn wait(&self, what: LookUp, call: Call) -> Pending<'_, Found> {
        Box::pin(async move {
            loop {
                match self.look_up(&what, &call) {
                    Found::Busy => {}
                    found @ (Found::Hit(_) | Found::Miss) => return found,
                }
                let Some(wait) = self.flights().wait(&what.key, &what.around) else {
                    // No call of this process has it, so another process does, or did a moment ago.
                    tokio::time::sleep(LOOK_AGAIN).await;
                    continue;
                };
                let waiting = Waiting {
                    cache: self,
                    number: wait.number,
                };
                // An error says that the sender is gone, which is the same to us.
                let _ = wait.landed.await;
                drop(waiting);
            }
        })
    }

    fn keep(&self, answer: KeptAnswer, call: &Call) -> Vec<String> {
        if let (Some(disk), Tier::Disk) = (&self.disk, answer.tier) {
            disk.keep(&answer);
        }
        let gave_way = self.set(
            &answer.key,
            &answer.owner,
            &answer.text,
            answer.ttl,
            answer.at,
        );
        self.let_go(&call.run, &answer.key);
        gave_way
    }

    fn let_go(&self, run: &str, key: &str) {
        if self.flights().land(key, run) == Landed::Yes {
            self.let_go_on_disk(key);
        }
    }

    fn run_ended(&self, run: &str) {
        let landed = self.flights().land_all(run);
        landed.iter().for_each(|it| self.let_go_on_disk(it));
    }

    fn close(&self) {
        if let Some(disk) = &self.disk {
            disk.close();
        }
    }
}

/// A wait that is removed when its caller stops waiting.
struct Waiting<'a> {
    cache: &'a Cache,
    number: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.cache.flights().end_wait(self.number);
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
    use std::time::Duration;

    use gsw_driver::answers::Answers;
    use gsw_driver::call::Call;
    use gsw_engine::answers::{Found, KeptAnswer, LookUp, Tier};

    use super::{Cache, OVERHEAD};

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
        let (cache, call) = (Cache::default(), Call::alone());
        let what = LookUp {
            key: "k".into(),
            at: at(0),
            tier: Tier::Disk,
            around: Vec::new(),
        };
        assert_eq!(cache.look_up(&what, &call), Found::Miss);
        assert_eq!(cache.look_up(&what, &call), Found::Busy);
        let answer = KeptAnswer {
            key: "k".into(),
            owner: String::new(),
            prompt: String::new(),
            model: String::new(),
            text: "1".into(),
            tier: Tier::Disk,
            ttl: HOUR,
            at: at(0),
        };
        assert!(cache.keep(answer, &call).is_empty());
        assert_eq!(cache.look_up(&what, &call), Found::Hit("1".into()));
        assert_eq!(cache.look_up(&what, &call), Found::Hit("1".into()));
    }
}
