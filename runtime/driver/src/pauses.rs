//! Pauses of runs: no time passes for them while a debugger inspects one of them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// When the runs of an engine were paused.
#[derive(Debug, Default)]
pub struct Pauses(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// How long the pauses took that are over.
    over: Duration,
    /// When the one began that is not.
    since: Option<Instant>,
}

impl Pauses {
    /// Pauses the runs from now on.
    pub fn begin(&self) {
        self.lock().since.get_or_insert_with(Instant::now);
    }

    /// Ends the pause.
    pub fn end(&self) {
        let mut state = self.lock();
        if let Some(since) = state.since.take() {
            state.over += since.elapsed();
        }
    }

    /// How long they were paused in all.
    pub(crate) fn passed(&self) -> Duration {
        let state = self.lock();
        let current = state.since.map(|it| it.elapsed());
        state.over + current.unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
