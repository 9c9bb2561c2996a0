//! What waits for one observer: bounded, and never waited for by who fills it.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::event::Event;

/// How many events may wait for one observer before it loses some. A guess: some fifty megabytes of ordinary events.
const MOST_EVENTS: usize = 1 << 18;
/// How many bytes of text they may hold together, so that large values do not fill the memory.
const MOST_BYTES: usize = 256 << 20;
/// An observer is woken for the first event, and then left to gather so many…
const BATCH: usize = 4_096;
/// …or for so long: waking it for each event would cost the run more than the event.
const GATHER: Duration = Duration::from_millis(5);

/// The queue of one observer.
#[derive(Debug, Default)]
pub struct Queue {
    state: Mutex<State>,
    filled: Condvar,
}

#[derive(Debug, Default)]
struct State {
    items: VecDeque<Item>,
    bytes: usize,
    counts: Counts,
    is_closed: bool,
    is_gone: bool,
}

/// What stands in a queue.
#[derive(Debug)]
pub enum Item {
    /// An event.
    Event(Arc<Event>),
    /// So many that found no room.
    Lost(u64),
}

/// How many events came this way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// All.
    pub offered: u64,
    /// Those that found no room.
    pub lost: u64,
}

/// What became of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Push {
    /// It waits, or its loss has been counted.
    Taken,
    /// Nobody will ever take it.
    Gone,
}

/// Whether more may come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// It may.
    Open,
    /// What was taken now is the end.
    Closed,
}

impl Queue {
    /// Adds an event, or counts it when there is no room.
    pub fn push(&self, event: &Arc<Event>) -> Push {
        let bytes = event.text_bytes();
        let mut state = self.lock();
        state.counts.offered += 1;
        if state.is_gone {
            return Push::Gone;
        }
        if state.items.len() >= MOST_EVENTS || state.bytes + bytes > MOST_BYTES {
            state.counts.lost += 1;
            match state.items.back_mut() {
                Some(Item::Lost(count)) => *count += 1,
                _ => state.items.push_back(Item::Lost(1)),
            }
            return Push::Taken;
        }
        state.bytes += bytes;
        state.items.push_back(Item::Event(Arc::clone(event)));
        if matches!(state.items.len(), 1 | BATCH) {
            self.filled.notify_one();
        }
        Push::Taken
    }

    /// Takes all that waits, waited for at most so long.
    pub fn take(&self, into: &mut VecDeque<Item>, longest: Option<Duration>) -> Flow {
        let mut state = self.lock();
        let is_idle = |it: &mut State| it.items.is_empty() && !it.is_closed;
        state = match longest {
            None => self.filled.wait_while(state, is_idle),
            Some(longest) => self
                .filled
                .wait_timeout_while(state, longest, is_idle)
                .map(|it| it.0)
                .map_err(|it| PoisonError::new(it.into_inner().0)),
        }
        .unwrap_or_else(PoisonError::into_inner);
        if !state.items.is_empty() {
            state = self
                .filled
                .wait_timeout_while(state, GATHER, |it| it.items.len() < BATCH && !it.is_closed)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        std::mem::swap(&mut state.items, into);
        state.bytes = 0;
        if state.is_closed {
            Flow::Closed
        } else {
            Flow::Open
        }
    }

    /// Nothing will be pushed any more.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.filled.notify_one();
    }

    /// Nothing will be taken any more.
    pub fn abandon(&self) {
        let mut state = self.lock();
        state.is_gone = true;
        state.items = VecDeque::new();
    }

    /// How many events came this way so far.
    pub fn counts(&self) -> Counts {
        self.lock().counts
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic between two lines above leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
