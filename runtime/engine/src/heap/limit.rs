//! The limit of a run's memory, and the flag by which long work of the runtime ends early.

use std::sync::Arc;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::layout::stop;

use crate::front::Front;
use crate::heap::Heap;
use crate::value::error;

/// The most bytes that one object may take, whatever the run's limit.
pub const MAX_OBJECT: u64 = 1 << 32;

/// Loops of the runtime poll the flag once in this many rounds: often enough for a second ctrl-c, seldom enough to cost
/// nothing.
const ROUNDS: u32 = 4096;

/// Counts the rounds of a loop of the runtime.
#[derive(Clone, Debug, Default)]
pub(crate) struct Poll {
    rounds: u32,
}

impl Poll {
    /// Another round; whether it is the last, since the run is to stop or its memory is used up.
    pub(crate) fn ends(&mut self, heap: &Heap) -> bool {
        self.rounds = self.rounds.wrapping_add(1);
        let ends =
            heap.is_over_limit() || (self.rounds.is_multiple_of(ROUNDS) && heap.is_interrupted());
        if ends {
            heap.is_cut.set(true);
        }
        ends
    }
}

impl Heap {
    /// Whether the limit was passed, or something was refused for its size, since this was last asked.
    pub fn take_over_limit(&mut self) -> bool {
        if !std::mem::take(&mut self.is_over_limit) {
            return false;
        }
        // Room for the handlers and `defer`s that follow: they allocate before they free. A guess.
        let room = self.limit / 16 + (1 << 16);
        self.threshold = self.used().max(self.limit).saturating_add(room);
        if let Some(alarm) = &self.alarm {
            alarm.clear(stop::MEMORY);
        }
        true
    }

    /// From here on the front of the run that owns this heap says when the limit is passed, and what interrupts work.
    pub(crate) fn set_alarm(&mut self, front: Arc<Front>) {
        self.alarm = Some(front);
    }

    /// Whether work that is under way is to end early.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.is_over_limit || self.alarm.as_ref().is_some_and(|it| it.interrupts_work())
    }

    /// Whether a value may be made of too little, since work has ended early, and its task has not heard of that yet: nobody may see
    /// the value.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut.get() && self.is_interrupted()
    }

    /// Whoever was interrupted is told now.
    pub(crate) fn told(&self) {
        self.is_cut.set(false);
    }

    /// The error of work that ends early; `None` when nothing interrupts it.
    pub(crate) fn interruption(&mut self) -> Option<u64> {
        self.told();
        if self.alarm.as_ref().is_some_and(|it| it.interrupts_work()) {
            // Compiled code raises the same at the end of a loop: the unwinding of the whole task.
            return Some(error::new(self, BuiltinError::Unwind, &[0]));
        }
        let is_full = self.take_over_limit();
        is_full.then(|| error::new(self, BuiltinError::OutOfMemory, &[]))
    }

    /// The error of work that was interrupted, or refused for its size.
    pub(crate) fn interrupted(&mut self) -> u64 {
        match self.interruption() {
            Some(error) => error,
            None => error::new(self, BuiltinError::OutOfMemory, &[]),
        }
    }

    /// The error to raise: `OutOfMemory` when the limit was passed before, since what followed may have been made of too little.
    pub(crate) fn in_place_of(&mut self, error: u64) -> u64 {
        // An unwinding is never replaced: it would become an error that `catch` matches.
        if error::kind(error) == Some(BuiltinError::Unwind) || !self.take_over_limit() {
            return error;
        }
        self.release(error);
        error::new(self, BuiltinError::OutOfMemory, &[])
    }

    /// Stops the run at its next poll, whatever it does: a bug in the runtime was recorded.
    pub(crate) fn raise_alarm(&mut self) {
        if let Some(alarm) = &self.alarm {
            alarm.interrupt(stop::KILL);
        }
    }

    /// Looks whether the limit is passed.
    pub(super) fn look_at_limit(&mut self) {
        let used = self.used();
        if used > self.threshold {
            self.pass_limit();
        } else if used <= self.limit {
            // Enough was given back, so the limit holds again as it is.
            self.threshold = self.limit;
        }
    }

    fn used(&self) -> u64 {
        self.pool.bytes().saturating_add(self.outside)
    }

    /// The limit counts as passed, and the run stops at its next poll.
    pub(crate) fn refuse(&mut self) {
        self.pass_limit();
    }

    #[cold]
    fn pass_limit(&mut self) {
        self.is_over_limit = true;
        if let Some(alarm) = &self.alarm {
            alarm.set(stop::MEMORY);
        }
    }

    /// Counts bytes that are in use beside values and frames.
    pub fn charge(&mut self, bytes: usize) {
        self.outside = self.outside.saturating_add(bytes as u64);
        self.look_at_limit();
    }

    /// They are not any more.
    pub fn discharge(&mut self, bytes: usize) {
        self.outside = self.outside.saturating_sub(bytes as u64);
    }

    /// Whether the limit was passed, without forgetting it.
    #[must_use]
    pub fn is_over_limit(&self) -> bool {
        self.is_over_limit
    }

    /// Whether an object of `bytes` may be made; if not, the limit counts as passed.
    pub fn admit(&mut self, bytes: u64) -> bool {
        self.admit_growth(0, bytes)
    }

    /// Like [`Self::admit`], as a result with the error to raise.
    pub(crate) fn demand(&mut self, bytes: u64) -> Result<(), u64> {
        if self.admit(bytes) {
            Ok(())
        } else {
            Err(self.interrupted())
        }
    }

    /// Whether an object may grow from `old` to `new` bytes; if not, the limit counts as passed.
    pub fn admit_growth(&mut self, old: u64, new: u64) -> bool {
        let fits = self.fits(old, new);
        if !fits {
            self.pass_limit();
        }
        fits
    }

    /// The first of some sizes, in bytes, to which an object of `old` bytes may grow; if to none, the limit counts as passed.
    pub(crate) fn admit_first(&mut self, old: u64, sizes: [u64; 2]) -> Option<u64> {
        // First with room to grow, then exactly what is needed: near the limit a list still grows one by one.
        let first = sizes.into_iter().find(|&new| self.fits(old, new));
        if first.is_none() {
            self.pass_limit();
        }
        first
    }

    /// How many more bytes the run may use.
    pub(crate) fn room(&self) -> u64 {
        self.limit.saturating_sub(self.used())
    }

    /// Like [`Self::room`], for what is measured outside of the run; `None` when nothing limits it.
    pub(crate) fn room_if_limited(&self) -> Option<u64> {
        (self.limit < u64::MAX).then(|| self.room())
    }

    fn fits(&self, old: u64, new: u64) -> bool {
        new <= MAX_OBJECT && new.saturating_sub(old) <= self.room()
    }
}
