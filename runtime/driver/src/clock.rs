//! The time and the randomness of the machine, which reach a run only as outcomes.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::pauses::Pauses;

/// The source of time. The simulator moves the clock of a simulated run.
#[derive(Clone, Debug, Default)]
pub(crate) enum Clock {
    #[default]
    System,
    /// That of the system without the pauses.
    Paused(Arc<Pauses>),
    /// Nanoseconds since 1970, moved by a test.
    Virtual(Arc<AtomicI64>),
}

/// A moment by both clocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) steady: u64,
    /// Nanoseconds since 1970, where they and the steady ones may part.
    pub(crate) date: Option<i64>,
}

impl Clock {
    pub(crate) fn moment(&self) -> Moment {
        Moment {
            steady: self.steady(),
            date: match self {
                Self::System | Self::Paused(_) => Some(self.now()),
                Self::Virtual(_) => None,
            },
        }
    }

    /// Nanoseconds since 1970; 0 when the machine's clock is before that.
    pub(crate) fn now(&self) -> i64 {
        match self {
            Self::System => {
                let since = SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default();
                i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
            }
            Self::Paused(pauses) => {
                let passed = i64::try_from(pauses.passed().as_nanos()).unwrap_or(i64::MAX);
                Self::System.now().saturating_sub(passed)
            }
            Self::Virtual(now) => now.load(Ordering::SeqCst),
        }
    }

    /// Nanoseconds of a clock that is never set, from any beginning.
    pub(crate) fn steady(&self) -> u64 {
        match self {
            Self::System => {
                static ZERO: OnceLock<Instant> = OnceLock::new();
                let since = ZERO.get_or_init(Instant::now).elapsed();
                u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
            }
            Self::Paused(pauses) => {
                let passed = u64::try_from(pauses.passed().as_nanos()).unwrap_or(u64::MAX);
                Self::System.steady().saturating_sub(passed)
            }
            Self::Virtual(now) => now.load(Ordering::SeqCst).max(0).unsigned_abs(),
        }
    }
}

/// 64 random bits: a counter under a keyed hash whose key the system drew.
pub(crate) fn random_word() -> u64 {
    static KEY: OnceLock<RandomState> = OnceLock::new();
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let mut hasher = KEY.get_or_init(RandomState::new).build_hasher();
    hasher.write_u64(COUNTER.fetch_add(1, Ordering::Relaxed));
    hasher.finish()
}

/// A float from 0 to below 1.
pub(crate) fn random_float() -> f64 {
    (random_word() >> 11) as f64 / (1_u64 << 53) as f64
}

/// An int from `low` to `high`, each as likely.
pub(crate) fn random_int(low: i64, high: i64) -> i64 {
    let span = high.wrapping_sub(low) as u64;
    if span == u64::MAX {
        return random_word() as i64;
    }
    let count = span + 1;
    // The highest words would favour small results; they are drawn again.
    let fair = u64::MAX - u64::MAX % count;
    loop {
        let word = random_word();
        if word < fair {
            return low.wrapping_add((word % count) as i64);
        }
    }
}

/// A random UUID, version 4.
pub(crate) fn uuid() -> String {
    let high = random_word() & !0xf000 | 0x4000;
    let low = random_word() & (u64::MAX >> 2) | 1 << 63;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::{random_int, uuid};

    #[test]
    fn ints_stay_in_their_range() {
        for _ in 0..1000 {
            assert!((3..=5).contains(&random_int(3, 5)));
        }
        assert_eq!(random_int(7, 7), 7);
        let _ = random_int(i64::MIN, i64::MAX);
    }

    #[test]
    fn a_uuid_has_its_version_and_variant() {
        let text = uuid();
        assert_eq!(text.len(), 36);
        assert_eq!(&text[14..15], "4");
        assert!("89ab".contains(&text[19..20]), "{text}");
    }
}
