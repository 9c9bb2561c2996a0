//! The time that code may compute without waiting: a program which a model has written, before it is ended, and code that an earlier
//! life of its run was interrupted in, before it is interrupted again. It is real time under every driver: where time is virtual,
//! none of it passes while something computes.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gsw_engine::front::Front;

/// How long it may compute: it holds up the run that it is part of, and no person has read it. A guess.
const LONGEST: Duration = Duration::from_secs(10);

/// How long it may compute when it is replayed. What was ended for it in an earlier process is ended again, and what was not
/// has room on a slower machine.
const LONGEST_AGAIN: Duration = Duration::from_secs(60);

/// The longest that code computes again before it is interrupted as an earlier life of its run was. A guess: what stands before a
/// long computation takes less.
const LONGEST_INTERRUPTED: Duration = Duration::from_millis(500);

/// What happens to a turn that has had its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    OfWritten,
    AsBefore,
}

/// Watches a turn of a run until it is dropped.
#[derive(Debug)]
pub(crate) struct Watched(Option<u64>);

/// Watches the turn that begins, if it may be one of a program that a model has written.
pub(crate) fn watch(front: &Arc<Front>) -> Watched {
    watch_written(front, LONGEST)
}

/// Watches a turn that an earlier life of the run has been through.
pub(crate) fn watch_again(front: &Arc<Front>) -> Watched {
    watch_written(front, LONGEST_AGAIN)
}

/// Interrupts a turn as an earlier life of the run was that had computed for so many nanoseconds: after half of that, so that code
/// which is faster now is not at its end before.
pub(crate) fn interrupt_again(front: &Arc<Front>, nanoseconds: i64) -> Watched {
    let half = Duration::from_nanos(u64::try_from(nanoseconds / 2).unwrap_or(0));
    let watched = watch_for(front, half.min(LONGEST_INTERRUPTED), End::AsBefore);
    if watched.0.is_none() {
        front.interrupt_again();
    }
    watched
}

fn watch_written(front: &Arc<Front>, longest: Duration) -> Watched {
    match front.may_lead() {
        true => watch_for(front, longest, End::OfWritten),
        false => Watched(None),
    }
}

fn watch_for(front: &Arc<Front>, longest: Duration, end: End) -> Watched {
    let watcher = Watcher::shared();
    let mut state = watcher.lock();
    if !state.is_served {
        let thread = std::thread::Builder::new().name("gsw-overrun".into());
        // Without the thread nothing is watched, and the run continues.
        state.is_served = thread.spawn(move || watcher.serve()).is_ok();
    }
    if !state.is_served {
        return Watched(None);
    }
    state.last += 1;
    let number = state.last;
    let due = Instant::now() + longest;
    // It sleeps until the first of those that it knows is due.
    if state.turns.values().all(|it| due < it.due) {
        watcher.changed.notify_one();
    }
    let front = Arc::clone(front);
    state.turns.insert(number, Turn { due, end, front });
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

#[derive(Debug)]
struct Turn {
    /// When it has had its time.
    due: Instant,
    end: End,
    front: Arc<Front>,
}

#[derive(Debug, Default)]
struct State {
    /// By their number.
    turns: BTreeMap<u64, Turn>,
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
            for turn in state.turns.values_mut().filter(|it| it.due <= now) {
                match turn.end {
                    End::OfWritten => turn.front.stop_working(),
                    End::AsBefore => turn.front.interrupt_again(),
                }
                // Another one may begin in the same turn.
                turn.due = now + LONGEST;
            }
            let first = state.turns.values().map(|it| it.due).min();
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
