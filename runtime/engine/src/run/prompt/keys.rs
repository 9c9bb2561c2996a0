//! The keys of answers that prompt calls look up and hold: what waits for what, as far as the run knows.

use std::time::Duration;

use crate::answers::{Found, LookUp, NewAnswer, Tier, WhenBusy};
use crate::codec::places;
use crate::event::EventKind;
use crate::node::NodeId;
use crate::operation::Request;
use crate::port::Notice;
use crate::run::Run;
use crate::run::prompt::PromptRun;

/// A prompt ends; if it has kept no answer, the prompts that wait for one look for themselves.
pub(super) fn release(run: &mut Run, node: NodeId) {
    if let Some(key) = run.models.release_key(node) {
        run.progress.notify(Notice::LetGo { key });
    }
}

/// The run's time, as entries of the cache expire by it.
pub(super) fn time(run: &Run) -> Duration {
    Duration::from_nanos(run.progress.now().max(0).unsigned_abs())
}

impl PromptRun {
    /// The request for what is kept under a key. Waiting for another call is an event.
    pub(super) fn look_up(
        &mut self,
        run: &mut Run,
        key: String,
        when_busy: WhenBusy,
        tier: Tier,
    ) -> Request {
        if when_busy == WhenBusy::Wait {
            let key = key.clone();
            run.progress.emit(self.node, EventKind::CacheWait { key });
        }
        self.key = Some(key.clone());
        let tier = self.tier(run, tier);
        let what = Box::new(LookUp {
            key,
            at: time(run),
            tier,
            // A tool of a prompt may ask the same prompt: waiting for a key that a call around holds would wait for itself.
            around: run.models.keys_around(run.progress.tree(), self.outer),
        });
        Request::LookUp { what, when_busy }
    }

    /// The request to keep an answer.
    pub(super) fn keep(&self, run: &Run, answer: NewAnswer) -> Request {
        let tier = match self.tier(run, answer.tier) {
            // A model may repeat what is hidden in what it was asked.
            Tier::Disk if self.observed.text(answer.text.clone()) == answer.text => Tier::Disk,
            Tier::Disk | Tier::Memory => Tier::Memory,
        };
        let answer = Box::new(answer.kept(tier, time(run)));
        Request::Keep { answer }
    }

    /// How far an answer may be kept. One of which parts are hidden stays in memory.
    fn tier(&self, run: &Run, wanted: Tier) -> Tier {
        match wanted {
            Tier::Disk if !places::hides(&run.loaded.program.types, self.answer) => Tier::Disk,
            Tier::Disk | Tier::Memory => Tier::Memory,
        }
    }

    /// A prompt that finds nothing asks, and others with its key wait for it.
    pub(super) fn note_found(&self, run: &mut Run, found: &Found) {
        match (found, &self.key) {
            (Found::Miss, Some(key)) => {
                run.models.hold_key(self.node, key.clone());
            }
            (Found::Miss, None) | (Found::Hit(_) | Found::Busy, _) => {}
        }
    }
}
