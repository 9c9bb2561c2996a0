//! The time that a program which a model has written may compute without waiting. It is real time under every driver: where
//! time is virtual, none of it passes while something computes.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gsw_engine::front::Front;

/// How long it may compute: it holds up the run that it is part of, and no person has read it. A guess.
const LONGEST: Duration = Duration::from_secs(10);

/// How long it may compute when it is replayed. What was ended for it in an earlier process is ended again, and what was not
/// has room on a slower machine.
const LONGEST_AGAIN: Duration = Duration::from_secs(60);

/// Watches a turn of a run until it is dropped.
#[derive(Debug)]
pub(crate) struct Watched(Option<u64>);

/// Watches the turn that begins, if it may be one of a program that a model has written.
pub(crate) fn watch(front: &Arc<Front>) -> Watched {
    watch_for(front, LONGEST)
}

/// Watches a turn that an earlier life of the run has been through.
pub(crate) fn watch_again(front: &Arc<Front>) -> Watched {
    watch_for(front, LONGEST_AGAIN)
}

fn watch_for(front: &Arc<Front>, longest: Duration) -> Watched {
    if !front.may_lead() {
        return Watched(None);
    }
    let watcher = Watcher::shared();
    let mut state = watcher.lock();
    if !state.is_served {
        let thread = std::thread::Builder::new().name("gsw-overrun".into());
        // Without the thread nothing is watched, and the run continues.
        state.is_served = thread.spawn(move || watcher.serve()).is_ok();
    }
    state.last += 1;
    let number = state.last;
    let due = Instant::now() + longest;
    // It sleeps until the first of those that it knows is due.
    if state.turns.values().all(|(it, _)| due < *it) {
        watcher.changed.notify_one();
    }
    state.turns.insert(number, (due, Arc::clone(front)));
    Watched(Some(number))
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(number) = self.0 {
            Watcher::shared().lock().turns.remove(&number);
        }
    }
}

/// One thread watches the turns of all runs of the process.
#[derive(Debug, Default)]
struct Watcher {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// By their number: when each has had its time.
    turns: BTreeMap<u64, (Instant, Arc<Front>)>,
    /// The number of the latest.
    last: u64,
    is_served: bool,
}

impl Watcher {
    fn shared() -> &'static Self {
        static WATCHER: OnceLock<Watcher> = OnceLock::new();
        WATCHER.get_or_init(Self::default)
    }

    fn serve(&self) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            for (due, front) in state.turns.values_mut().filter(|(due, _)| *due <= now) {
                front.stop_working();
                // Another one may begin in the same turn.
                *due = now + LONGEST;
            }
            let first = state.turns.values().map(|(due, _)| *due).min();
            let rest = first.map_or(LONGEST, |it| it.saturating_duration_since(now));
            // A wake for nothing does no harm.
            let waited = self.changed.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
