//! Bounds how many connections to a host are being opened at once. A request that waits for its turn often finds one that
//! has become free meanwhile, so ten thousand quick answers need hundreds of connections; how many are in use is not bounded.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::lanes::Entry;

/// Connections to one host that are being opened at once. A guess: fewer than the queue of a listening socket holds.
pub(super) const AT_ONCE: usize = 64;

/// From so many hosts on those are forgotten to which no connection is being opened.
pub(super) const MANY: usize = 1_000;

/// The turns of all hosts.
#[derive(Debug, Default)]
pub(crate) struct Openings {
    hosts: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Openings {
    /// Waits until another request to `host` may look for a connection.
    pub async fn turn(&self, host: &str) -> Turn {
        let semaphore = self.of(host);
        Turn {
            held: semaphore.acquire_owned().await.ok(),
            entry: None,
        }
    }

    fn of(&self, host: &str) -> Arc<Semaphore> {
        // Nothing that can panic runs while the lock is held.
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        match hosts.get(host) {
            Some(semaphore) => Arc::clone(semaphore),
            None => {
                if hosts.len() >= MANY {
                    hosts.retain(|_, it| Arc::strong_count(it) > 1);
                }
                let semaphore = Arc::new(Semaphore::new(AT_ONCE));
                hosts.insert(host.to_owned(), Arc::clone(&semaphore));
                semaphore
            }
        }
    }
}

/// The right to look for a connection; the next request has it when this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    held: Option<OwnedSemaphorePermit>,
    entry: Option<Entry>,
}

impl Turn {
    /// Adds the entry into a lane.
    pub fn into(self, entry: Entry) -> Self {
        let entry = Some(entry);
        Self { entry, ..self }
    }

    /// A body that gives the turn to the next request when it is taken, since then there is a connection.
    pub fn body(self, text: String) -> reqwest::Body {
        reqwest::Body::wrap(Taken {
            rest: Some(text.into()),
            turn: self,
        })
    }
}

struct Taken {
    rest: Option<Bytes>,
    turn: Turn,
}

impl Body for Taken {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.turn.held = None;
        if let Some(mut entry) = self.turn.entry.take() {
            entry.passed();
        }
        Poll::Ready(self.rest.take().map(|it| Ok(Frame::data(it))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.as_ref().map_or(0, |it| it.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::{MANY, Openings};

    #[tokio::test]
    async fn hosts_are_forgotten_when_nothing_is_opened_to_them() {
        let openings = Openings::default();
        let _held = openings.turn("held").await;
        for host in 0..2 * MANY {
            drop(openings.turn(&host.to_string()).await);
        }
        let hosts = openings.hosts.lock().expect("no panic");
        assert!(hosts.len() <= MANY && hosts.contains_key("held"));
    }
}
