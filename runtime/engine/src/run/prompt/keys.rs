//! The keys of answers that prompt calls look up and hold: what waits for what, as far as the run knows.

use std::time::Duration;

use crate::answers::WhenBusy;
use crate::answers::{Found, LookUp};
use crate::event::EventKind;
use crate::node::NodeId;
use crate::operation::Request;
use crate::port::Notice;
use crate::run::Run;
use crate::run::prompt::PromptRun;

impl Run {
    /// The request for what is kept under a key. Waiting for another call is an event.
    pub(super) fn look_up(
        &mut self,
        prompt: &mut PromptRun,
        key: String,
        when_busy: WhenBusy,
    ) -> Request {
        if when_busy == WhenBusy::Wait {
            let key = key.clone();
            self.tell(prompt.node, EventKind::CacheWait { key });
        }
        prompt.key = Some(key.clone());
        let what = Box::new(LookUp {
            key,
            at: self.time(),
            around: self.keys_around(prompt.outer),
        });
        Request::LookUp { what, when_busy }
    }

    /// Who finds nothing asks, and others with its key wait for it.
    pub(super) fn note_found(&mut self, prompt: &PromptRun, found: &Found) {
        match (found, &prompt.key) {
            (Found::Miss, Some(key)) => {
                self.cache_keys.insert(prompt.node, key.clone());
            }
            (Found::Miss, None) | (Found::Hit(_) | Found::Busy, _) => {}
        }
    }

    /// A prompt ends; if it has kept no answer, those who wait for one look for themselves.
    pub(crate) fn let_go_of_key(&mut self, node: NodeId) {
        if let Some(key) = self.cache_keys.remove(&node) {
            self.outbox.push(Notice::LetGo { key });
        }
    }

    /// The run's time, as entries of the cache expire by it.
    pub(super) fn time(&self) -> Duration {
        Duration::from_nanos(self.now.max(0).unsigned_abs())
    }

    /// The keys of the calls that a node lies in, from the inside out.
    fn keys_around(&self, node: NodeId) -> Vec<String> {
        if self.cache_keys.is_empty() {
            return Vec::new();
        }
        let around = self.tree.lineage(node);
        around
            .filter_map(|it| self.cache_keys.get(&it).cloned())
            .collect()
    }
}
