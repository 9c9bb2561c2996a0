//! Operations that wait for the disk before they begin: for their own intent, or for all that led to them.
//!
//! What waits for what led to it is begun together, by one job for all that a commit has brought to the disk: a run with a thousand
//! iterations has hundreds of them, and each would wake two threads.

use std::collections::VecDeque;
use std::sync::Arc;

use gsw_engine::operation::{Failure, Operation, OperationId, Outcome};
use gsw_journal::writer;
use rustc_hash::FxHashSet;

use crate::carrier::{Carrier, Message};

/// What waits for records that are on their way to the disk, in order.
#[derive(Debug, Default)]
pub(super) struct Unbegun {
    /// Each with how many records of the run must be there.
    waiting: VecDeque<(u64, Operation)>,
    /// A flush is on its way whose end takes the next ones.
    is_flushing: bool,
    /// Questions that are asked when the run waits.
    pub(super) unasked: Vec<Operation>,
    /// Questions that are on their way to the disk, of which the first may be there before the last.
    pub(super) asking: FxHashSet<OperationId>,
}

impl Carrier {
    /// Begins an operation when it is on the disk that it begins.
    pub(super) fn begin_when_intended(self: &Arc<Self>, operation: Operation) {
        let asked = operation.clone();
        let carrier = Arc::clone(self);
        let then: writer::Then = Box::new(move |written| match written {
            Ok(()) => carrier.begin_aside(vec![operation]),
            Err(_) => carrier.was_written(written),
        });
        self.intend(&asked, then);
    }

    /// Asks what the run has come to ask by the time that it waits: of a turn with very many questions the first are there before
    /// the last.
    pub(super) fn ask(self: &Arc<Self>) {
        let mut outside = self.outside();
        let mut questions = std::mem::take(&mut outside.unbegun.unasked);
        questions.retain(|it| outside.begun.contains_key(&it.id));
        drop(outside);
        self.ask_when_intended(questions);
    }

    /// Asks questions when all of them are on the disk: answers that were given early are taken with the questions, and which of
    /// them comes first is known when all are.
    fn ask_when_intended(self: &Arc<Self>, questions: Vec<Operation>) {
        let mut asked = questions.clone().into_iter();
        let Some(last) = asked.next_back() else {
            return;
        };
        let ids = questions.iter().map(|it| it.id);
        self.outside().unbegun.asking.extend(ids);
        for question in asked {
            let carrier = Arc::clone(self);
            self.intend(&question, Box::new(move |it| carrier.was_written(it)));
        }
        let carrier = Arc::clone(self);
        let then: writer::Then = Box::new(move |written| match written {
            Ok(()) => carrier.begin_aside(questions),
            Err(_) => carrier.was_written(written),
        });
        self.intend(&last, then);
    }

    fn was_written(self: &Arc<Self>, written: Result<(), writer::Failure>) {
        if let Err(failure) = written {
            self.post(Message::Unwritten(failure.to_string()));
        }
    }

    fn intend(&self, operation: &Operation, then: writer::Then) {
        match &mut *self.remembered() {
            Some(remembered) => remembered.intend(operation, self.driver.clock.now(), then),
            None => then(Ok(())),
        }
    }

    /// Begins operations when all that led to them is on the disk: after a crash a run may go another way from where its records
    /// end. What may be repeated must be the same then, a file whose name was drawn by lot for example, nothing that was paid for
    /// may be lost, and an undo must have taken nothing back of what the run keeps.
    pub(super) fn begin_when_written(self: &Arc<Self>, operations: Vec<Operation>) {
        if operations.is_empty() {
            return;
        }
        let needed = match &*self.remembered() {
            Some(it) => Some(it.records()).filter(|needed| it.written() < *needed),
            None => None,
        };
        let Some(needed) = needed else {
            for operation in operations {
                self.begin_operation(operation);
            }
            return;
        };
        let mut outside = self.outside();
        let unbegun = &mut outside.unbegun;
        unbegun
            .waiting
            .extend(operations.into_iter().map(|it| (needed, it)));
        let is_flushing = std::mem::replace(&mut unbegun.is_flushing, true);
        drop(outside);
        if !is_flushing {
            self.flush_unbegun();
        }
    }

    fn flush_unbegun(self: &Arc<Self>) {
        let carrier = Arc::clone(self);
        let then: writer::Then = Box::new(move |written| carrier.flushed(written));
        match &*self.remembered() {
            Some(remembered) => remembered.flush_then(then),
            None => then(Ok(())),
        }
    }

    /// The thread that writes must not wait for whoever performs.
    fn flushed(self: Arc<Self>, written: Result<(), writer::Failure>) {
        if let Err(failure) = written {
            return self.post(Message::Unwritten(failure.to_string()));
        }
        let carrier = Arc::clone(&self);
        if let Err(error) = self.driver.threads.run(move || carrier.begin_flushed()) {
            let waiting = std::mem::take(&mut self.outside().unbegun).waiting;
            waiting
                .into_iter()
                .for_each(|it| self.cannot_begin(it.1.id, &error));
        }
    }

    /// Begins what waits for no record that is not on the disk, and has the others wait on.
    fn begin_flushed(self: &Arc<Self>) {
        let written = match &*self.remembered() {
            Some(remembered) => remembered.written(),
            // The run has ended, and nothing of it begins.
            None => u64::MAX,
        };
        let mut outside = self.outside();
        let unbegun = &mut outside.unbegun;
        let ready = unbegun.waiting.partition_point(|it| it.0 <= written);
        let ready: Vec<Operation> = unbegun.waiting.drain(..ready).map(|it| it.1).collect();
        unbegun.is_flushing = !unbegun.waiting.is_empty();
        let is_flushing = unbegun.is_flushing;
        drop(outside);
        if is_flushing {
            self.flush_unbegun();
        }
        self.begin_unanswered(ready);
    }

    fn begin_aside(self: Arc<Self>, operations: Vec<Operation>) {
        let ids: Vec<OperationId> = operations.iter().map(|it| it.id).collect();
        let carrier = Arc::clone(&self);
        let begin = move || carrier.begin_unanswered(operations);
        if let Err(error) = self.driver.threads.run(begin) {
            ids.into_iter().for_each(|it| self.cannot_begin(it, &error));
        }
    }

    fn cannot_begin(self: &Arc<Self>, id: OperationId, error: &std::io::Error) {
        let message = format!("no thread can be started to begin it: {error}");
        self.complete(id, Outcome::Failed(Failure::Other { message }));
    }
}
