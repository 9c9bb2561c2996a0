//! Clients that want to hear when what is at an address may be another thing.
//!
//! What a workflow reads may change at any time, and nobody knows when. What is known is that a run which does not only read may
//! have changed something: whoever watches an address is told of it at the end of each.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use gsw_abi::program::{Acts, Workflow};
use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::mcp::offered::lock;

/// The most addresses that a client watches.
const MOST: usize = 1_000;

/// How many runs have ended after which something may be another thing. Many at once are heard of as one.
pub(super) struct Changes(watch::Sender<u64>);

impl Default for Changes {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl Changes {
    /// A run of a workflow has ended.
    pub fn ended(&self, workflow: &Workflow) {
        if workflow.acts != Acts::Reads {
            self.0.send_modify(|it| *it = it.wrapping_add(1));
        }
    }

    /// Notifies a client of the newer protocol until it stops listening.
    pub async fn tell(&self, listener: SubscriptionContext) {
        let uris = listener.accepted().resource_subscriptions.clone();
        let uris = uris.unwrap_or_default();
        let mut changes = self.0.subscribe();
        loop {
            tokio::select! {
                () = listener.cancelled() => return,
                changed = changes.changed() => if changed.is_err() { return },
            }
            for uri in &uris {
                if listener
                    .sink()
                    .notify_resource_updated(uri.as_str())
                    .await
                    .is_err()
                {
                    return;
                }
            }
        }
    }
}

/// What one client of the older age watches.
#[derive(Default)]
pub(super) struct Watched {
    uris: Arc<Mutex<BTreeSet<String>>>,
    telling: Mutex<Option<Telling>>,
}

/// The notifying task, which ends with this.
struct Telling(AbortHandle);

impl Drop for Telling {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Watched {
    pub fn add(
        &self,
        uri: String,
        peer: &Peer<RoleServer>,
        changes: &Changes,
    ) -> Result<(), ErrorData> {
        let mut uris = lock(&self.uris);
        if uris.len() >= MOST && !uris.contains(&uri) {
            let why = format!("a client watches {MOST} addresses at most");
            return Err(ErrorData::invalid_request(why, None));
        }
        uris.insert(uri);
        drop(uris);
        lock(&self.telling).get_or_insert_with(|| {
            let told = tell(peer.clone(), changes.0.subscribe(), Arc::clone(&self.uris));
            Telling(tokio::spawn(told).abort_handle())
        });
        Ok(())
    }

    pub fn remove(&self, uri: &str) {
        lock(&self.uris).remove(uri);
    }
}

async fn tell(
    peer: Peer<RoleServer>,
    mut changes: watch::Receiver<u64>,
    uris: Arc<Mutex<BTreeSet<String>>>,
) {
    while changes.changed().await.is_ok() {
        let all: Vec<String> = lock(&uris).iter().cloned().collect();
        for uri in all {
            let updated = ResourceUpdatedNotificationParam::new(uri);
            if peer.notify_resource_updated(updated).await.is_err() {
                return;
            }
        }
    }
}

/// The addresses that a client may watch of those that it wants to.
pub(super) fn accepted(wanted: &[String], is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let there = wanted.iter().filter(|it| is_there(it)).cloned();
    there.take(MOST).collect()
}
