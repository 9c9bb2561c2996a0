//! The connections to hosts that requests to providers share, and which of them a request takes.
//!
//! A connection of HTTP/2 has many requests at once, but servers allow only some hundred on each; the rest would wait in an
//! invisible queue, so one request more opens another connection. A connection of HTTP/1.1 has one request, and then the next.
//!
//! Which of both a host speaks is known when a connection to it is open. Until then its requests would open one each and throw
//! all but the first away, so the first opens it alone, and so does each further one of HTTP/2. Of HTTP/1.1 some are opened at
//! once: a request that waits for its turn often finds one that has become free meanwhile, so ten thousand quick answers need
//! hundreds of connections; how many are in use is not bounded.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use http::Uri;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::connector::{Connector, Speech};
use super::http1::Alone;
use super::http2::Shared;
use super::unanswered::{Sent, Unanswered};
use crate::connections::address::Target;

/// Connections of HTTP/1.1 to one host that are being opened at once. A guess: fewer than the queue of a listening socket holds.
pub(super) const AT_ONCE: usize = 64;
/// How often connections are checked, and after how many checks an unused one is closed: after a minute and a half.
const LOOK: Duration = Duration::from_secs(30);
const LOOKS: u8 = 3;
/// From this many hosts on, those without a connection are removed.
const MANY: usize = 1_000;

/// All connections; nothing of them exists before the first request.
#[derive(Default)]
pub(crate) struct Lanes {
    connector: OnceLock<Result<Connector, String>>,
    /// By scheme, host and port.
    ways: Mutex<HashMap<Box<str>, Arc<Way>>>,
}

/// The connections to a host.
struct Way {
    /// The right to open one.
    turns: Semaphore,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    shared: Vec<Unused<Arc<Shared>>>,
    /// Those of HTTP/1.1 without a request.
    alone: Vec<Unused<Alone>>,
    speaks_http1: bool,
    looking: Option<JoinHandle<()>>,
}

/// A connection, and how often it was found unused.
struct Unused<T> {
    connection: T,
    looks: u8,
}

/// A request's place on a connection, until it is dropped.
pub(crate) struct Place {
    way: Arc<Way>,
    /// None once it is given back.
    lane: Option<Lane>,
    before: Before,
}

pub(super) enum Lane {
    Shared(Arc<Shared>),
    Alone(Alone),
}

/// What a connection was before a request took it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Before {
    /// Opened for this request.
    New,
    /// In use or idle, so that its server may have closed it meanwhile.
    Open,
}

/// Why a request has no place.
pub(crate) enum NoPlace {
    /// No connection can be made to anywhere, for this reason.
    Nowhere(String),
    Unreached(Unanswered),
}

impl Lanes {
    /// A place on a connection to this host, which is opened where there is none.
    pub async fn place(&self, target: &Target) -> Result<Place, NoPlace> {
        let way = self.way(target.origin());
        match way.free() {
            Some(place) if place.is_ready() => Ok(place),
            // Boxed, since few requests wait here and all have room for it.
            free => Box::pin(self.wait_for_place(way, target, free)).await,
        }
    }

    async fn wait_for_place(
        &self,
        way: Arc<Way>,
        target: &Target,
        mut free: Option<Place>,
    ) -> Result<Place, NoPlace> {
        let connector = self.connector.get_or_init(Connector::new);
        let connector = connector
            .as_ref()
            .map_err(|it| NoPlace::Nowhere(it.clone()))?;
        let mut turn = None;
        loop {
            while let Some(place) = free {
                if let Some(place) = place.ready().await {
                    return Ok(place);
                }
                free = way.free();
            }
            if turn.is_some() {
                return way
                    .open(connector, target.uri())
                    .await
                    .map_err(NoPlace::Unreached);
            }
            turn = way.turns.acquire().await.ok();
            free = way.free();
        }
    }

    fn way(&self, origin: &str) -> Arc<Way> {
        // Nothing that can panic runs while the lock is held.
        let mut ways = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(way) = ways.get(origin) {
            return Arc::clone(way);
        }
        if ways.len() >= MANY {
            // A host that is forgotten has its first connection opened alone again.
            ways.retain(|_, it| Arc::strong_count(it) > 1 || it.lock().is_any());
        }
        let way = Arc::new(Way {
            turns: Semaphore::new(1),
            open: Mutex::default(),
        });
        ways.insert(origin.into(), Arc::clone(&way));
        way
    }

    /// The right to open a connection to a host is held by the caller.
    #[cfg(test)]
    pub(super) async fn hold_turns(&self, origin: &str) -> impl Drop {
        struct Held(Arc<Way>);
        impl Drop for Held {
            fn drop(&mut self) {
                self.0.turns.add_permits(1);
            }
        }
        let way = self.way(origin);
        way.turns
            .acquire()
            .await
            .expect("it is not closed")
            .forget();
        Held(way)
    }
}

impl Way {
    fn lock(&self) -> MutexGuard<'_, Open> {
        // Nothing that can panic runs while the lock is held.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place on an open connection.
    fn free(self: &Arc<Self>) -> Option<Place> {
        let lane = self.lock().free()?;
        Some(self.place(lane, Before::Open))
    }

    fn place(self: &Arc<Self>, lane: Lane, before: Before) -> Place {
        Place {
            way: Arc::clone(self),
            lane: Some(lane),
            before,
        }
    }

    async fn open(self: &Arc<Self>, connector: &Connector, to: &Uri) -> Result<Place, Unanswered> {
        let socket = connector.open(to).await.map_err(Unanswered::unreached)?;
        match socket.speech {
            Speech::Http2 => {
                let shared = Shared::over(socket).await.map_err(Unanswered::failed)?;
                let shared = Arc::new(shared);
                shared.enter();
                self.lock().shared.push(Unused::of(Arc::clone(&shared)));
                self.look_after();
                Ok(self.place(Lane::Shared(shared), Before::New))
            }
            Speech::Http1 | Speech::Http1ByProxy(_) => {
                let alone = Alone::over(socket).await.map_err(Unanswered::failed)?;
                if !std::mem::replace(&mut self.lock().speaks_http1, true) {
                    self.turns.add_permits(AT_ONCE - 1);
                }
                Ok(self.place(Lane::Alone(alone), Before::New))
            }
        }
    }

    /// Closes connections that are not used for long.
    fn look_after(self: &Arc<Self>) {
        let mut open = self.lock();
        // It ends with the runtime that it was begun on.
        if open.looking.as_ref().is_some_and(|it| !it.is_finished()) {
            return;
        }
        let way = Arc::downgrade(self);
        open.looking = Some(tokio::spawn(look(way)));
    }
}

async fn look(way: Weak<Way>) {
    loop {
        sleep(LOOK).await;
        let Some(way) = way.upgrade() else { return };
        let mut open = way.lock();
        open.close_unused();
        if !open.is_any() {
            open.looking = None;
            return;
        }
    }
}

impl Open {
    fn free(&mut self) -> Option<Lane> {
        self.shared.retain(|it| !it.connection.is_over());
        let shared = self.shared.iter_mut().find_map(|it| {
            it.connection.enter()?;
            it.looks = 0;
            Some(Arc::clone(&it.connection))
        });
        if let Some(shared) = shared {
            return Some(Lane::Shared(shared));
        }
        // The last one was used last, and is closed by its server last.
        let alone = std::iter::from_fn(|| self.alone.pop()).find(|it| !it.connection.is_over());
        alone.map(|it| Lane::Alone(it.connection))
    }

    /// Whether there is a connection without a request, or one that several share.
    fn is_any(&self) -> bool {
        !self.shared.is_empty() || !self.alone.is_empty()
    }

    fn close_unused(&mut self) {
        self.shared.retain_mut(|it| {
            it.looks = match it.connection.is_used() {
                true => 0,
                false => it.looks + 1,
            };
            it.looks < LOOKS && !it.connection.is_over()
        });
        self.alone.retain_mut(|it| {
            it.looks += 1;
            it.looks < LOOKS && !it.connection.is_over()
        });
    }
}

impl<T> Unused<T> {
    fn of(connection: T) -> Self {
        Self {
            connection,
            looks: 0,
        }
    }
}

impl Place {
    pub(super) fn lane(&mut self) -> &mut Lane {
        self.lane.as_mut().expect("it is there until it is dropped")
    }

    /// A request failed on it. Says whether another connection may do better.
    pub(super) fn failed(&mut self, unanswered: Unanswered) -> Unanswered {
        if unanswered.sent != Sent::Nothing {
            return unanswered;
        }
        if let Lane::Shared(shared) = self.lane() {
            shared.close();
        }
        let sent = match self.before {
            Before::Open => Sent::Nothing,
            Before::New => Sent::Maybe,
        };
        Unanswered { sent, ..unanswered }
    }

    fn is_ready(&self) -> bool {
        match &self.lane {
            Some(Lane::Shared(_)) => true,
            Some(Lane::Alone(alone)) => alone.is_ready(),
            None => false,
        }
    }

    /// None where the connection cannot be used.
    async fn ready(mut self) -> Option<Self> {
        self.lane = Some(match self.lane.take()? {
            Lane::Alone(alone) => Lane::Alone(alone.ready().await?),
            shared @ Lane::Shared(_) => shared,
        });
        Some(self)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        match self.lane.take() {
            Some(Lane::Shared(shared)) => shared.leave(),
            Some(Lane::Alone(alone)) if !alone.is_over() => {
                self.way.lock().alone.push(Unused::of(alone));
                self.way.look_after();
            }
            Some(Lane::Alone(_)) | None => {}
        }
    }
}

impl fmt::Debug for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes").finish_non_exhaustive()
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = &self.before;
        f.debug_struct("Place")
            .field("before", before)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;

    use super::{LOOKS, Lanes, MANY};
    use crate::connections::address::Address;

    #[tokio::test]
    async fn a_connection_is_closed_after_some_looks_that_find_it_unused() {
        let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = server.local_addr().expect("it is bound");
        let address = Address::of(format!("http://{at}/"));
        let target = address.target().expect("it is an address");
        let lanes = Lanes::default();
        let place = lanes.place(target).await.ok().expect("it listens");
        let (mut accepted, _) = server.accept().await.expect("it was called");
        let way = lanes.way(target.origin());
        for _ in 0..=LOOKS {
            way.lock().close_unused();
        }
        drop(place);
        for _ in 1..LOOKS {
            way.lock().close_unused();
        }
        // A use of it begins the count again.
        drop(lanes.place(target).await.ok().expect("it is open"));
        for _ in 1..LOOKS {
            way.lock().close_unused();
        }
        assert!(way.lock().is_any());
        way.lock().close_unused();
        assert!(!way.lock().is_any());
        assert_eq!(accepted.read(&mut [0]).await.expect("an end"), 0);
    }

    #[tokio::test]
    async fn hosts_without_a_connection_are_forgotten() {
        let lanes = Lanes::default();
        let held = lanes.hold_turns("http://held").await;
        for host in 0..2 * MANY {
            lanes.way(&host.to_string());
        }
        let ways = lanes.ways.lock().expect("no panic");
        assert!(ways.len() <= MANY && ways.contains_key("http://held"));
        drop(held);
    }
}
