//! What all connections of the process share: how many there may be, how names are looked up, how addresses are shown.

pub(crate) mod address;
pub(crate) mod failing;
mod names;
mod reach;
mod tls;

use std::sync::{Arc, OnceLock};

use rustix::process::{Resource, getrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) use names::Names;
pub(crate) use reach::{OutOfReach, Within, is_within};
pub(crate) use tls::tls;

/// Connections where the system sets no limit; ports are used up not far above.
const MOST: u64 = 16_384;

/// The right to use a connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct Connection(
    #[expect(dead_code, reason = "it is held")] Option<OwnedSemaphorePermit>,
);

/// Waits until another connection may be used: half of the files that the process may have open are left for all else.
pub(crate) async fn connection() -> Connection {
    static FREE: OnceLock<Arc<Semaphore>> = OnceLock::new();
    let free = FREE.get_or_init(|| Arc::new(Semaphore::new(most())));
    Connection(Arc::clone(free).acquire_owned().await.ok())
}

fn most() -> usize {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from((files / 2).clamp(1, MOST)).expect("it is small")
}
