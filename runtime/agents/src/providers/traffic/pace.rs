//! At most this many requests a minute, whatever the provider allows: the setting `rate`.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

/// The requests of one agent.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// Held by the request that is next: the others wait for it, in their order.
    queue: tokio::sync::Mutex<()>,
    left: Mutex<Left>,
}

/// When those of the last minute left, the oldest first.
#[derive(Debug, Default)]
struct Left(VecDeque<Instant>);

impl Left {
    /// Leaves now, or says when that is possible.
    fn leave(&mut self, most: u32, now: Instant) -> Result<(), Instant> {
        while self.0.front().is_some_and(|it| *it + MINUTE <= now) {
            self.0.pop_front();
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        // One that is allowed fewer than have left waits for the oldest of the last that it is allowed.
        match self.0.len().checked_sub(most).and_then(|it| self.0.get(it)) {
            Some(oldest) => Err(*oldest + MINUTE),
            None => {
                self.0.push_back(now);
                Ok(())
            }
        }
    }
}

impl Pace {
    /// Whether nothing is known of it that a new one would not know.
    pub fn is_new(&self, now: Instant) -> bool {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.0.back().is_none_or(|it| *it + MINUTE <= now)
    }

    /// Waits until a request may leave.
    pub async fn turn(&self, most: u32) {
        let _turn = self.queue.lock().await;
        loop {
            let leaves = self
                .left
                .lock()
                // Nothing that can panic runs while the lock is held.
                .unwrap_or_else(PoisonError::into_inner)
                .leave(most, Instant::now());
            match leaves {
                Ok(()) => return,
                Err(time) => tokio::time::sleep_until(time.into()).await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Left, MINUTE};

    #[test]
    fn in_no_minute_leave_more_than_may() {
        let (mut left, now) = (Left::default(), Instant::now());
        let second = Duration::from_secs(1);
        assert_eq!(left.leave(2, now), Ok(()));
        assert_eq!(left.leave(2, now + second), Ok(()));
        assert_eq!(left.leave(2, now + second * 2), Err(now + MINUTE));
        assert_eq!(left.leave(1, now + second * 2), Err(now + second + MINUTE));
        assert_eq!(left.leave(2, now + MINUTE), Ok(()));
        assert_eq!(left.leave(2, now + MINUTE), Err(now + second + MINUTE));
        assert_eq!(left.leave(3, now + MINUTE), Ok(()));
    }
}
