//! Queues as data. Only code that shares nothing may wait at one, so one waits at most; what would need two is unsupported.

use std::collections::VecDeque;

/// A queue of items of type `T`.
#[derive(Debug)]
pub struct Queue<T> {
    items: VecDeque<T>,
    limit: usize,
    is_closed: bool,
    waiting: Waiting<T>,
}

/// The tasks that wait at a queue.
#[derive(Debug)]
pub enum Waiting<T> {
    Nobody,
    /// Waits for an item.
    Popping,
    /// It was woken with this item.
    Received(T),
    /// For room for this item.
    Pushing(T),
}

impl<T: Clone> Queue<T> {
    pub fn new(limit: usize) -> Self {
        Self {
            items: VecDeque::new(),
            limit,
            is_closed: false,
            waiting: Waiting::Nobody,
        }
    }

    pub fn close(&mut self) {
        self.is_closed = true;
    }

    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The first item of a full queue.
    pub fn first_when_full(&self) -> Option<T> {
        self.items.front().filter(|_| self.is_full()).cloned()
    }

    pub fn wait(&mut self, waiting: Waiting<T>) {
        self.waiting = waiting;
    }

    /// Takes the waiting tasks, if any.
    pub fn take_waiting(&mut self) -> Waiting<T> {
        std::mem::replace(&mut self.waiting, Waiting::Nobody)
    }

    /// Adds an item or hands it to a waiting task; false when there is no room.
    pub fn push_at_once(&mut self, item: &T) -> bool {
        if matches!(self.waiting, Waiting::Popping) {
            self.waiting = Waiting::Received(item.clone());
            return true;
        }
        let has_room = !self.is_full();
        if has_room {
            self.items.push_back(item.clone());
        }
        has_room
    }

    /// Takes the first item; the one that waits for room moves up.
    pub fn pop_at_once(&mut self) -> Option<T> {
        let item = self.items.pop_front()?;
        if let Waiting::Pushing(next) = &self.waiting {
            self.items.push_back(next.clone());
            self.waiting = Waiting::Nobody;
        }
        Some(item)
    }

    fn is_full(&self) -> bool {
        self.items.len() >= self.limit
    }
}
