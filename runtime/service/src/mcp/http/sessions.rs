//! Sessions of clients of the earlier protocol: not more than a number of them, and none that is unused for long.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionConfig,
};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};

use crate::mcp::calls::Calls;
use crate::mcp::http::streams::Streams;

/// The most sessions that are open at once; for another one the one that was idle longest ends.
const MOST: usize = 1_000;
/// After how long without a stream and a message a session ends.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// How often it is looked for such.
const PERIOD: Duration = Duration::from_secs(60);

/// The sessions that are open.
pub(super) struct Sessions {
    inner: LocalSessionManager,
    uses: Arc<Uses>,
    streams: Arc<Streams>,
}

/// How sessions are used.
#[derive(Default)]
struct Uses(Mutex<BTreeMap<SessionId, Use>>);

struct Use {
    streams: usize,
    last: Instant,
    /// What its client has asked for.
    calls: Arc<Calls>,
}

/// A stream of a session, which is in use as long as a client listens.
struct Listened {
    stream: Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>,
    _held: Held,
}

/// A stream of one message, which ends after it.
struct Single(Option<ServerSseMessage>);

struct Held {
    uses: Arc<Uses>,
    session: SessionId,
}

/// Why there is no session, for people.
#[derive(Debug)]
pub(super) enum NoSession {
    /// Each one that is open has a client that listens.
    TooMany,
    Local(LocalSessionManagerError),
}

impl Default for Sessions {
    fn default() -> Self {
        let mut inner = LocalSessionManager::default();
        let mut session_config = SessionConfig::default();
        // A call may take longer than any time limit here; what is idle is known here.
        session_config.keep_alive = None;
        inner.session_config = session_config;
        Self {
            inner,
            uses: Arc::default(),
            streams: Arc::default(),
        }
    }
}

impl Sessions {
    /// Ends unused sessions, for as long as it is polled.
    pub async fn tidy(&self) {
        loop {
            tokio::time::sleep(PERIOD).await;
            for session in self.uses.idle(IDLE) {
                // One that has ended by itself is gone already.
                let _ = self.close_session(&session).await;
            }
            self.streams.tidy();
        }
    }

    fn held(&self, session: &SessionId) -> Held {
        let mut uses = self.uses.lock();
        if let Some(used) = uses.get_mut(session) {
            used.streams += 1;
            used.last = Instant::now();
        }
        Held {
            uses: Arc::clone(&self.uses),
            session: Arc::clone(session),
        }
    }

    fn listened<S>(&self, session: &SessionId, stream: S) -> Listened
    where
        S: Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    {
        Listened {
            stream: Box::pin(stream),
            _held: self.held(session),
        }
    }

    /// The calls of a session; of one that has just ended, none that are still open.
    fn calls(&self, session: &SessionId) -> Arc<Calls> {
        let uses = self.uses.lock();
        let calls = uses.get(session).map(|it| Arc::clone(&it.calls));
        calls.unwrap_or_else(|| {
            let calls = Calls::default();
            calls.end();
            Arc::new(calls)
        })
    }

    /// Makes room for one more.
    async fn make_room(&self) -> Result<(), NoSession> {
        while self.uses.lock().len() >= MOST {
            let oldest = self.uses.idle(Duration::ZERO).into_iter().next();
            let oldest = oldest.ok_or(NoSession::TooMany)?;
            self.close_session(&oldest).await?;
        }
        Ok(())
    }
}

impl Uses {
    /// Sessions without a stream whose last message is at least this long ago, the oldest first.
    fn idle(&self, longer: Duration) -> Vec<SessionId> {
        let uses = self.lock();
        let idle = uses
            .iter()
            .filter(|(_, it)| it.streams == 0 && it.last.elapsed() >= longer);
        let mut idle: Vec<(Instant, SessionId)> =
            idle.map(|(id, it)| (it.last, Arc::clone(id))).collect();
        idle.sort();
        idle.into_iter().map(|it| it.1).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Use>> {
        // Nothing that can panic runs while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(used) = self.uses.lock().get_mut(&self.session) {
            used.streams = used.streams.saturating_sub(1);
            used.last = Instant::now();
        }
    }
}

impl Stream for Listened {
    type Item = ServerSseMessage;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().stream.as_mut().poll_next(context)
    }
}

impl Stream for Single {
    type Item = ServerSseMessage;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.get_mut().0.take())
    }
}

impl std::fmt::Display for NoSession {
    fn fmt(&self, text: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooMany => write!(text, "{MOST} sessions are open and in use: try again"),
            Self::Local(error) => error.fmt(text),
        }
    }
}

impl std::error::Error for NoSession {}

impl From<LocalSessionManagerError> for NoSession {
    fn from(error: LocalSessionManagerError) -> Self {
        Self::Local(error)
    }
}

impl SessionManager for Sessions {
    type Error = NoSession;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), NoSession> {
        self.make_room().await?;
        let (id, transport) = self.inner.create_session().await?;
        let used = Use {
            streams: 0,
            last: Instant::now(),
            calls: Arc::default(),
        };
        self.uses.lock().insert(Arc::clone(&id), used);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, NoSession> {
        Ok(self.inner.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, NoSession> {
        Ok(self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), NoSession> {
        let used = self.uses.lock().remove(id);
        // The crate would let its calls run for some seconds, and then only stop to listen.
        if let Some(used) = used {
            used.calls.end();
        }
        self.streams.forget(id);
        Ok(self.inner.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, NoSession> {
        let calls = self.calls(id);
        if let Err(answer) = calls.heard(&mut message) {
            let single = Single(Some(ServerSseMessage::from_message(*answer)));
            return Ok(self.listened(id, single));
        }
        let sent = self.inner.create_stream(id, message).await?;
        Ok(self.listened(id, self.streams.take(id, &calls, sent)))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<(), NoSession> {
        drop(self.held(id));
        // Only requests are refused, and these come by a stream.
        let _ = self.calls(id).heard(&mut message);
        Ok(self.inner.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, NoSession> {
        let stream = self.inner.create_standalone_stream(id).await?;
        Ok(self.listened(id, stream))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, NoSession> {
        if let Some(listening) = self.streams.resume(id, &last_event_id) {
            return Ok(self.listened(id, listening));
        }
        let stream = self.inner.resume(id, last_event_id).await?;
        Ok(self.listened(id, stream))
    }
}
