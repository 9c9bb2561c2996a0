//! What waits for one observer, in bounded memory: beyond the bound events are lost, or the publisher waits.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::event::Event;
use crate::observe::Delivery;

/// What may wait for an observer that loses events. A guess: some fifty megabytes of ordinary ones.
const LOSSY: Capacity = Capacity {
    events: 1 << 18,
    bytes: 256 << 20,
};
/// What may wait for an observer that is waited for, which is less: nothing is gained by a longer queue. The observer holds as
/// much again while it works.
const WHOLE: Capacity = Capacity {
    events: 1 << 14,
    bytes: 32 << 20,
};
/// An observer is woken for the first event, and then left to gather this many…
const BATCH: usize = 4_096;
/// …or for this long: waking it for each event would cost the run more than the event.
const GATHER: Duration = Duration::from_millis(5);

/// How much may wait: bytes of text are counted too, so that large values do not fill the memory.
#[derive(Clone, Copy, Debug)]
struct Capacity {
    events: usize,
    bytes: usize,
}

/// Counts up whenever an observer gets on: with each event, and within one where the observer says so.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// The observer has got on.
    pub fn advance(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// The queue of one observer.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    emptied: Condvar,
    progress: Progress,
}

#[derive(Debug)]
struct State {
    items: VecDeque<Item>,
    bytes: usize,
    counts: Counts,
    mode: Mode,
    is_closed: bool,
    is_gone: bool,
}

/// What happens to an event that finds no room.
#[derive(Clone, Copy, Debug)]
enum Mode {
    Lose,
    Wait {
        /// How long to wait without progress.
        patience: Duration,
        /// Not beyond this moment, whatever the progress.
        until: Option<Instant>,
    },
}

/// The process in which an event happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// Now.
    This,
    /// Before its run was replayed.
    Earlier,
}

/// An item of a queue.
#[derive(Debug)]
pub enum Item {
    Event(Arc<Event>, Life),
    /// This many events found no room.
    Lost(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub offered: u64,
    /// Those that found no room.
    pub lost: u64,
    /// How long publishers waited for room, all together.
    pub waited: Duration,
}

/// What happened to an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Push {
    /// It waits, or its loss has been counted.
    Taken,
    /// It was queued, and the publisher must wait for room before the next.
    Full,
    /// The observer has ended, so it will never be taken.
    Gone,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    Open,
    /// What was taken now is the end.
    Closed,
}

impl State {
    fn is_full(&self) -> bool {
        // By the mode as it is now: a queue that was waited for and lost its patience may hold more.
        let capacity = match self.mode {
            Mode::Lose => LOSSY,
            Mode::Wait { .. } => WHOLE,
        };
        self.items.len() >= capacity.events || self.bytes >= capacity.bytes
    }

    fn is_awaited(&self) -> bool {
        matches!(self.mode, Mode::Wait { .. }) && self.is_full() && !self.is_closed && !self.is_gone
    }
}

impl Queue {
    /// An empty queue of an observer that gets on as `progress` says.
    pub fn new(delivery: Delivery, progress: Progress) -> Self {
        Self {
            state: Mutex::new(State {
                items: VecDeque::new(),
                bytes: 0,
                counts: Counts::default(),
                mode: match delivery {
                    Delivery::Lossy => Mode::Lose,
                    Delivery::Whole { patience } => Mode::Wait {
                        patience,
                        until: None,
                    },
                },
                is_closed: false,
                is_gone: false,
            }),
            filled: Condvar::new(),
            emptied: Condvar::new(),
            progress,
        }
    }

    /// How far its observer is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Adds an event, or counts it when there is no room and the queue may lose events. Never waits itself.
    pub fn push(&self, event: &Arc<Event>, life: Life) -> Push {
        let bytes = event.text_bytes();
        let mut state = self.lock();
        state.counts.offered += 1;
        if state.is_gone {
            return Push::Gone;
        }
        if matches!(state.mode, Mode::Lose) && state.is_full() {
            state.counts.lost += 1;
            // Losses in a row are one item, so a queue that is full of losses takes no memory.
            if let Some(Item::Lost(count)) = state.items.back_mut() {
                *count += 1;
            } else {
                state.items.push_back(Item::Lost(1));
            }
            return Push::Taken;
        }
        state.bytes += bytes;
        // Also when it is the one that fills the queue: the publisher waits after the event and not before, so no event is kept back.
        state.items.push_back(Item::Event(Arc::clone(event), life));
        let is_awaited = state.is_awaited();
        // Woken for the first event, for a full batch, and when a publisher waits for room; in between it gathers.
        if is_awaited || matches!(state.items.len(), 1 | BATCH) {
            self.filled.notify_one();
        }
        if is_awaited { Push::Full } else { Push::Taken }
    }

    /// Waits until there is room for another event. An observer that makes no progress for its patience is not waited for any
    /// more: from then on it loses events.
    pub fn await_room(&self) {
        let start = Instant::now();
        let mut state = self.lock();
        // Progress and not room: an observer in a long write gets on without taking anything.
        let mut progress = self.progress.count();
        let mut since = start;
        while state.is_awaited() {
            let Mode::Wait { patience, until } = state.mode else {
                break;
            };
            let now = Instant::now();
            let left = patience.saturating_sub(now.saturating_duration_since(since));
            let left = until.map_or(left, |it| left.min(it.saturating_duration_since(now)));
            if left.is_zero() {
                let reached = self.progress.count();
                let is_over = until.is_some_and(|it| it <= now);
                if is_over || reached == progress {
                    // For good: an observer that hangs again and again would otherwise hold the run up each time.
                    state.mode = Mode::Lose;
                    self.emptied.notify_all();
                    break;
                }
                // It got on: its patience begins anew.
                (progress, since) = (reached, now);
                continue;
            }
            state = self
                .emptied
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        state.counts.waited += start.elapsed();
    }

    /// From now on publishers wait at most this long in all, and this long without progress.
    pub fn hurry(&self, patience: Duration, total: Duration) {
        let mut state = self.lock();
        if let Mode::Wait {
            patience: most,
            until,
        } = &mut state.mode
        {
            // Only ever shorter, so several callers may hurry the same queue.
            *most = patience.min(*most);
            let end = Instant::now() + total;
            *until = Some(until.map_or(end, |it| it.min(end)));
        }
        self.emptied.notify_all();
    }

    /// Takes all that waits, waited for at most this long.
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
            let gathers =
                |it: &mut State| it.items.len() < BATCH && !it.is_closed && !it.is_awaited();
            state = self
                .filled
                .wait_timeout_while(state, GATHER, gathers)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        // Asked before the items are gone, after which the queue is never full.
        let was_awaited = state.is_awaited();
        // The observer's emptied list becomes the queue, so neither is allocated again.
        std::mem::swap(&mut state.items, into);
        // All at once: what the observer holds now is no longer counted, which the bound allows for.
        state.bytes = 0;
        if was_awaited {
            self.emptied.notify_all();
        }
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
        self.emptied.notify_all();
    }

    /// Nothing will be taken any more.
    pub fn abandon(&self) {
        let mut state = self.lock();
        state.is_gone = true;
        // Dropped with its memory: events may hold large texts, and the queue may outlive its observer by long.
        state.items = VecDeque::new();
        self.emptied.notify_all();
    }

    /// What came this way so far.
    pub fn counts(&self) -> Counts {
        self.lock().counts
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic between two lines above leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
