//! The HTTP clients that requests to providers share, and which of them a request takes.
//!
//! A client of HTTP/2 sends all requests of a host over one connection, on which servers allow some hundred at once; the rest
//! would wait in an invisible queue. So a client has no more than that in flight, and one request more begins another client.
//! Where a host speaks HTTP/1.1 each request has a connection of its own, and the division changes nothing.
//!
//! Whether a host speaks HTTP/2 is known when a connection to it is open. Until then its requests would open one each and
//! throw all but the first away, so the first request of a client to a host goes alone until it has its connection.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use reqwest::redirect;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::opening::MANY;
use crate::connections::Names;

/// Requests that one client has on their way: what servers of HTTP/2 allow on a connection at least (RFC 9113 §6.5.2 advises
/// "no smaller than 100").
pub(super) const MOST: usize = 100;
/// How long a connection may take.
pub(super) const CONNECT: Duration = Duration::from_secs(5);
/// A connection with requests on it is asked for a sign of life so often, since its end takes all of them along.
const SIGN_OF_LIFE: Duration = Duration::from_secs(20);
/// Bytes of one answer that may come before they are read: answers are small.
const WINDOW: u32 = 256 << 10;

/// All clients; nothing of them exists before the first request.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    tls: OnceLock<Result<ClientConfig, String>>,
    lanes: Mutex<Vec<Arc<Lane>>>,
}

/// A client, and what is on its way over it.
#[derive(Debug)]
struct Lane {
    client: reqwest::Client,
    traffic: Mutex<Traffic>,
}

#[derive(Debug, Default)]
struct Traffic {
    requests: usize,
    /// By host; forgotten as soon as nothing is on its way, since connections end when they are not used.
    doors: HashMap<Box<str>, Arc<Door>>,
}

/// The way to a host over a client.
#[derive(Debug)]
struct Door {
    /// Closed when a connection is open, so that no request waits any more.
    alone: Semaphore,
}

/// A request's place in a lane, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    lane: Arc<Lane>,
}

/// The right to look for a connection, alone where none is there yet.
#[derive(Debug)]
pub(crate) struct Entry(Option<Arc<Door>>);

impl Lanes {
    /// A place in the first lane that has one.
    pub fn place(&self) -> Result<Place, String> {
        // Nothing that can panic runs while the lock is held.
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        for lane in lanes.iter() {
            let mut traffic = lane.traffic();
            if traffic.requests < MOST {
                traffic.requests += 1;
                let lane = Arc::clone(lane);
                return Ok(Place { lane });
            }
        }
        let tls = self.tls.get_or_init(tls).clone()?;
        let lane = Arc::new(Lane {
            client: client(tls)?,
            traffic: Mutex::new(Traffic {
                requests: 1,
                doors: HashMap::new(),
            }),
        });
        lanes.push(Arc::clone(&lane));
        Ok(Place { lane })
    }
}

impl Lane {
    fn traffic(&self) -> MutexGuard<'_, Traffic> {
        // Nothing that can panic runs while the lock is held.
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    pub fn client(&self) -> &reqwest::Client {
        &self.lane.client
    }

    /// Waits until no other request opens the first connection to `host`.
    pub async fn entry(&self, host: &str) -> Entry {
        let door = {
            let mut traffic = self.lane.traffic();
            match traffic.doors.get(host) {
                Some(door) => Arc::clone(door),
                None => {
                    if traffic.doors.len() >= MANY {
                        // One that is forgotten costs a request that goes alone.
                        traffic.doors.retain(|_, it| Arc::strong_count(it) > 1);
                    }
                    let door = Arc::new(Door {
                        alone: Semaphore::new(1),
                    });
                    traffic.doors.insert(host.into(), Arc::clone(&door));
                    door
                }
            }
        };
        let first = door.alone.acquire().await.map(SemaphorePermit::forget);
        Entry(first.ok().map(|()| door))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut traffic = self.lane.traffic();
        traffic.requests -= 1;
        if traffic.requests == 0 {
            traffic.doors.clear();
        }
    }
}

impl Entry {
    /// A connection is open.
    pub fn passed(&mut self) {
        if let Some(door) = self.0.take() {
            door.alone.close();
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        // It did not come to a connection: the next one tries.
        if let Some(door) = self.0.take() {
            door.alone.add_permits(1);
        }
    }
}

/// The roots of the machine are read once for all clients of models.
pub(crate) fn tls() -> Result<ClientConfig, String> {
    // Fails only when another part of the process has installed one, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut config = ClientConfig::builder()
        .with_platform_verifier()
        .map_err(|error| {
            format!(
                "no secure connection can be made: {error}; install the certificates of the system (`ca-certificates`), or name a file of them in SSL_CERT_FILE"
            )
        })?
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn client(tls: ClientConfig) -> Result<reqwest::Client, String> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT)
        .http2_keep_alive_interval(SIGN_OF_LIFE)
        .http2_keep_alive_timeout(SIGN_OF_LIFE)
        .http2_initial_stream_window_size(WINDOW)
        .dns_resolver(Names::of_process())
        // A redirected request would carry the key to another host.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("groundswell/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| {
            format!(
                "the HTTP client cannot start: {}",
                super::http::chain(&error)
            )
        })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Lanes, MANY, MOST};

    #[test]
    fn a_client_has_a_hundred_requests_and_the_next_begins_another() {
        let lanes = Lanes::default();
        let place = || lanes.place().expect("a client can be made");
        let mut first: Vec<_> = (0..MOST).map(|_| place()).collect();
        let other = place();
        assert!(!Arc::ptr_eq(&first[0].lane, &other.lane));
        first.pop();
        assert!(Arc::ptr_eq(&first[0].lane, &place().lane));
    }

    #[tokio::test]
    async fn the_first_request_to_a_host_goes_alone_until_it_has_its_connection() {
        let lanes = Lanes::default();
        let place = lanes.place().expect("a client can be made");
        let failed = place.entry("a").await;
        let waits = || async {
            let soon = std::time::Duration::from_millis(20);
            tokio::time::timeout(soon, place.entry("a")).await.is_err()
        };
        assert!(waits().await);
        // Another host is another way.
        place.entry("b").await.passed();
        drop(failed);
        let mut second = place.entry("a").await;
        assert!(waits().await);
        second.passed();
        let (third, fourth) = (place.entry("a").await, place.entry("a").await);
        assert!(third.0.is_none() && fourth.0.is_none());
        // Once nothing is in flight, it is unknown whether there is a connection.
        drop((third, fourth, place));
        let place = lanes.place().expect("a client can be made");
        assert!(place.entry("a").await.0.is_some());
    }

    #[tokio::test]
    async fn a_lane_that_is_never_idle_forgets_hosts() {
        let lanes = Lanes::default();
        let place = lanes.place().expect("a client can be made");
        let mut held = place.entry("held").await;
        for host in 0..2 * MANY {
            place.entry(&host.to_string()).await.passed();
        }
        let known = place.lane.traffic().doors.len();
        assert!(known <= MANY, "{known}");
        assert!(place.lane.traffic().doors.contains_key("held"));
        held.passed();
    }
}
