//! Threads for work that blocks: a bounded number of them, which start when they are needed and end when they are not.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::work::Job;

/// A thread that has found nothing to do for this long ends.
const IDLE: Duration = Duration::from_secs(10);
/// The most threads that may wait for the outside at a time. A guess.
const MOST_ASIDE: usize = 256;

#[derive(Clone, Debug)]
pub(crate) struct Pool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    name: &'static str,
    most: usize,
    state: Mutex<State>,
    queued: Condvar,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Job>,
    threads: usize,
    /// Those of them that wait for a job.
    idle: usize,
    /// Those of them that wait for the outside, and in whose place others may work.
    aside: usize,
    #[cfg(test)]
    has_no_threads: bool,
}

/// A thread of the pool that waits for something that may never come; while it does so, the pool may have another thread.
#[derive(Debug)]
pub(crate) struct Aside<'a>(&'a Shared);

impl Pool {
    /// A pool of at most `most` threads, none of which has started.
    pub(crate) fn new(name: &'static str, most: usize) -> Self {
        Self(Arc::new(Shared {
            name,
            most,
            state: Mutex::default(),
            queued: Condvar::new(),
        }))
    }

    /// Runs a job after those that were given before. When the system has no thread for it, it waits for one of the pool's,
    /// and fails if there is none.
    pub(crate) fn run(&self, job: Job) {
        let mut state = self.0.lock();
        state.queue.push_back(job);
        // Idle threads that were notified but have not woken still count as idle, hence the comparison with the whole queue.
        if state.idle >= state.queue.len() {
            self.0.queued.notify_one();
            return;
        }
        let Err(error) = self.0.grow(&mut state) else {
            return;
        };
        // Threads that wait for the outside may never come back, so they are none that the queue can wait for.
        if state.threads > state.aside {
            return;
        }
        let unserved = std::mem::take(&mut state.queue);
        drop(state);
        for job in unserved {
            job.fail(&format!("no thread can be started for it: {error}"));
        }
    }

    /// Marks the calling thread, which must be one of the pool's, as waiting for the outside; `None` when too many are.
    pub(crate) fn step_aside(&self) -> Option<Aside<'_>> {
        let mut state = self.0.lock();
        if state.aside >= MOST_ASIDE {
            return None;
        }
        state.aside += 1;
        // This thread stops being idle here, and no other thread checks the queue until another job arrives.
        if !state.queue.is_empty() && state.idle == 0 {
            // Without one the queue waits for this thread, as it would have anyhow.
            let _ = self.0.grow(&mut state);
        }
        Some(Aside(&self.0))
    }
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        self.0.lock().aside -= 1;
    }
}

impl Shared {
    /// Starts a thread if there may be another one.
    fn grow(self: &Arc<Self>, state: &mut State) -> std::io::Result<()> {
        if state.threads - state.aside >= self.most {
            return Ok(());
        }
        #[cfg(test)]
        if state.has_no_threads {
            return Err(std::io::ErrorKind::WouldBlock.into());
        }
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new().name(self.name.into());
        thread.spawn(move || shared.serve())?;
        state.threads += 1;
        Ok(())
    }

    fn serve(&self) {
        while let Some(job) = self.next() {
            job.run();
        }
    }

    /// The next job; `None` when the thread is to end.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                return Some(job);
            }
            // Those that waited for the outside are back, so one thread too many works; this one ends between two jobs.
            if state.threads - state.aside > self.most {
                state.threads -= 1;
                return None;
            }
            state.idle += 1;
            let waited = self.queued.wait_timeout(state, IDLE);
            let (after, wait) = waited.unwrap_or_else(PoisonError::into_inner);
            state = after;
            state.idle -= 1;
            // A job may have come between the end of the wait and the lock.
            if wait.timed_out() && state.queue.is_empty() {
                state.threads -= 1;
                return None;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Jobs run without the lock, so no thread panics while holding it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use gsw_engine::operation::Outcome;

    use super::Pool;
    use crate::work::{Completion, Job, Work};

    fn job(sender: &Sender<Outcome>, perform: impl FnOnce() -> Outcome + Send + 'static) -> Job {
        let sender = sender.clone();
        let completion = Completion::new(move |it| drop(sender.send(it)));
        Job::new(Work::default(), move |_| perform(), completion)
    }

    /// What holds a job until it is dropped, and a job that is held so.
    fn held(sender: &Sender<Outcome>, outcome: Outcome) -> (Sender<()>, Job) {
        let (release, held) = channel::<()>();
        let held = job(sender, move || {
            let _ = held.recv();
            outcome
        });
        (release, held)
    }

    #[test]
    fn a_job_that_panics_leaves_its_thread_to_others() {
        let pool = Pool::new("test", 1);
        let (sender, outcomes) = channel();
        let (release, held) = held(&sender, Outcome::Int(1));
        pool.run(held);
        pool.run(job(&sender, || panic!("by the test")));
        pool.run(job(&sender, || Outcome::Int(2)));
        drop(release);
        assert_eq!(outcomes.recv(), Ok(Outcome::Int(1)));
        assert!(matches!(outcomes.recv(), Ok(Outcome::Failed(_))));
        assert_eq!(outcomes.recv(), Ok(Outcome::Int(2)));
        assert_eq!(pool.0.lock().threads, 1);
    }

    #[test]
    fn a_job_that_stands_aside_leaves_its_place_to_others() {
        let pool = Pool::new("test", 1);
        let (sender, outcomes) = channel();
        let (release, waits) = channel::<()>();
        let own = pool.clone();
        pool.run(job(&sender, move || {
            let _aside = own.step_aside();
            let _ = waits.recv();
            Outcome::Int(1)
        }));
        pool.run(job(&sender, || Outcome::Int(2)));
        assert_eq!(outcomes.recv(), Ok(Outcome::Int(2)));
        drop(release);
        assert_eq!(outcomes.recv(), Ok(Outcome::Int(1)));
        assert_eq!(pool.0.lock().aside, 0);
    }

    #[test]
    fn without_threads_a_job_waits_for_one_that_is_there_and_fails_otherwise() {
        let pool = Pool::new("test", 4);
        let (sender, outcomes) = channel();
        pool.0.lock().has_no_threads = true;
        pool.run(job(&sender, || Outcome::Int(1)));
        assert!(matches!(outcomes.recv(), Ok(Outcome::Failed(_))));
        pool.0.lock().has_no_threads = false;
        let (release, held) = held(&sender, Outcome::Int(2));
        pool.run(held);
        pool.0.lock().has_no_threads = true;
        pool.run(job(&sender, || Outcome::Int(3)));
        assert!(outcomes.try_recv().is_err());
        drop(release);
        assert_eq!(outcomes.recv(), Ok(Outcome::Int(2)));
        assert_eq!(outcomes.recv(), Ok(Outcome::Int(3)));
    }
}
