//! Work that may be given up while it runs: its performer and its caller agree on whether it still counts.
//!
//! What work changes, it changes after [`Work::commit`] and at once. So work that was given up before that has changed
//! nothing, and a caller that gives it up afterwards learns that it is being done and can wait for its end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gsw_engine::operation::{Failure, Outcome};
use gsw_engine::panic;

/// A handle on work; both sides hold one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    /// It waits for a thread.
    #[default]
    Queued,
    /// It has begun and changed nothing yet.
    Going,
    /// It has committed: its changes are being made.
    Committed,
    /// It was given up after it had begun, and has not noticed yet.
    Abandoned,
    /// It has ended, or was given up and will never begin or has ended since.
    Ended(End),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Performed,
    GivenUp,
}

/// The result of giving work up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Abandoned {
    /// It changes nothing any more.
    Stopped,
    Finished,
    /// It is about to be done and cannot be stopped: its end must be waited for.
    MustWait,
}

impl Work {
    pub(crate) fn abandon(&self) -> Abandoned {
        let mut state = self.lock();
        match *state {
            // It never begins, so a caller that waits for its end need not wait for a thread.
            State::Queued => *state = State::Ended(End::GivenUp),
            State::Going => *state = State::Abandoned,
            State::Committed => return Abandoned::MustWait,
            State::Ended(End::Performed) => return Abandoned::Finished,
            State::Abandoned | State::Ended(End::GivenUp) => {}
        }
        Abandoned::Stopped
    }

    /// Whether it was given up; long work asks again and again, and ends when it is so.
    pub(crate) fn is_abandoned(&self) -> bool {
        matches!(*self.lock(), State::Abandoned | State::Ended(End::GivenUp))
    }

    /// From here on it counts as done. `false` when it was given up, so that it must change nothing.
    #[must_use]
    pub(crate) fn commit(&self) -> bool {
        let mut state = self.lock();
        match *state {
            State::Queued | State::Going => *state = State::Committed,
            State::Committed => {}
            State::Abandoned | State::Ended(_) => return false,
        }
        true
    }

    /// Whether nothing of it runs any more.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(*self.lock(), State::Ended(_))
    }

    /// Waits for its end, at most until `due`. Whether it has ended.
    pub(crate) fn wait_for_end(&self, due: Instant) -> bool {
        let mut state = self.lock();
        while !matches!(*state, State::Ended(_)) {
            let rest = due.saturating_duration_since(Instant::now());
            if rest == Duration::ZERO {
                return false;
            }
            let waited = self.0.ended.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Says whether it is to begin.
    fn begin(&self) -> bool {
        let mut state = self.lock();
        if *state == State::Queued {
            *state = State::Going;
        }
        !matches!(*state, State::Abandoned | State::Ended(_))
    }

    fn end(&self) {
        let mut state = self.lock();
        *state = State::Ended(match *state {
            State::Queued | State::Going | State::Committed => End::Performed,
            State::Abandoned => End::GivenUp,
            State::Ended(end) => end,
        });
        self.0.ended.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Delivers the outcome of an operation exactly once, also when its performer panics or cannot begin.
pub(crate) struct Completion(Option<Box<dyn FnOnce(Outcome) + Send>>);

impl Completion {
    pub(crate) fn new(deliver: impl FnOnce(Outcome) + Send + 'static) -> Self {
        Self(Some(Box::new(deliver)))
    }

    pub(crate) fn deliver(mut self, outcome: Outcome) {
        self.send(outcome);
    }

    fn send(&mut self, outcome: Outcome) {
        if let Some(deliver) = self.0.take() {
            // The thread that has the outcome serves others as well.
            let _ = catch_unwind(AssertUnwindSafe(|| deliver(outcome)));
        }
    }
}

impl std::fmt::Debug for Completion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Completion")
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        self.send(failed("the operation was dropped without a result"));
    }
}

/// Work with what performs it and what gets the outcome.
pub(crate) struct Job {
    work: Work,
    perform: Box<dyn FnOnce(&Work) -> Outcome + Send>,
    completion: Completion,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("work", &self.work)
            .finish_non_exhaustive()
    }
}

impl Job {
    pub(crate) fn new(
        work: Work,
        perform: impl FnOnce(&Work) -> Outcome + Send + 'static,
        completion: Completion,
    ) -> Self {
        Self {
            work,
            perform: Box::new(perform),
            completion,
        }
    }

    /// Performs it, unless it was given up before, and delivers the outcome. Never panics.
    pub(crate) fn run(self) {
        let Self {
            work,
            perform,
            completion,
        } = self;
        if !work.begin() {
            return completion.deliver(given_up());
        }
        let performed = catch_unwind(AssertUnwindSafe(|| perform(&work)));
        let outcome = performed.unwrap_or_else(|payload| {
            failed(&format!("a panic: {}", panic::message(payload.as_ref())))
        });
        // Ended before it is delivered: the receiver of the outcome may look whether anything still runs.
        work.end();
        completion.deliver(outcome);
    }

    /// Ends it without having begun.
    pub(crate) fn fail(self, message: &str) {
        self.work.end();
        self.completion.deliver(failed(message));
    }
}

/// The outcome of work that was given up.
pub(crate) fn given_up() -> Outcome {
    Outcome::Failed(Failure::Stopped)
}

fn failed(message: &str) -> Outcome {
    Outcome::Failed(Failure::Other {
        message: message.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Instant;

    use gsw_engine::operation::{Failure, Outcome};

    use super::{Abandoned, Completion, Job, Work};

    #[test]
    fn work_is_given_up_before_it_commits_and_waited_for_afterwards() {
        let work = Work::default();
        assert!(work.begin() && !work.is_abandoned());
        assert_eq!(work.abandon(), Abandoned::Stopped);
        assert!(work.is_abandoned() && !work.commit());
        assert!(!work.wait_for_end(Instant::now()));
        work.end();
        assert!(work.wait_for_end(Instant::now()));
        assert_eq!(work.abandon(), Abandoned::Stopped);

        let work = Work::default();
        assert!(work.begin() && work.commit());
        assert_eq!(work.abandon(), Abandoned::MustWait);
        assert!(!work.is_abandoned());
        work.end();
        assert_eq!(work.abandon(), Abandoned::Finished);
    }

    #[test]
    fn what_was_given_up_in_the_queue_never_begins() {
        let (sender, outcomes) = channel();
        let work = Work::default();
        let completion = Completion::new(move |it| drop(sender.send(it)));
        let job = Job::new(work.clone(), |_| Outcome::Done, completion);
        assert_eq!(work.abandon(), Abandoned::Stopped);
        assert!(work.wait_for_end(Instant::now()));
        job.run();
        assert!(matches!(outcomes.recv(), Ok(Outcome::Failed(_))));
    }

    #[test]
    fn a_panic_and_a_lost_job_have_outcomes() {
        let (sender, outcomes) = channel();
        let again = sender.clone();
        let panics = Completion::new(move |it| drop(sender.send(it)));
        Job::new(Work::default(), |_| panic!("by the test"), panics).run();
        let Ok(Outcome::Failed(Failure::Other { message })) = outcomes.recv() else {
            panic!("it fails");
        };
        assert_eq!(message, "a panic: by the test");
        let lost = Completion::new(move |it| drop(again.send(it)));
        drop(Job::new(Work::default(), |_| Outcome::Done, lost));
        assert!(matches!(outcomes.recv(), Ok(Outcome::Failed(_))));
    }
}
