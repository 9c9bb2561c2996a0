//! MCP servers: each is started or connected at its first call, shared by all runs, and restarted when it has ended.

mod address;
mod answer;
mod asked;
mod authorization;
mod call;
mod client;
mod form;
mod happened;
mod locked;
mod look;
mod newer;
mod pipe;
mod questions;
mod session;
mod talk;
mod trouble;
mod waited;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::mcp::authorization::bearer::Bearer;
use crate::mcp::authorization::challenge::Challenge;
use crate::mcp::authorization::{Authorization, Tried};
pub use crate::mcp::authorization::{Authorizing, Consent};
use crate::mcp::happened::Happened;
use crate::mcp::session::{Inbox, Session};
use crate::mcp::trouble::Trouble;
use gsw_driver::servers::{
    Answered, Calling, SILENCE, ServerAddress, ServerCall, ServerFailure, ServerPlace, Servers,
};
use gsw_driver::web::ReachOf;
use gsw_engine::operation::{AskOfServer, Grants};
use gsw_tree::event::McpWhat;

/// After a start that failed the next one waits this long, twice as long each time…
const FIRST_REST: Duration = Duration::from_millis(100);
/// …and never longer than this.
const LONGEST_REST: Duration = Duration::from_secs(10);
/// How long a server has to end by itself once its input is closed, and again once it is asked to, before it is killed.
const GRACE: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(10);
/// How often a request is made that a server refuses for want of an authorization: as it comes, with a token that was renewed,
/// with one that a person has consented to, and with one that allows more.
const ATTEMPTS: usize = 4;

/// The servers of a process.
#[derive(Clone, Default)]
pub struct McpServers {
    authorizing: Authorizing,
    slots: Arc<Mutex<Slots>>,
}

/// What a server may ask for is declared when a session with it begins, so another grant is another session.
type Slots = BTreeMap<(ServerPlace, Grants), Arc<Slot>>;

impl std::fmt::Debug for McpServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpServers").finish_non_exhaustive()
    }
}

/// The place of one server.
struct Slot {
    /// `None` for a server without authorization.
    authorization: Option<Result<Arc<Authorization>, ServerFailure>>,
    /// Held while it is started, so that calls that come at once start one.
    state: tokio::sync::Mutex<State>,
    inbox: Inbox,
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
    /// Servers that may ask a person to authorize.
    #[must_use]
    pub fn authorizing(authorizing: Authorizing) -> Self {
        Self {
            authorizing,
            ..Self::default()
        }
    }

    /// Asks a person to authorize the use of a server, whatever is kept.
    ///
    /// # Errors
    /// When consent is not given, or the server cannot be used all the same.
    pub async fn log_in(
        &self,
        server: ServerAddress,
        reach_of: ReachOf,
    ) -> Result<(), ServerFailure> {
        let slot = self.slot(&ServerPlace::Address(server.clone()), Grants::default());
        let Some(authorization) = slot.authorization()? else {
            return Err(Trouble::Refused(Challenge::default()).failure());
        };
        authorization.drop_token().await;
        let look = ServerCall {
            server: ServerPlace::Address(server),
            reach_of: Arc::clone(&reach_of),
            ask: AskOfServer::Tools,
            key: String::new(),
            silence: SILENCE,
            grants: Grants::default(),
        };
        slot.ask(look).await?;
        match authorization.bearer.token() {
            Some(_) => Ok(()),
            // It lets everybody look.
            None => authorization.ask_anew(&reach_of).await,
        }
    }

    /// Forgets the authorization that is kept for a server, and says whether there was one.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn log_out(&self, server: &ServerAddress) -> io::Result<bool> {
        authorization::forget(server, &self.authorizing)
    }

    fn slot(&self, server: &ServerPlace, grants: Grants) -> Arc<Slot> {
        let mut slots = lock(&self.slots);
        let slot = slots
            .entry((server.clone(), grants.clone()))
            .or_insert_with(|| {
                Arc::new(Slot {
                    authorization: match server {
                        ServerPlace::Program(_) => None,
                        ServerPlace::Address(it) => {
                            Authorization::of(it, &self.authorizing).map(|it| it.map(Arc::new))
                        }
                    },
                    state: tokio::sync::Mutex::default(),
                    inbox: Inbox {
                        happened: Happened::default(),
                        grants,
                    },
                })
            });
        Arc::clone(slot)
    }
}

impl Servers for McpServers {
    fn ask(&self, call: ServerCall) -> Calling {
        let slot = self.slot(&call.server, call.grants.clone());
        Box::pin(async move {
            let answer = slot.ask(call).await;
            let happened = slot.inbox.happened.take();
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
    fn authorization(&self) -> Result<Option<&Arc<Authorization>>, ServerFailure> {
        match &self.authorization {
            None => Ok(None),
            Some(Ok(authorization)) => Ok(Some(authorization)),
            Some(Err(failure)) => Err(failure.clone()),
        }
    }

    /// What the server says, which may have to be authorized by a person first.
    async fn ask(&self, call: ServerCall) -> Result<String, ServerFailure> {
        let Some(authorization) = self.authorization()? else {
            let answer = self.attempt(call, Bearer::default()).await;
            return answer.map_err(Trouble::failure);
        };
        // Apart, as each call carries the room for all that may be waited for in it.
        Box::pin(self.ask_authorized(authorization, call)).await
    }

    async fn ask_authorized(
        &self,
        authorization: &Arc<Authorization>,
        call: ServerCall,
    ) -> Result<String, ServerFailure> {
        authorization.prepare(&call.reach_of).await;
        let mut tried = Tried::default();
        for _ in 1..ATTEMPTS {
            let seen = authorization.bearer.times();
            let answer = self.attempt(call.clone(), authorization.bearer.clone());
            let challenge = match answer.await {
                Ok(answer) => return Ok(answer),
                Err(Trouble::Failed(failure)) => return Err(failure),
                Err(Trouble::Refused(challenge)) => challenge,
            };
            let settled = authorization.settle(seen, &challenge, &mut tried, &call.reach_of);
            settled.await?;
        }
        let answer = self.attempt(call, authorization.bearer.clone()).await;
        answer.map_err(|trouble| match trouble {
            Trouble::Failed(failure) => failure,
            Trouble::Refused(_) => ServerFailure::Server(
                "it refuses every token that its authorization server gives".into(),
            ),
        })
    }

    async fn attempt(&self, call: ServerCall, bearer: Bearer) -> Result<String, Trouble> {
        let with = (&call.reach_of, bearer);
        let session = self.session(&call.server, with).await?;
        let answer = session.ask(call).await;
        // One that ends after its answer is found to have ended by the next call.
        if answer.is_err() && session.is_over() {
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
        with: (&ReachOf, Bearer),
    ) -> Result<Arc<Session>, Trouble> {
        let mut state = self.state.lock().await;
        if let Some(session) = state.session.as_ref().filter(|it| !it.is_over()) {
            return Ok(Arc::clone(session));
        }
        if let Some(session) = state.session.take() {
            self.inbox.happened.note(McpWhat::Ended, None);
            state.note_failure(&session);
        }
        if let Some(at) = state.not_before.take() {
            tokio::time::sleep_until(at.into()).await;
        }
        match Box::pin(Session::start(server, with, &self.inbox)).await {
            Ok(session) => {
                let session = Arc::new(session);
                state.session = Some(Arc::clone(&session));
                tokio::spawn(waited::watch(Arc::downgrade(&session)));
                Ok(session)
            }
            // The server is up.
            Err(Trouble::Refused(challenge)) => Err(Trouble::Refused(challenge)),
            Err(Trouble::Failed(failure)) => {
                state.rest();
                Err(failure.into())
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
            self.inbox.happened.note(McpWhat::Ended, None);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gsw_driver::servers::{SILENCE, ServerCall, ServerPlace, ServerProgram};
    use gsw_engine::operation::{AskOfServer, Grants};

    use super::McpServers;

    /// It is moved more than once, with the room for all that may be waited for in it.
    #[test]
    fn a_call_on_its_way_is_small() {
        let server = ServerPlace::Program(ServerProgram::of_user(vec!["server".into()]));
        let grants = Grants::default();
        let slot = McpServers::default().slot(&server, grants.clone());
        let call = ServerCall {
            server,
            reach_of: Arc::new(|_, _| panic!("it is not asked")),
            ask: AskOfServer::Tools,
            key: String::new(),
            silence: SILENCE,
            grants,
        };
        let size = size_of_val(&slot.ask(call));
        assert!(size <= 10_000, "{size} bytes");
    }
}
