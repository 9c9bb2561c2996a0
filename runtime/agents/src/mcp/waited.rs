//! How long a question to a server waits for its answer: as long as the server shows that it is at work, and is there.

use std::sync::{Arc, Mutex};
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

    fn last_sign(&self, happened: &Happened) -> Option<Instant> {
        happened.last_progress(lock(&self.0).as_ref()?)
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
    let mut has_gone = false;
    loop {
        // What it has written before its end is read first.
        if std::mem::replace(&mut has_gone, session.is_over()) {
            return session.gone().await;
        }
        let heard = about.last_sign(happened).unwrap_or(begun);
        let silent_until = heard.max(begun) + silence;
        let now = Instant::now();
        if silent_until <= now {
            return lost("has said nothing for", silence);
        }
        if begun + LONGEST <= now {
            return lost("was not done with its work after", LONGEST);
        }
        tokio::time::sleep((silent_until - now).min(LOOK)).await;
    }
}

fn lost(what: &str, length: Duration) -> ServerFailure {
    ServerFailure::Lost(format!("the server {what} {length:?}"))
}
