//! The end of many runs at once: waited for, asked for, or made at once.

use std::sync::PoisonError;

use super::{DetachedEnd, Runs};

impl Runs {
    /// Waits until all detached runs have ended, also those that they start in turn, and gives the ends that are known.
    pub(in crate::engine) fn wait_for_detached(&self) -> Vec<DetachedEnd> {
        let mut state = self.lock();
        while state.detached > 0 {
            state = self
                .ended
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.ends.drain(..).collect()
    }

    /// Tells all detached runs to end, also those that are started by what still runs.
    pub(in crate::engine) fn cancel_detached(&self, reason: &str) {
        self.lock().cancelled = Some(reason.to_owned());
        for carrier in self.detached() {
            carrier.cancel(reason);
        }
    }

    /// Leaves all detached runs where they can be gone on with; those that cannot be are cancelled.
    pub(in crate::engine) fn leave_detached(&self, reason: &str) {
        self.lock().cancelled = Some(reason.to_owned());
        for carrier in self.detached() {
            if !carrier.leave() {
                carrier.cancel(reason);
            }
        }
    }

    /// Leaves all runs where they can be gone on with; those that cannot be are cancelled.
    pub(in crate::engine) fn leave_all(&self, reason: &str) {
        self.lock().cancelled = Some(reason.to_owned());
        for carrier in self.carriers() {
            if !carrier.leave() {
                carrier.cancel(reason);
            }
        }
    }

    /// Stops all runs at once.
    pub(in crate::engine) fn stop_all(&self) {
        for carrier in self.carriers() {
            carrier.stop();
        }
    }

    /// Stops all detached runs at once.
    pub(in crate::engine) fn stop_detached(&self) {
        for carrier in self.detached() {
            carrier.stop();
        }
    }
}
