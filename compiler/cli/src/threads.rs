//! The compiler's thread: deep programs need more stack than a main thread has.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gsw_source::{NoThread, with_stack};

/// The compiler's work is recursive over syntax trees of at most a thousand levels.
const STACK: usize = 64 << 20;

/// Why there is no result.
#[derive(Debug)]
pub enum NoResult {
    /// The system could not start a thread.
    NoThread(std::io::Error),
    /// The work panicked, which is a bug.
    Panicked,
}

/// Runs `work` on a thread with a large stack and returns its result.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, NoResult> {
    let work = AssertUnwindSafe(|| with_stack(STACK, work));
    catch_unwind(work).map_err(|panic| match panic.downcast::<NoThread>() {
        Ok(none) => NoResult::NoThread(none.0),
        Err(_) => NoResult::Panicked,
    })
}
