//! The compiler's thread: deep programs need more stack than a main thread has.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gsw_source::{NoThread, with_stack};

/// The compiler's work is recursive over syntax trees of at most a thousand levels.
const STACK: usize = 64 << 20;

/// Lets all threads allocate from one heap that grows in large steps, for commands that compile and do nothing else.
///
/// The allocator of glibc gives each thread but the first a heap that it unlocks page by page: a fifth of the time of a check was
/// spent in the kernel. Such a command has one thread that works, so nobody waits for another.
pub fn share_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: `mallopt` takes any numbers, and no other thread is there yet that could allocate meanwhile.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1);
            libc::mallopt(libc::M_TOP_PAD, STEP);
        }
    }
}

/// How much a heap grows at least.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const STEP: libc::c_int = 16 << 20;

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
