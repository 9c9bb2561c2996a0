//! The threads that turns run on: few, with deep stacks, and more of them while long turns hold the others up.

use std::cell::Cell;
use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The stack of a thread. A turn may use 16 MiB of it; the rest is for what a turn itself calls, and a wide margin.
const STACK: usize = 64 << 20;
/// When nothing was taken from the queue for this long although something waits there, another thread is added.
const PATIENCE: Duration = Duration::from_millis(5);
/// More threads than this are never made: further turns wait. A guess.
const MOST: usize = 256;

type Job = Box<dyn FnOnce() + Send>;

thread_local! {
    /// Whether this is a thread that turns run on.
    static IS_FOR_TURNS: Cell<bool> = const { Cell::new(false) };
}

/// The threads. They start when they are needed and end with the process.
#[derive(Debug, Clone, Default)]
pub struct TurnThreads {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
    watch: Condvar,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TurnThreads")
    }
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    threads: usize,
    idle: usize,
    taken: u64,
    is_watched: bool,
}

impl TurnThreads {
    /// Those of the process, which all engines share.
    #[must_use]
    pub fn shared() -> &'static Self {
        static THREADS: OnceLock<TurnThreads> = OnceLock::new();
        THREADS.get_or_init(Self::default)
    }

    /// Runs `job` on one of the threads, after the jobs before it.
    ///
    /// # Errors
    /// When there is no thread, and none can be started: the job is not run.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let mut state = self.shared.lock();
        state.queue.push_back(Box::new(job));
        // Idle threads that were notified but have not woken still count as idle, hence the comparison with the whole queue.
        if state.idle >= state.queue.len() {
            // After the lock is free: the thread that wakes would wait for it.
            drop(state);
            self.shared.work.notify_one();
        } else if state.threads < cores() {
            let added = self.add(&mut state);
            // With others the queue continues, if more slowly.
            if state.threads == 0 {
                state.queue.pop_back();
                return added;
            }
        } else {
            self.watch(&mut state);
        }
        Ok(())
    }

    /// Runs `job` on one of the threads and waits for its result; `None` when it panicked or there is no thread. Called on one
    /// of these threads, it runs there: if all of them waited for each other, none would continue.
    pub fn wait_for<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if IS_FOR_TURNS.get() {
            return catch_unwind(AssertUnwindSafe(job)).ok();
        }
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        let started = self.run(move || {
            // The receiver is gone only when the process ends.
            let _ = sender.send(job());
        });
        started.ok()?;
        receiver.recv().ok()
    }

    fn add(&self, state: &mut State) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        std::thread::Builder::new()
            .name("gsw-turn".into())
            .stack_size(STACK)
            .spawn(move || shared.serve())?;
        state.threads += 1;
        Ok(())
    }

    fn watch(&self, state: &mut State) {
        if state.is_watched {
            self.shared.watch.notify_one();
            return;
        }
        let threads = self.clone();
        state.is_watched = std::thread::Builder::new()
            .name("gsw-watch".into())
            .spawn(move || threads.keep_watch())
            .is_ok();
    }

    fn keep_watch(&self) {
        let mut state = self.shared.lock();
        loop {
            while state.queue.is_empty() {
                state = self
                    .shared
                    .watch
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            let taken = state.taken;
            drop(state);
            std::thread::sleep(PATIENCE);
            state = self.shared.lock();
            // No job was taken for the whole time: all threads are in long turns, so another one is worth its stack.
            if !state.queue.is_empty() && state.taken == taken && state.threads < MOST {
                // Without another thread the queue continues more slowly.
                let _ = self.add(&mut state);
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Jobs run without the lock, so no thread panics while holding it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        IS_FOR_TURNS.set(true);
        loop {
            let job = self.next();
            // A job catches what its run does; this keeps the thread alive through a bug in the driver.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    fn next(&self) -> Job {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                state.taken += 1;
                return job;
            }
            state.idle += 1;
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

fn cores() -> usize {
    // Where groups of processes are limited, it reads files to find out.
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(2, NonZero::get))
}

#[cfg(test)]
mod tests {
    use super::TurnThreads;

    #[test]
    fn a_long_turn_starves_nobody() {
        let threads = TurnThreads::default();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let held = std::sync::Arc::new(std::sync::Mutex::new(held));
        for _ in 0..super::cores() {
            let held = held.clone();
            let started = threads.run(move || {
                let _ = held.lock().map(|it| it.recv());
            });
            started.expect("the machine has threads");
        }
        assert_eq!(threads.wait_for(|| 7), Some(7));
        drop(release);
        assert_eq!(threads.wait_for(|| 8), Some(8));
    }

    #[test]
    fn what_a_thread_waits_for_needs_no_other() {
        let threads = TurnThreads::default();
        let inner = threads.clone();
        let place = || std::thread::current().id();
        let places = threads.wait_for(move || (place(), inner.wait_for(place)));
        let (outer, inner) = places.expect("nothing panics");
        assert_eq!(inner, Some(outer));
        let inner = threads.clone();
        let fails = || -> u32 { panic!("expected by the test") };
        assert_eq!(threads.wait_for(move || inner.wait_for(fails)), Some(None));
    }

    #[test]
    fn a_panic_ends_only_its_job() {
        let threads = TurnThreads::default();
        assert_eq!(
            threads.wait_for(|| -> u32 { panic!("expected by the test") }),
            None
        );
        assert_eq!(threads.wait_for(|| 3), Some(3));
    }
}
