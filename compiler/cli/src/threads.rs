//! The compiler's thread: deep programs need more stack than a main thread has.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gsw_source::{NoThread, with_stack};

/// The compiler's work is recursive over syntax trees of at most a thousand levels.
const STACK: usize = 64 << 20;

/// Lets all threads allocate from one heap that grows in large steps, for commands that compile and do nothing else.
///
/// The allocator of glibc gives each thread but the first a heap that it unlocks page by page: a fifth of the time of a check was
/// spent in the kernel. Such a command has few threads, whose small pieces come from a store of each thread's own, so they hardly
/// wait for one another. What is left of that time goes by
/// asking for large pages: a quarter of the page faults is left, and a few megabytes more are used.
pub fn share_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: `mallopt` takes any numbers, and no other thread is there yet that could allocate meanwhile.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1);
            libc::mallopt(libc::M_TOP_PAD, STEP as libc::c_int);
        }
        take_first_step();
    }
}

/// How much a heap grows at least. Memory is used when it is written to, and not before.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const STEP: usize = 64 << 20;

/// Lets the heap grow now, and asks for large pages there. A system that has none does as ever.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn take_first_step() {
    /// Less than what gets a place of its own, and more than half of what a new heap has left.
    const PART: usize = 120 << 10;
    const LARGE_PAGE: usize = 2 << 20;
    // SAFETY: both are freed and nothing is read from them; `sbrk(0)` moves nothing. The advice is about whole pages between
    // the heap's end and so much before it as it has just grown, and changes nothing of what they hold.
    unsafe {
        let end = libc::sbrk(0) as usize;
        // A compiler that sees that nobody uses them would take both calls away.
        let parts = std::hint::black_box([libc::malloc(PART), libc::malloc(PART)]);
        for part in parts {
            libc::free(part);
        }
        let new_end = libc::sbrk(0) as usize;
        // Another allocator, or a limit, may have kept it from growing.
        if let Some(begin) = end.checked_next_multiple_of(LARGE_PAGE)
            && let Some(length) = new_end.checked_sub(begin)
        {
            libc::madvise(begin as *mut libc::c_void, length, libc::MADV_HUGEPAGE);
        }
    }
}

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
