//! MCP servers: each is started or reached at its first call, is one for all runs, and again when it has ended.

mod address;
mod answer;
mod client;
mod happened;
mod locked;
mod look;
mod session;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::mcp::happened::Happened;
use crate::mcp::session::Session;
use gsw_driver::servers::{Answered, Calling, ServerCall, ServerFailure, ServerPlace, Servers};
use gsw_driver::web::ReachOf;
use gsw_tree::event::McpWhat;

/// After a start that failed the next one waits so long, twice as long each time…
const FIRST_REST: Duration = Duration::from_millis(100);
/// …and never longer than this.
const LONGEST_REST: Duration = Duration::from_secs(10);
/// A server has so long to end by itself when nothing more is said to it, and again when it is asked to, before it is killed.
const GRACE: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(10);

/// The servers of a process.
#[derive(Clone, Default)]
pub struct McpServers {
    slots: Arc<Mutex<BTreeMap<ServerPlace, Arc<Slot>>>>,
}

impl std::fmt::Debug for McpServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpServers").finish_non_exhaustive()
    }
}

/// The place of one server.
#[derive(Default)]
struct Slot {
    /// Held while it is started, so that calls that come at once start one.
    state: tokio::sync::Mutex<State>,
    happened: Happened,
}

#[derive(Default)]
struct State {
    session: Option<Arc<Session>>,
    /// How often in a row it could not be started, or ended before it had answered anything.
    failures: u32,
    /// When it may be started again.
    not_before: Option<Instant>,
}

impl McpServers {
    fn slot(&self, server: &ServerPlace) -> Arc<Slot> {
        let mut slots = lock(&self.slots);
        Arc::clone(slots.entry(server.clone()).or_default())
    }
}

impl Servers for McpServers {
    fn ask(&self, call: ServerCall) -> Calling {
        let slot = self.slot(&call.server);
        Box::pin(async move {
            let answer = slot.ask(call).await;
            let happened = slot.happened.take();
            Answered { happened, answer }
        })
    }

    fn close(&self) {
        let slots = std::mem::take(&mut *lock(&self.slots));
        let sessions = slots.values().filter_map(|it| {
            // One that is being started is killed when that is dropped.
            it.state.try_lock().ok()?.session.take()
        });
        let sessions: Vec<Arc<Session>> = sessions.collect();
        for ask in [Session::close, Session::ask_to_end] {
            sessions.iter().for_each(|it| ask(it));
            let until = Instant::now() + GRACE;
            while Instant::now() < until && sessions.iter().any(|it| !it.has_ended()) {
                std::thread::sleep(LOOK);
            }
        }
        for session in sessions {
            session.kill();
        }
    }
}

impl Slot {
    async fn ask(&self, call: ServerCall) -> Result<String, ServerFailure> {
        let session = self.session(&call.server, &call.reach_of).await?;
        let answer = session.ask(call).await;
        if session.is_over() {
            self.forget(&session).await;
        } else {
            self.has_answered().await;
        }
        answer
    }

    /// The session with the server, which is started if there is none.
    async fn session(
        &self,
        server: &ServerPlace,
        reach_of: &ReachOf,
    ) -> Result<Arc<Session>, ServerFailure> {
        let mut state = self.state.lock().await;
        if let Some(session) = state.session.as_ref().filter(|it| !it.is_over()) {
            return Ok(Arc::clone(session));
        }
        if let Some(session) = state.session.take() {
            self.happened.note(McpWhat::Ended, None);
            state.note_failure(&session);
        }
        if let Some(at) = state.not_before.take() {
            tokio::time::sleep_until(at.into()).await;
        }
        match Session::start(server, reach_of, &self.happened).await {
            Ok(session) => {
                let session = Arc::new(session);
                state.session = Some(Arc::clone(&session));
                Ok(session)
            }
            Err(why) => {
                state.rest();
                Err(why)
            }
        }
    }

    /// A server that has ended is started by the next call.
    async fn forget(&self, session: &Arc<Session>) {
        let mut state = self.state.lock().await;
        if state
            .session
            .as_ref()
            .is_some_and(|it| Arc::ptr_eq(it, session))
        {
            state.session = None;
            self.happened.note(McpWhat::Ended, None);
            state.note_failure(session);
        }
    }

    async fn has_answered(&self) {
        self.state.lock().await.failures = 0;
    }
}

impl State {
    fn note_failure(&mut self, session: &Session) {
        session.kill();
        self.rest();
    }

    fn rest(&mut self) {
        let rest = FIRST_REST.saturating_mul(1 << self.failures.min(16));
        self.not_before = Some(Instant::now() + rest.min(LONGEST_REST));
        self.failures = self.failures.saturating_add(1);
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that can panic runs while the lock is held.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
