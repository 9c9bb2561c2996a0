//! All sleeping operations of a process: one ordered set, one thread that waits for its head.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::deadline::Deadlines;
use crate::driver::carrier::{Carrier, CarrierId};
use crate::operation::{OperationId, Outcome};

/// Longer than any process lives; sleeps beyond it would leave the clock's range.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);

/// The timer; its thread starts with the first sleep.
#[derive(Debug, Default)]
pub(super) struct Timer {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    deadlines: Deadlines<Instant, (CarrierId, OperationId)>,
    carriers: rustc_hash::FxHashMap<(CarrierId, OperationId), Arc<Carrier>>,
    is_served: bool,
}

impl Timer {
    /// The one of the process.
    pub(super) fn shared() -> &'static Arc<Self> {
        static TIMER: OnceLock<Arc<Timer>> = OnceLock::new();
        TIMER.get_or_init(Arc::default)
    }

    /// Completes an operation after so many nanoseconds.
    pub(super) fn sleep(
        self: &Arc<Self>,
        carrier: &Arc<Carrier>,
        id: OperationId,
        nanoseconds: i64,
    ) {
        let length = Duration::from_nanos(nanoseconds.max(0).unsigned_abs()).min(LONGEST);
        let key = (carrier.id(), id);
        let mut state = self.lock();
        state.carriers.insert(key, Arc::clone(carrier));
        let is_first = state.deadlines.set(Instant::now() + length, key);
        if !state.is_served {
            let timer = Arc::clone(self);
            let thread = std::thread::Builder::new().name("gsw-timer".into());
            state.is_served = thread.spawn(move || timer.serve()).is_ok();
        } else if is_first {
            self.changed.notify_one();
        }
    }

    /// Forgets a sleep.
    pub(super) fn forget(&self, carrier: CarrierId, id: OperationId) {
        let mut state = self.lock();
        state.deadlines.clear(&(carrier, id));
        state.carriers.remove(&(carrier, id));
    }

    fn serve(&self) {
        let mut state = self.lock();
        loop {
            while let Some(key) = state.deadlines.pop_due(Instant::now()) {
                if let Some(carrier) = state.carriers.remove(&key) {
                    drop(state);
                    carrier.complete(key.1, Outcome::Done);
                    state = self.lock();
                }
            }
            let rest = state
                .deadlines
                .first()
                .map_or(LONGEST, |at| at.saturating_duration_since(Instant::now()));
            let waited = self.changed.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
