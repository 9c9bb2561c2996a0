//! The seam to the cache of model answers, which all runs of a process share.

use gsw_engine::answers::{Found, KeptAnswer, LookUp};

use crate::call::Call;
use crate::models::Pending;

/// Keeps answers; one per process, shared by its runs.
pub trait Answers: Send + Sync {
    fn look_up(&self, what: &LookUp, call: &Call) -> Found;

    /// Waits until no other call asks for the key, and looks up then; returns [`Found::Busy`] never. A wait that could never
    /// end, because calls would wait for each other, is a miss.
    fn wait(&self, what: LookUp, call: Call) -> Pending<'_, Found>;

    /// Keeps an answer; returns the keys of those that were evicted for it.
    fn keep(&self, answer: KeptAnswer, call: &Call) -> Vec<String>;

    /// A call of this run has no answer for the key.
    fn let_go(&self, run: &str, key: &str);

    /// A run has ended: it holds no key any more.
    fn run_ended(&self, run: &str);

    /// The process ends: nothing is asked any more.
    fn close(&self);
}

impl std::fmt::Debug for dyn Answers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Answers")
    }
}
