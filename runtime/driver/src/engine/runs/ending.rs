//! Ending many runs at once: waiting for them, or shutting them down.

use std::sync::{Arc, PoisonError};

use super::{DetachedEnd, RunInfo, Runs};
use crate::carrier::Carrier;

/// That a process leaves its runs as they are recorded, to be resumed, and why. One that is not recorded is cancelled.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Shutdown {
    pub reach: Reach,
    pub reason: String,
}

/// Which runs a shutdown is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Reach {
    All,
    Detached,
}

impl Shutdown {
    pub(super) fn is_for(&self, run: &RunInfo) -> bool {
        match self.reach {
            Reach::All => true,
            Reach::Detached => run.parent.is_some(),
        }
    }

    pub(in crate::engine) fn end(&self, carrier: &Arc<Carrier>) {
        if !carrier.leave() {
            carrier.cancel(&self.reason);
        }
    }
}

impl Runs {
    /// Waits until all detached runs have ended, also those that they start in turn, and returns the known ends.
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

    /// Ends the runs that `shutdown` is for, those too that begin or are replayed from now on.
    pub(in crate::engine) fn shut_down(&self, shutdown: &Shutdown) {
        let reached = {
            let mut state = self.lock();
            state.shutdown = Some(shutdown.clone());
            let reached = state.runs.values().filter(|it| shutdown.is_for(&it.info));
            let carriers = reached.filter_map(|it| it.carrier.clone());
            carriers.collect::<Vec<_>>()
        };
        for carrier in reached {
            shutdown.end(&carrier);
        }
    }

    /// Stops all runs at once.
    pub(in crate::engine) fn stop_all(&self) {
        for carrier in self.carriers() {
            carrier.stop();
        }
    }
}
