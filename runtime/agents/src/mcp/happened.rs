//! Notifications of a server, held until the next answer carries them to the run.
//!
//! An event of a run must be there again when the run is replayed, so what a server says by itself reaches a run only as a part
//! of an outcome that is recorded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use gsw_tree::event::{JsonText, McpHappened, McpWhat};
use rmcp::model::ProgressToken;
use serde_json::{Value, json};

use crate::mcp::lock;

/// How many things are kept for the next answer, the first ones; of the others only their number is reported.
const MOST: usize = 100;
/// A payload of more bytes is cut.
const LONGEST: usize = 4 << 10;

/// What has happened with one server and was not reported yet; shared by all that notice something.
#[derive(Clone, Debug, Default)]
pub(super) struct Happened(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    all: Vec<Noted>,
    dropped: u64,
    /// When progress was last reported of a call that is on its way; none was if it is missing.
    progress: HashMap<ProgressToken, Option<Instant>>,
}

#[derive(Debug)]
struct Noted {
    /// The call that it is about, if it has no answer yet: its caller is notified.
    call: Option<ProgressToken>,
    happened: McpHappened,
}

impl Happened {
    pub fn note(&self, what: McpWhat, payload: Option<&Value>) {
        self.note_of(None, what, payload);
    }

    /// Notes something about a call.
    pub fn note_of(&self, call: Option<ProgressToken>, what: McpWhat, payload: Option<&Value>) {
        let payload = payload.map(bounded);
        let mut kept = lock(&self.0);
        if let Some(last) = call.as_ref().and_then(|it| kept.progress.get_mut(it)) {
            *last = Some(Instant::now());
        }
        if kept.all.len() >= MOST {
            kept.dropped = kept.dropped.saturating_add(1);
            return;
        }
        let happened = McpHappened { what, payload };
        kept.all.push(Noted { call, happened });
    }

    /// A call is on its way.
    pub fn has_begun(&self, call: &ProgressToken) {
        lock(&self.0).progress.insert(call.clone(), None);
    }

    /// When progress of it was last reported.
    pub fn last_progress(&self, call: &ProgressToken) -> Option<Instant> {
        lock(&self.0).progress.get(call).copied().flatten()
    }

    /// A call has ended: what was noted of it goes with the next answer, which is its own if it has one.
    pub fn is_over(&self, call: &ProgressToken) {
        let mut kept = lock(&self.0);
        kept.progress.remove(call);
        for noted in &mut kept.all {
            if noted.call.as_ref() == Some(call) {
                noted.call = None;
            }
        }
    }

    /// All that is not about a call which is still on its way.
    pub fn take(&self) -> Vec<McpHappened> {
        let mut kept = lock(&self.0);
        let all = std::mem::take(&mut kept.all);
        let (told, open): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it.call.is_none());
        kept.all = open;
        let dropped = std::mem::take(&mut kept.dropped);
        drop(kept);
        let mut told: Vec<McpHappened> = told.into_iter().map(|it| it.happened).collect();
        if dropped > 0 {
            told.push(McpHappened {
                what: McpWhat::Dropped,
                payload: Some(JsonText::from(&json!({ "count": dropped }))),
            });
        }
        told
    }
}

/// The payload, or its beginning as a text and its length.
fn bounded(payload: &Value) -> JsonText {
    let text = payload.to_string();
    if text.len() <= LONGEST {
        return JsonText::from(payload);
    }
    let end = text.floor_char_boundary(LONGEST);
    JsonText::from(&json!({ "cut": text[..end], "bytes": text.len() }))
}
