//! Who watches a run: each observer has a queue of its own, and none can hold the run up.

pub mod jsonl;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::event::Event;

/// How many events are kept for those who come late.
pub const HISTORY: usize = 1_000;
/// How many events may wait for one observer before it loses some. A guess: some ten megabytes at worst.
pub const QUEUE: usize = 65_536;

/// All observers of an engine's runs, and the latest events.
#[derive(Debug, Default)]
pub struct Observers {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    history: VecDeque<Arc<Event>>,
    sinks: Vec<Sink>,
}

#[derive(Debug)]
struct Sink {
    queue: SyncSender<Arc<Event>>,
    lost: Arc<AtomicU64>,
}

/// The end of an observer's queue.
#[derive(Debug)]
pub struct Subscription {
    queue: Receiver<Arc<Event>>,
    lost: Arc<AtomicU64>,
}

/// What an observer got from its queue.
#[derive(Clone, Debug)]
pub enum Next {
    /// An event.
    Event(Arc<Event>),
    /// Nothing came in time.
    Nothing,
    /// Nothing will come any more.
    End,
}

impl Observers {
    /// A new observer, which first gets the events that are still kept.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        let (sender, queue) = sync_channel(QUEUE);
        let lost = Arc::new(AtomicU64::new(0));
        let mut state = self.lock();
        for event in &state.history {
            // The queue is longer than the history.
            let _ = sender.try_send(Arc::clone(event));
        }
        state.sinks.push(Sink {
            queue: sender,
            lost: Arc::clone(&lost),
        });
        Subscription { queue, lost }
    }

    /// Hands an event to all; never waits. Observers that are gone are forgotten.
    pub fn publish(&self, event: Event) {
        let event = Arc::new(event);
        let mut state = self.lock();
        state
            .sinks
            .retain(|sink| match sink.queue.try_send(Arc::clone(&event)) {
                Ok(()) => true,
                Err(TrySendError::Full(_)) => {
                    sink.lost.fetch_add(1, Ordering::Relaxed);
                    true
                }
                Err(TrySendError::Disconnected(_)) => false,
            });
        if state.history.len() == HISTORY {
            state.history.pop_front();
        }
        state.history.push_back(event);
    }

    /// The latest events, oldest first.
    #[must_use]
    pub fn history(&self) -> Vec<Arc<Event>> {
        self.lock().history.iter().cloned().collect()
    }

    /// Ends all queues: observers see `End` once they have read what is in them.
    pub fn close(&self) {
        self.lock().sinks.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic between two lines above leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscription {
    /// The next event, waited for.
    #[must_use]
    pub fn next(&self) -> Next {
        self.queue.recv().map_or(Next::End, Next::Event)
    }

    /// The next event, waited for at most so long.
    #[must_use]
    pub fn next_within(&self, longest: Duration) -> Next {
        match self.queue.recv_timeout(longest) {
            Ok(event) => Next::Event(event),
            Err(RecvTimeoutError::Timeout) => Next::Nothing,
            Err(RecvTimeoutError::Disconnected) => Next::End,
        }
    }

    /// How many events this observer lost by being slow.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}
