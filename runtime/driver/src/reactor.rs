//! The tokio runtimes for sockets and for hosts, started at first use and separate, so that neither blocks the other.

use std::future::pending;
use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio::runtime::{Builder, Handle};

/// Calls of the system that block and are worked on at once; more wait. A guess.
const BLOCKING: usize = 32;

/// A runtime of the process, with a thread that drives it for as long as the process lives.
#[derive(Debug)]
pub(crate) struct Reactor {
    /// What is named where it cannot be used.
    pub(crate) purpose: &'static str,
    name: &'static str,
    handle: Mutex<Option<Handle>>,
}

/// For models, their cache and HTTP.
pub(crate) static NETWORK: Reactor = Reactor::named("gsw-net", "the network");
/// For the code of a host, which may block: its tools and its people.
pub(crate) static HOST: Reactor = Reactor::named("gsw-host", "the host");

impl Reactor {
    const fn named(name: &'static str, purpose: &'static str) -> Self {
        Self {
            purpose,
            name,
            handle: Mutex::new(None),
        }
    }

    /// Where to spawn. It is tried again when the system had no threads or handles left for it.
    pub(crate) fn handle(&self) -> Result<Handle, String> {
        // Held while it is made, so that two first uses make one.
        let mut made = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = made.as_ref() {
            return Ok(handle.clone());
        }
        // A thread of its own drives it: tokio panics, or waits for ever, where one of its own cannot be started.
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(BLOCKING)
            .thread_name(self.name)
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        let handle = runtime.handle().clone();
        thread::Builder::new()
            .name(self.name.into())
            .spawn(move || runtime.block_on(pending::<()>()))
            .map_err(|error| format!("no thread can be started for it: {error}"))?;
        Ok(made.insert(handle).clone())
    }
}
