//! A run that is not in the store yet: its beginning, its outcomes so far, and what it waits for.

use gsw_engine::operation::{Operation, OperationId, Outcome};
use gsw_engine::run::{Interruption, Start};
use gsw_journal::store::{Error, NewRun, Store};
use gsw_journal::writer::Journal;
use rustc_hash::FxHashMap;

use crate::durable::asked::{Asked, Needs};
use crate::durable::became::{Noting, Only};
use crate::durable::beginning::{self, Entered};
use crate::durable::secrecy::{Secrecy, sealed_all};
use crate::durable::store::RunStore;
use crate::durable::trail::{Trail, Waiting};

/// How many bytes of a run that needs no file are kept in memory; beyond that it gets one. A guess.
const FULL: usize = 16 << 20;

pub(super) struct Backlog {
    start: Start,
    entered: Entered,
    image: [u8; 32],
    trail: Trail,
    outstanding: FxHashMap<OperationId, Waiting>,
    /// How many of them need a process.
    busy: usize,
}

impl Backlog {
    pub(super) fn new(start: Start, entered: Entered, image: [u8; 32]) -> Self {
        Self {
            start,
            entered,
            image,
            trail: Trail::default(),
            outstanding: FxHashMap::default(),
            busy: 0,
        }
    }

    pub(super) fn ask(&mut self, operation: &Operation) {
        let waiting = Waiting::of(operation);
        self.busy += usize::from(waiting.needs() == Needs::Process);
        self.outstanding.insert(operation.id, waiting);
    }

    /// The run does not wait for it any more.
    pub(super) fn forget(&mut self, id: OperationId) -> Option<Waiting> {
        let waiting = self.outstanding.remove(&id)?;
        self.busy -= usize::from(waiting.needs() == Needs::Process);
        Some(waiting)
    }

    pub(super) fn note(&mut self, id: OperationId, outcome: &Outcome, now: i64) -> Noting {
        let Some(of) = self.forget(id) else {
            return Noting::Unwanted;
        };
        self.trail.outcome(id, of, outcome, now);
        Noting::Noted
    }

    pub(super) fn cancel(&mut self, now: i64, reason: String) {
        self.trail.cancel(now, reason);
    }

    pub(super) fn interrupt(&mut self, it: Interruption) {
        self.trail.interrupt(it);
    }

    /// Whether it waits for long times alone.
    pub(super) fn rests(&self) -> bool {
        self.busy == 0
    }

    /// Whether it is too much to be kept in memory.
    pub(super) fn is_full(&self) -> bool {
        self.trail.weight() > FULL
    }

    /// Writes the beginning of the run to the store.
    pub(super) fn begin(
        &mut self,
        store: &Store,
        at: &RunStore,
        secrecy: Secrecy,
        only: Only,
    ) -> Result<Journal, Error> {
        let Self {
            start,
            entered,
            image,
            ..
        } = self;
        let new = NewRun {
            id: &start.id,
            workflow: entered.workflow(),
            image: *image,
            program: at.program(),
            input: at.input_digest(entered.input()),
            begun: start.now,
        };
        let trail = std::mem::take(&mut self.trail);
        let all = beginning::records(start, entered, *image, 0)
            .into_iter()
            .chain(trail.records());
        let all: Vec<_> = match secrecy {
            Secrecy::Plain => all.collect(),
            Secrecy::Sealed => sealed_all(store, all)?,
        };
        match only {
            Only::OfItsId => store.begin(&new, all),
            Only::OfItsInput => store.begin_alone(&new, all),
        }
    }

    /// What it waits for, in order of request.
    pub(super) fn asked(&mut self) -> Vec<(OperationId, Asked)> {
        let outstanding = std::mem::take(&mut self.outstanding);
        let asked = outstanding.into_iter().map(|(id, it)| (id, it.asked(id)));
        let mut asked: Vec<_> = asked.collect();
        asked.sort_unstable_by_key(|(id, _)| *id);
        asked
    }
}
