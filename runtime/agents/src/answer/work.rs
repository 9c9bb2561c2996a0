//! The limit on the work of reading an answer: proportional to its length, whatever it contains.
//!
//! An answer may be hostile, so nothing may be looked at again and again. Code that visits text or values counts what it looked
//! at; when the work is spent, reading ends and the answer is refused. The tests count the same units.

use std::cell::Cell;

/// Units of work: bytes that a parser read, values that were visited.
#[derive(Debug)]
pub(crate) struct Work {
    done: Cell<u64>,
    most: u64,
}

/// How often each byte of an answer may be visited. Models' answers need two or three; a generous guess.
const TIMES: u64 = 16;
/// A free allowance, so that short answers are never limited.
const FREE: u64 = 10_000;

impl Work {
    /// For a text of this length.
    pub fn on(text: &str) -> Self {
        Self {
            done: Cell::new(0),
            most: (text.len() as u64).saturating_mul(TIMES) + FREE,
        }
    }

    pub fn spend(&self, units: usize) {
        self.done.set(self.done.get().saturating_add(units as u64));
    }

    /// Whether there is nothing left.
    pub fn is_spent(&self) -> bool {
        self.done.get() > self.most
    }

    #[cfg(test)]
    pub fn done(&self) -> u64 {
        self.done.get()
    }
}
