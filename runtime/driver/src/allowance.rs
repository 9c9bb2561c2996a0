//! Reserves memory of a run for the results of work in flight.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one run may still take, shared by all work for it.
#[derive(Clone, Debug)]
pub(crate) struct Allowance(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// In bytes; what has no limit leaves `u64::MAX`.
    left: AtomicU64,
    taken: AtomicU64,
}

/// What one piece of work has taken of an allowance; given back at its end, when its result is the run's own.
#[derive(Debug)]
pub(crate) struct Share {
    allowance: Allowance,
    bytes: u64,
}

/// There is not this much left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Full;

impl Default for Allowance {
    fn default() -> Self {
        Self(Arc::new(Shared {
            left: AtomicU64::new(u64::MAX),
            taken: AtomicU64::new(0),
        }))
    }
}

impl Allowance {
    /// The run leaves this many bytes; `None` when nothing limits it.
    pub(crate) fn set(&self, left: Option<u64>) {
        self.0
            .left
            .store(left.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn share(&self) -> Share {
        Share {
            allowance: self.clone(),
            bytes: 0,
        }
    }
}

impl Share {
    /// Takes this many bytes more.
    pub(crate) fn grow(&mut self, bytes: u64) -> Result<(), Full> {
        let Shared { left, taken } = &*self.allowance.0;
        let before = taken.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > left.load(Ordering::Relaxed) {
            taken.fetch_sub(bytes, Ordering::Relaxed);
            return Err(Full);
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Takes what is missing to this many bytes in all.
    pub(crate) fn grow_to(&mut self, bytes: u64) -> Result<(), Full> {
        self.grow(bytes.saturating_sub(self.bytes))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.allowance
            .0
            .taken
            .fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Allowance, Full};

    #[test]
    fn shares_together_take_no_more_than_is_left() {
        let allowance = Allowance::default();
        allowance.set(Some(100));
        let (mut one, mut other) = (allowance.share(), allowance.share());
        assert_eq!(one.grow(60), Ok(()));
        assert_eq!(other.grow(41), Err(Full));
        assert_eq!(other.grow_to(40), Ok(()));
        drop(one);
        assert_eq!(other.grow_to(100), Ok(()));
        assert_eq!(other.grow(1), Err(Full));
        allowance.set(None);
        assert_eq!(other.grow(1 << 40), Ok(()));
    }
}
