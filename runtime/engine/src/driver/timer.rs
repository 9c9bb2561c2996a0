//! All sleeping operations of a process: one ordered set, one thread that waits for its head.

use std::collections::hash_map::Entry;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::deadline::Deadlines;
use crate::driver::carrier::{Carrier, CarrierId};
use crate::operation::{OperationId, Outcome};

/// The timer looks again at least so often; longer waits would leave the range of some clocks.
const LONGEST: Duration = Duration::from_secs(86_400);

/// The timer; its thread starts with the first sleep.
#[derive(Debug, Default)]
pub(super) struct Timer {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// By nanoseconds since `zero`, which take half the space of an instant.
    deadlines: Deadlines<u64, (CarrierId, OperationId)>,
    zero: Instant,
    /// Those with deadlines, and how many.
    carriers: FxHashMap<CarrierId, (Arc<Carrier>, usize)>,
    is_served: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            deadlines: Deadlines::default(),
            zero: Instant::now(),
            carriers: FxHashMap::default(),
            is_served: false,
        }
    }
}

impl State {
    fn now(&self) -> u64 {
        self.at(Instant::now())
    }

    fn at(&self, time: Instant) -> u64 {
        let since = time.saturating_duration_since(self.zero);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    /// A carrier has one deadline less.
    fn release(&mut self, id: CarrierId) -> Option<Arc<Carrier>> {
        let Entry::Occupied(mut entry) = self.carriers.entry(id) else {
            return None;
        };
        entry.get_mut().1 -= 1;
        if entry.get().1 == 0 {
            return Some(entry.remove().0);
        }
        Some(Arc::clone(&entry.get().0))
    }
}

impl Timer {
    /// The one of the process.
    pub(super) fn shared() -> &'static Arc<Self> {
        static TIMER: OnceLock<Arc<Timer>> = OnceLock::new();
        TIMER.get_or_init(Arc::default)
    }

    /// Completes an operation so many nanoseconds after `asked`.
    pub(super) fn sleep(
        self: &Arc<Self>,
        carrier: &Arc<Carrier>,
        id: OperationId,
        asked: Instant,
        nanoseconds: i64,
    ) {
        let length = nanoseconds.max(0).unsigned_abs();
        let key = (carrier.id(), id);
        let mut state = self.lock();
        let of_carrier = state.carriers.entry(key.0);
        of_carrier.or_insert_with(|| (Arc::clone(carrier), 0)).1 += 1;
        let at = state.at(asked).saturating_add(length);
        let is_first = state.deadlines.set(at, key);
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
        if state.deadlines.clear(&(carrier, id)) {
            state.release(carrier);
        }
    }

    /// Forgets all sleeps of a run that has ended.
    pub(super) fn forget_all(&self, carrier: CarrierId) {
        let mut state = self.lock();
        if state.carriers.remove(&carrier).is_some() {
            state.deadlines.clear_all(|it| it.0 == carrier);
        }
    }

    fn serve(&self) {
        let mut state = self.lock();
        loop {
            let now = state.now();
            while let Some(key) = state.deadlines.pop_due(now) {
                if let Some(carrier) = state.release(key.0) {
                    drop(state);
                    carrier.complete(key.1, Outcome::Done);
                    state = self.lock();
                }
            }
            let now = state.now();
            let rest = state.deadlines.first().map_or(LONGEST, |at| {
                Duration::from_nanos(at.saturating_sub(now)).min(LONGEST)
            });
            let waited = self.changed.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
