//! Which keys are being asked for just now, so that equal calls wait for the first one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::Cache;

/// The keys in flight and who waits for each.
#[derive(Debug, Default)]
pub(crate) struct Flights(Mutex<HashMap<String, Vec<oneshot::Sender<()>>>>);

/// The place of the one call that asks for a key; given up when dropped.
#[derive(Debug)]
pub(crate) struct Hold {
    cache: Arc<Cache>,
    key: String,
}

impl Hold {
    /// Takes the place, if nobody has it.
    pub fn take(cache: &Arc<Cache>, key: &str) -> Option<Self> {
        let mut flights = cache.flights.lock();
        if flights.contains_key(key) {
            return None;
        }
        flights.insert(key.to_owned(), Vec::new());
        Some(Self {
            cache: Arc::clone(cache),
            key: key.to_owned(),
        })
    }

    /// The key.
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let waiting = self.cache.flights.lock().remove(&self.key);
        for sender in waiting.into_iter().flatten() {
            // Who has stopped waiting need not be told.
            let _ = sender.send(());
        }
    }
}

impl Flights {
    /// Ends when nobody has the place of this key.
    pub async fn landed(&self, key: &str) {
        let receiver = {
            let mut flights = self.lock();
            let Some(waiting) = flights.get_mut(key) else {
                return;
            };
            let (sender, receiver) = oneshot::channel();
            waiting.push(sender);
            receiver
        };
        // An error says that the sender is gone, which is the same to us.
        let _ = receiver.await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<oneshot::Sender<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
