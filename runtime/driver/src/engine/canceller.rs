//! A handle to a live run, to inspect and to cancel it.

use std::sync::Arc;

use gsw_engine::run::Run;
use gsw_tree::node::Tree;

use crate::carrier::Carrier;

/// Cancels a run; can be kept by a signal handler.
#[derive(Debug, Clone)]
pub struct Canceller {
    pub(super) carrier: Arc<Carrier>,
    pub(super) run: Arc<str>,
}

impl Canceller {
    /// The name of the run in events.
    #[must_use]
    pub fn run(&self) -> &Arc<str> {
        &self.run
    }

    /// Shows the run's tree as it is now, with the time, between two turns; `None` when the run has ended. A turn that does not
    /// wait for anything is waited for.
    pub fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Tree, i64) -> T + Send + 'static,
    ) -> Option<T> {
        self.carrier.look(move |run| look(run.tree(), run.now()))
    }

    /// Shows the run to `look` between two turns, when there is a moment between two; not at all when the run has ended.
    pub fn look_then(&self, look: impl FnOnce(&Run) + Send + 'static) {
        self.carrier.look_then(look);
    }

    /// Cancels the run: all of it is unwound, and its `defer`s run. Code that waits for nothing is interrupted after a
    /// moment.
    pub fn cancel(&self, reason: &str) {
        self.carrier.cancel(reason);
    }

    /// Leaves the run so that it can be resumed: what must not happen twice is waited for, all else is given up, and no
    /// `defer` runs. Returns whether it can be: a run of which nothing is recorded continues.
    #[must_use]
    pub fn leave(&self) -> bool {
        self.carrier.leave()
    }

    /// Ends the run at once: what waits is dropped, code stops at the next loop or call, `defer`s are cut short as well.
    pub fn stop(&self) {
        self.carrier.stop();
    }
}
