//! The parts that carriers work with: clock, timer, threads, performers.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use crate::clock::Clock;
use crate::perform::Perform;
use crate::threads::Threads;
use crate::timer::Timer;

/// A clock, a timer, threads and performers. All are passed as values, so that a test can run real runs with its own clock,
/// order of threads and performers.
pub(crate) struct Driver {
    pub(crate) clock: Clock,
    pub(crate) timer: Arc<Timer>,
    pub(crate) threads: Threads,
    pub(crate) performers: Box<dyn Perform>,
    /// How many runs do more than wait for a person, or for long.
    pub(crate) active: AtomicUsize,
    /// How long a run that is recorded rests before it is left.
    pub(crate) idle: Option<Duration>,
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver")
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}
