//! What queues are made for.

use super::numbered::numbered;

/// What a queue is for, which its errors name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum QueuePurpose {
    /// `queue(limit: n)`
    Items,
    /// `semaphore(n)`: each item is a place that is taken.
    Semaphore,
    /// `limiter(n, per: d)`: the items are the times of the last passages.
    Limiter,
}

numbered!(QueuePurpose {
    Items,
    Semaphore,
    Limiter,
});
