//! Whether this process records runs. What a record says that was done must be there after a power cut, so whoever changes files
//! for a run syncs them before the run is told so; where nothing is recorded, that would be for nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

static WRITERS: AtomicUsize = AtomicUsize::new(0);

/// A thread that writes records, as long as it lives.
#[derive(Debug)]
pub(crate) struct Recording;

impl Recording {
    pub(crate) fn begin() -> Self {
        WRITERS.fetch_add(1, Ordering::AcqRel);
        Self
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        WRITERS.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Whether a store is open.
#[must_use]
pub fn is_under_way() -> bool {
    WRITERS.load(Ordering::Acquire) > 0
}
