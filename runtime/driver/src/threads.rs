//! Where turns run: on the engine's threads, or one after the other in an order that a test draws.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::turn_threads::TurnThreads;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Clone, Debug)]
pub(crate) enum Threads {
    Engine(TurnThreads),
    /// None: the simulator takes the jobs.
    Taken(Jobs),
}

/// Jobs that wait for the simulator.
#[derive(Clone, Default)]
pub(crate) struct Jobs(Arc<Mutex<VecDeque<Job>>>);

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Jobs")
    }
}

impl Threads {
    /// Runs a job, or has it wait to be taken.
    ///
    /// # Errors
    /// When no thread can be started; the job is not run.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        match self {
            Self::Engine(threads) => threads.run(job),
            Self::Taken(jobs) => {
                jobs.lock().push_back(Box::new(job));
                Ok(())
            }
        }
    }
}

impl Jobs {
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Takes the job at a place.
    pub(crate) fn take(&self, place: usize) -> Option<Job> {
        self.lock().remove(place)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        // Jobs run without the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
