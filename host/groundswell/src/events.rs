//! The events of a live run, as a host reads them.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use gsw_tree::event::Event;

/// How many events may wait for one subscription before it loses the next ones.
pub const QUEUE: usize = 4_096;

/// The events of one run from the subscription on, in order.
///
/// A run never waits for the reader: beyond [`QUEUE`] unread events the next are lost, and counted.
#[derive(Debug)]
pub struct Events {
    queue: Arc<Queue>,
}

impl Events {
    /// The next event; `None` once the run has ended and all were read. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Arc<Event>> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Arc<Event>>> {
        let mut state = self.queue.lock();
        if let Some(event) = state.events.pop_front() {
            return Poll::Ready(Some(event));
        }
        if state.is_closed {
            return Poll::Ready(None);
        }
        state.reader = Some(context.waker().clone());
        Poll::Pending
    }

    /// How many events this subscription has lost by being slow.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.queue.lock().lost
    }
}

impl Stream for Events {
    type Item = Arc<Event>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

/// All subscriptions of one run.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    queues: Mutex<Queues>,
}

#[derive(Debug)]
enum Queues {
    Open(Vec<Arc<Queue>>),
    /// The run has ended.
    Closed,
}

impl Default for Queues {
    fn default() -> Self {
        Self::Open(Vec::new())
    }
}

#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<Arc<Event>>,
    reader: Option<Waker>,
    lost: u64,
    is_closed: bool,
}

impl Subscriptions {
    pub(crate) fn subscribe(&self) -> Events {
        let queue = Arc::new(Queue::default());
        match &mut *self.lock() {
            Queues::Open(queues) => queues.push(Arc::clone(&queue)),
            Queues::Closed => queue.close(),
        }
        Events { queue }
    }

    /// Hands an event to all; never waits. Subscriptions that were dropped are forgotten.
    pub(crate) fn publish(&self, event: &Event) {
        let mut queues = self.lock();
        let Queues::Open(queues) = &mut *queues else {
            return;
        };
        queues.retain(|it| Arc::strong_count(it) > 1);
        if queues.is_empty() {
            return;
        }
        let event = Arc::new(event.clone());
        for queue in queues.iter() {
            queue.push(&event);
        }
    }

    /// No event comes any more.
    pub(crate) fn close(&self) {
        match std::mem::replace(&mut *self.lock(), Queues::Closed) {
            Queues::Open(queues) => queues.iter().for_each(|it| it.close()),
            Queues::Closed => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queues> {
        // Nothing that can panic runs while the lock is held.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
    }

    fn push(&self, event: &Arc<Event>) {
        let mut state = self.lock();
        if state.events.len() == QUEUE {
            state.lost += 1;
            return;
        }
        state.events.push_back(Arc::clone(event));
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
