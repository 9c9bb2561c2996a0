//! How long a request to a server waits for its answer: as long as the server shows progress, and is alive.

use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use gsw_driver::servers::ServerFailure;
use rmcp::model::ProgressToken;

use crate::mcp::happened::Happened;
use crate::mcp::lock;
use crate::mcp::session::Session;

/// Also one that reports progress is not waited for any longer.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// How often it is looked whether a server is still there: what it has started may hold its output open.
const LOOK: Duration = Duration::from_millis(500);

/// The call that a question has become, once it is one: what is reported of it counts as a sign of life.
#[derive(Clone, Default)]
pub(super) struct About(Arc<Mutex<Option<ProgressToken>>>);

impl About {
    pub fn is(&self, call: &ProgressToken) {
        *lock(&self.0) = Some(call.clone());
    }

    /// There is no answer, for this reason. What no call has come of was not done.
    fn lost(&self, why: String) -> ServerFailure {
        match &*lock(&self.0) {
            Some(_) => ServerFailure::Lost(why),
            None => ServerFailure::Server(why),
        }
    }

    fn last_sign(&self, happened: &Happened) -> Option<Instant> {
        happened.last_progress(lock(&self.0).as_ref()?)
    }
}

/// Looks whether a server is still there, for all calls that wait for it, for as long as the session is used. One clock for all of
/// them: each call would otherwise wake the thread that it waits on.
pub(super) async fn watch(session: Weak<Session>) {
    loop {
        tokio::time::sleep(LOOK).await;
        match session.upgrade() {
            Some(session) if session.is_over() => break,
            Some(_) => {}
            None => return,
        }
    }
    // What it has written before its end is read first.
    tokio::time::sleep(LOOK).await;
    if let Some(session) = session.upgrade() {
        session.note_end();
    }
}

/// Returns once it makes no sense to wait for an answer any longer, with the reason.
pub(super) async fn in_vain(
    session: &Session,
    happened: &Happened,
    about: &About,
    silence: Duration,
) -> ServerFailure {
    let begun = Instant::now();
    loop {
        let heard = about.last_sign(happened).unwrap_or(begun);
        let silent_until = heard.max(begun) + silence;
        let last = begun + LONGEST;
        let now = Instant::now();
        if silent_until <= now {
            return about.lost(format!(
                "the server has given neither an answer nor progress for {silence:?}"
            ));
        }
        if last <= now {
            return about.lost(format!(
                "the server was not done with its work after {LONGEST:?}"
            ));
        }
        tokio::select! {
            () = session.end_is_noted() => return about.lost(Box::pin(session.gone()).await),
            () = tokio::time::sleep_until(silent_until.min(last).into()) => {}
        }
    }
}
