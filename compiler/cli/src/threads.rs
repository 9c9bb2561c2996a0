//! The compiler's thread: deep programs need more stack than a main thread has.

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
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("compiler".into())
            .stack_size(STACK)
            .spawn_scoped(scope, work)
            .map_err(NoResult::NoThread)?;
        thread.join().map_err(|_| NoResult::Panicked)
    })
}
