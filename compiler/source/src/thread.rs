//! Threads with room for deep recursion, and what happens to work for which the system has no thread.

use std::panic::resume_unwind;

/// What unwinds when the system has no thread for work that needs one: no bug, so the code that catches panics reports
/// it as such.
pub struct NoThread(pub std::io::Error);

/// Does `work` on a thread of its own with a stack of `stack` bytes. A panic in it continues here; without a thread a
/// [`NoThread`] unwinds.
pub fn with_stack<T: Send>(stack: usize, work: impl FnOnce() -> T + Send) -> T {
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("compiler".into())
            .stack_size(stack)
            .spawn_scoped(scope, work)
            .map_err(NoThread)?;
        Ok::<_, NoThread>(thread.join())
    });
    match result {
        Ok(Ok(value)) => value,
        Ok(Err(panic)) => resume_unwind(panic),
        // Without the hook, which would print that this is a panic.
        Err(none) => resume_unwind(Box::new(none)),
    }
}
