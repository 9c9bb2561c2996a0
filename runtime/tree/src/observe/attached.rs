//! An attached observer: its thread, and its state as seen from outside.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::observe::Observer;
use crate::observe::queue::{Flow, Item, Life, Queue};
use crate::observe::spare::Spare;

/// The most events that are given back at once.
const RETURNED: usize = 1_024;

/// An observer on its thread.
#[derive(Debug)]
pub struct Attached {
    queue: Arc<Queue>,
    taken: Arc<AtomicU64>,
    ended: Receiver<HowEnded>,
}

/// What happened to an observer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// How many events were meant for it.
    pub offered: u64,
    /// How many of them it never took.
    pub lost: u64,
    /// How long runs waited for it.
    pub waited: Duration,
    pub how: HowEnded,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HowEnded {
    /// By itself, when nothing came any more.
    Done,
    Panicked,
    /// It has not: it is still busy with an event, and is left alone.
    Busy,
}

/// How long the end of a run waits for an observer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    Unlimited,
    Limited {
        /// How long to wait without progress.
        still: Duration,
        total: Duration,
    },
}

impl Patience {
    /// For observers that no result depends on. The figures are guesses.
    pub const USUAL: Self = Self::Limited {
        still: Duration::from_secs(2),
        total: Duration::from_secs(30),
    };
}

impl Attached {
    pub(super) fn start(
        name: &str,
        queue: Arc<Queue>,
        spare: Spare,
        mut observer: Box<dyn Observer>,
    ) -> io::Result<Self> {
        let (sender, ended) = sync_channel(1);
        let taken = Arc::new(AtomicU64::new(0));
        let attached = Self {
            queue: Arc::clone(&queue),
            taken: Arc::clone(&taken),
            ended,
        };
        let watch = move || {
            let call = AssertUnwindSafe(|| serve(&queue, &taken, &spare, &mut *observer));
            let how = match catch_unwind(call) {
                Ok(()) => HowEnded::Done,
                Err(_) => HowEnded::Panicked,
            };
            // Before the observer is dropped: publishers that wait for room must not wait for its destructor.
            queue.abandon();
            // A panic while this is dropped does not matter either.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(observer)));
            tell(&sender, how);
        };
        std::thread::Builder::new().name(name.into()).spawn(watch)?;
        Ok(attached)
    }

    /// Waits until the observer has taken everything and ended; its observers were closed before.
    #[must_use]
    pub fn finish(self, patience: Patience) -> Ended {
        let how = match patience {
            Patience::Unlimited => self.ended.recv().unwrap_or(HowEnded::Panicked),
            Patience::Limited { still, total } => self.wait(still, total),
        };
        let counts = self.queue.counts();
        Ended {
            offered: counts.offered,
            lost: counts
                .offered
                .saturating_sub(self.taken.load(Ordering::Acquire)),
            waited: counts.waited,
            how,
        }
    }

    fn wait(&self, still: Duration, total: Duration) -> HowEnded {
        let start = Instant::now();
        let mut progress = self.queue.progress().count();
        loop {
            match self.ended.recv_timeout(still) {
                Ok(how) => return how,
                Err(RecvTimeoutError::Disconnected) => return HowEnded::Panicked,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = self.queue.progress().count();
            // A slow disk is waited for as long as it gets on; one that does not is left to itself.
            if now == progress || start.elapsed() > total {
                return HowEnded::Busy;
            }
            progress = now;
        }
    }
}

fn tell(ended: &SyncSender<HowEnded>, how: HowEnded) {
    // A caller that does not wait for the end does not miss it.
    let _ = ended.try_send(how);
}

fn serve(queue: &Queue, taken: &AtomicU64, spare: &Spare, observer: &mut dyn Observer) {
    let mut batch = VecDeque::new();
    let mut done = Vec::new();
    loop {
        let flow = queue.take(&mut batch, observer.pulse());
        for item in batch.drain(..) {
            match item {
                Item::Event(event, life) => {
                    match life {
                        Life::This => observer.event(&event),
                        Life::Earlier => observer.past(&event),
                    }
                    // After the observer has it, not when it leaves the queue: what is lost in a panic counts as lost.
                    taken.fetch_add(1, Ordering::Release);
                    queue.progress().advance();
                    done.push(event);
                }
                Item::Lost(count) => observer.lost(count),
            }
            if done.len() >= RETURNED {
                spare.give(&mut done);
            }
        }
        spare.give(&mut done);
        if flow == Flow::Closed {
            break;
        }
        observer.pause();
    }
    observer.end();
}
