//! When carriers are to be woken: one ordered set with an entry for each that sleeps, one thread that waits for its head.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::carrier::{Carrier, CarrierId};
use crate::clock::Clock;
use crate::deadline::Deadlines;

/// The timer looks again at least this often; longer waits would leave the range of some clocks.
const LONGEST: Duration = Duration::from_secs(86_400);

/// A timer; its thread starts with the first alarm.
#[derive(Debug)]
pub(crate) struct Timer {
    clock: Clock,
    waker: Waker,
    state: Mutex<State>,
    changed: Condvar,
}

/// What wakes those that are due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waker {
    /// A thread of the timer's own.
    Thread,
    /// Whoever calls [`Timer::wake_due`].
    Caller,
}

#[derive(Debug, Default)]
struct State {
    /// By the steady clock.
    deadlines: Deadlines<u64, CarrierId>,
    carriers: FxHashMap<CarrierId, Weak<Carrier>>,
    is_served: bool,
}

impl Timer {
    pub(crate) fn new(clock: Clock, waker: Waker) -> Arc<Self> {
        Arc::new(Self {
            clock,
            waker,
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// The one that real runs share.
    pub(crate) fn shared() -> &'static Arc<Self> {
        static TIMER: OnceLock<Arc<Timer>> = OnceLock::new();
        TIMER.get_or_init(|| Self::new(Clock::System, Waker::Thread))
    }

    /// Wakes the carrier at this time of the steady clock, in place of what was set before.
    ///
    /// # Errors
    /// When they will not be woken: no thread can be started.
    pub(crate) fn set(self: &Arc<Self>, carrier: &Arc<Carrier>, at: u64) -> std::io::Result<()> {
        let mut state = self.lock();
        // Under the lock, so that one thread serves all runs of the process.
        if self.waker == Waker::Thread && !state.is_served {
            let timer = Arc::clone(self);
            let thread = std::thread::Builder::new().name("gsw-timer".into());
            thread.spawn(move || timer.serve())?;
            state.is_served = true;
        }
        let known = state.carriers.entry(carrier.id());
        // Weak, so that an alarm alone keeps no run in memory.
        known.or_insert_with(|| Arc::downgrade(carrier));
        // Notified only when the head changes: the thread waits for nothing else.
        if state.deadlines.set(at, carrier.id()) {
            self.changed.notify_one();
        }
        Ok(())
    }

    pub(crate) fn forget(&self, carrier: CarrierId) {
        let mut state = self.lock();
        state.deadlines.clear(&carrier);
        state.carriers.remove(&carrier);
    }

    /// When the first is due.
    pub(crate) fn first(&self) -> Option<u64> {
        self.lock().deadlines.first()
    }

    /// Wakes all that are due.
    pub(crate) fn wake_due(&self) {
        let now = self.clock.steady();
        let mut state = self.lock();
        while let Some(id) = state.deadlines.pop_due(now) {
            let carrier = state.carriers.get(&id).and_then(Weak::upgrade);
            // Without the lock: a carrier that is woken sets its next alarm.
            drop(state);
            if let Some(carrier) = carrier {
                carrier.wake(now);
            }
            state = self.lock();
        }
    }

    fn serve(&self) {
        loop {
            self.wake_due();
            let state = self.lock();
            let now = self.clock.steady();
            let rest = state.deadlines.first().map_or(LONGEST, |at| {
                Duration::from_nanos(at.saturating_sub(now)).min(LONGEST)
            });
            // What was set since is checked at once; a spurious wake does no harm.
            drop(self.changed.wait_timeout(state, rest));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
