//! Drivers carry runs: they perform what a run asks for and bring the outcomes, one a turn.

pub(crate) mod address;
mod alarms;
pub mod audience;
mod beneath;
pub mod call;
pub(crate) mod carrier;
pub(crate) mod clock;
pub(crate) mod commands;
pub(crate) mod files;
mod glob;
pub(crate) mod network;
pub(crate) mod path;
pub(crate) mod perform;
pub(crate) mod performers;
pub(crate) mod permissions;
mod place;
pub(crate) mod pool;
pub(crate) mod process;
mod reactor;
pub(crate) mod room;
mod root;
pub mod scripted;
pub mod simulation;
mod spawn;
pub(crate) mod system;
pub mod testing;
pub(crate) mod threads;
pub(crate) mod timer;
pub(crate) mod work;

use std::sync::Arc;

use crate::driver::clock::Clock;
use crate::driver::perform::Perform;
use crate::driver::threads::Threads;
use crate::driver::timer::Timer;

/// What carriers work with. All of it is given as values, so that a test carries real runs with a clock, an order of
/// threads and performers of its own.
pub(crate) struct Driver {
    pub(crate) clock: Clock,
    pub(crate) timer: Arc<Timer>,
    pub(crate) threads: Threads,
    pub(crate) performers: Box<dyn Perform>,
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver")
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}
