//! The compiler's thread: deep programs need more stack than a main thread has.

/// The compiler's work is recursive over syntax trees of at most a thousand levels.
const STACK: usize = 64 << 20;

/// Runs `work` on a thread with a large stack and gives its result; a panic in it is reported as a fault of ours.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("compiler".into())
            .stack_size(STACK)
            .spawn_scoped(scope, work)
            .ok()?
            .join()
            .ok()
    })
}
