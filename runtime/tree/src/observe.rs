//! The observers of a run: each has a queue and a thread of its own. A run waits only for those that must miss nothing, and
//! for them only while they make progress.

pub mod attached;
mod follower;
pub mod jsonl;
mod queue;
mod spare;

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::event::Event;
use crate::observe::attached::Attached;
use crate::observe::follower::Follower;
use crate::observe::queue::{Life, Push, Queue};
use crate::observe::spare::Spare;

pub use queue::Progress;

/// Watches runs. Every call comes from one thread; a panic ends the observer and nothing else.
pub trait Observer: Send {
    /// Takes an event; those of one run come in order.
    fn event(&mut self, event: &Arc<Event>);

    /// Takes an event that happened in an earlier process of its run, which is replayed. An observer that acts on events must
    /// not act on it a second time.
    fn past(&mut self, event: &Arc<Event>) {
        self.event(event);
    }

    /// Reports that this many events were lost at this point, because this observer was too slow.
    fn lost(&mut self, _count: u64) {}

    /// Nothing more is there at the moment: what is held back can go out.
    fn pause(&mut self) {}

    /// How often `pause` is called even when nothing comes; `None` is never.
    fn pulse(&self) -> Option<Duration> {
        None
    }

    /// Nothing will come any more.
    fn end(&mut self) {}

    /// What this observer advances when it gets on within an event. It is advanced for each event anyway.
    fn progress(&self) -> Progress {
        Progress::default()
    }
}

/// What happens to events that an observer is too slow for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delivery {
    /// They are lost, and counted.
    Lossy,
    /// The run waits for the observer, in bounded memory.
    Whole {
        /// An observer that makes no progress for this long is lossy from then on.
        patience: Duration,
    },
}

impl Delivery {
    /// For what a user asked for in full. The figure is a guess at when a disk or a reader is stuck.
    pub const WHOLE: Self = Self::Whole {
        patience: Duration::from_secs(2),
    };
}

/// How much of the past is kept for observers that attach late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct History {
    /// The most events that are kept.
    pub count: usize,
    /// None that is older than the latest by more.
    pub age: Duration,
}

impl Default for History {
    fn default() -> Self {
        Self {
            count: 1_000,
            age: Duration::from_secs(3_600),
        }
    }
}

/// Which part of the past a new observer gets first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replay {
    All,
    Latest(usize),
    /// What happened at this time or later, in nanoseconds since 1970.
    Since(i64),
}

/// All observers of an engine's runs, and the latest events.
#[derive(Debug, Default)]
pub struct Observers {
    policy: History,
    /// Whether there may be a queue.
    is_watched: AtomicBool,
    state: Mutex<State>,
    /// Buffers that observers have returned.
    spare: Spare,
}

#[derive(Debug, Default)]
struct State {
    history: VecDeque<Arc<Event>>,
    queues: Vec<Arc<Queue>>,
    /// Those for the next events.
    spare: Vec<Arc<Event>>,
}

impl Observers {
    /// Events without an observer yet; `policy` says how much of the past is kept.
    #[must_use]
    pub fn new(policy: History) -> Self {
        Self {
            policy,
            is_watched: AtomicBool::new(false),
            state: Mutex::default(),
            spare: Spare::default(),
        }
    }

    /// Whether an event is of any use: an observer is attached, or the past is kept for those that attach late.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.policy.count > 0 || self.is_watched.load(Ordering::Relaxed)
    }

    /// Starts a thread of this name for an observer, which first gets what it asks for of the past.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn attach(
        &self,
        name: &str,
        replay: Replay,
        delivery: Delivery,
        observer: Box<dyn Observer>,
    ) -> io::Result<Attached> {
        let queue = Arc::new(Queue::new(delivery, observer.progress()));
        {
            // Under one lock, so that nothing comes twice or is missed between the past and the present.
            let mut state = self.lock();
            for event in replayed(&state.history, replay) {
                queue.push(event, Life::This);
            }
            state.queues.push(Arc::clone(&queue));
            self.is_watched.store(true, Ordering::Relaxed);
        }
        Attached::start(name, queue, self.spare.clone(), observer)
    }

    /// Follows one run from the event of this number on, as far as that is kept, and what comes after.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn follow(
        &self,
        run: &str,
        from: u64,
        observer: Box<dyn Observer>,
    ) -> io::Result<Attached> {
        let follower = Box::new(Follower::new(run, from, observer));
        self.attach("gsw-follow", Replay::All, Delivery::Lossy, follower)
    }

    /// Hands an event to all, then waits for observers that are to miss nothing and have too much before them. Observers that are
    /// gone are forgotten.
    pub fn publish(&self, event: Event) {
        self.hand_out(event, Life::This);
    }

    /// Like [`Self::publish`], for an event that happened in an earlier process of its run.
    pub fn publish_past(&self, event: Event) {
        self.hand_out(event, Life::Earlier);
    }

    fn hand_out(&self, event: Event, life: Life) {
        let mut full = Vec::new();
        let mut state = self.lock();
        // Made once and shared by all queues; its allocation is one that observers gave back, if there is one.
        let event = self.shared(&mut state, event);
        // Under one lock for all queues: every observer sees the events of interleaved runs in the same order.
        state.queues.retain(|it| match it.push(&event, life) {
            Push::Taken => true,
            Push::Full => {
                full.push(Arc::clone(it));
                true
            }
            Push::Gone => false,
        });
        if self.policy.count > 0 {
            self.remember(&mut state, event);
        }
        // A thread that attaches or closes meanwhile need not wait.
        drop(state);
        for queue in full {
            queue.await_room();
        }
    }

    fn shared(&self, state: &mut State, event: Event) -> Arc<Event> {
        if state.spare.is_empty() {
            self.spare.take(&mut state.spare);
        }
        let Some(mut shared) = state.spare.pop() else {
            return Arc::new(event);
        };
        match Arc::get_mut(&mut shared) {
            Some(place) => *place = event,
            // Only what has no other owner is given back.
            None => shared = Arc::new(event),
        }
        shared
    }

    fn remember(&self, state: &mut State, event: Arc<Event>) {
        let oldest = event
            .time
            .saturating_sub_unsigned(u64::try_from(self.policy.age.as_nanos()).unwrap_or(u64::MAX));
        state.history.push_back(event);
        while state.history.len() > self.policy.count
            || state.history.front().is_some_and(|it| it.time < oldest)
        {
            state.history.pop_front();
        }
    }

    /// What is kept of the past, oldest first.
    #[must_use]
    pub fn history(&self, replay: Replay) -> Vec<Arc<Event>> {
        replayed(&self.lock().history, replay).cloned().collect()
    }

    /// The user wants the end: from now on runs wait for observers at most this long in all, and this long without progress.
    pub fn hurry(&self, patience: Duration, total: Duration) {
        for queue in &self.lock().queues {
            queue.hurry(patience, total);
        }
    }

    /// Ends all queues: observers end once they have taken what is in them.
    pub fn close(&self) {
        let mut state = self.lock();
        self.is_watched.store(false, Ordering::Relaxed);
        for queue in state.queues.drain(..) {
            queue.close();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic between two lines above leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn replayed(history: &VecDeque<Arc<Event>>, replay: Replay) -> impl Iterator<Item = &Arc<Event>> {
    let from = match replay {
        Replay::All => 0,
        Replay::Latest(count) => history.len().saturating_sub(count),
        // Runs of one engine may interleave, so times need not be sorted.
        Replay::Since(time) => history
            .iter()
            .position(|it| it.time >= time)
            .unwrap_or(history.len()),
    };
    history.range(from..)
}

#[cfg(test)]
mod tests;
