//! Questions of a run that is written down. Each is a row of the store, which is where answers meet: those that others leave there,
//! and those that come to this process. Whatever it was told itself counts only when nobody was first there.

use std::sync::{Arc, MutexGuard, PoisonError};

use gsw_engine::human::Reply;
use gsw_engine::operation::{Operation, OperationId, Outcome};
use gsw_journal::questions::{Answer, Claimed};
use gsw_journal::record::Payload;
use gsw_journal::schema::Missing;
use gsw_journal::store::{Error, Store};
use rustc_hash::FxHashSet;

use crate::carrier::Carrier;
use crate::carrier::lasting::Unnoted;
use crate::carrier::message::Message;
use crate::durable::inbox::Recipient;
use crate::durable::secrecy::Secrecy;
use crate::threads::Threads;

/// Who has answered, where this process was told.
const HERE: &str = "the process that carries the run";

impl Carrier {
    /// From now on, what others leave in the store for the run is brought to it.
    pub(super) fn watch(self: &Arc<Self>) {
        if std::mem::replace(&mut self.outside().is_watched, true) {
            return;
        }
        match self.driver.threads {
            Threads::Engine(_) => {}
            // Whoever simulates brings what comes.
            Threads::Taken(_) => return,
        }
        let remembered = self.remembered();
        let Some(at) = remembered.as_ref().map(|it| Arc::clone(it.store())) else {
            return;
        };
        drop(remembered);
        if let Ok(store) = at.existing() {
            let weak = Arc::downgrade(self);
            at.inbox().register(&store, weak);
        }
    }

    /// Tells a run that was brought back to end, if somebody has wished that meanwhile. Says whether it is to.
    pub(super) fn heed_wish(self: &Arc<Self>) -> bool {
        let store = self.written_in();
        let wish = store.and_then(|it| it.cancellation(&self.run).ok()?);
        if let Some(wish) = wish {
            Arc::clone(self).cancelled(&wish.reason);
        }
        self.front.is_asked_to_cancel()
    }

    /// The store, of a run that is written down.
    fn written_in(&self) -> Option<Arc<Store>> {
        let remembered = self.remembered();
        let at = remembered.as_ref().filter(|it| it.is_open())?.store();
        at.existing().ok()
    }

    /// Begins operations, except questions that were answered before: early, or in an earlier life.
    pub(super) fn begin_unanswered(self: &Arc<Self>, operations: Vec<Operation>) {
        let mut outside = self.outside();
        for operation in &operations {
            outside.unbegun.asking.remove(&operation.id);
        }
        drop(outside);
        let mut questions = operations
            .iter()
            .filter(|it| it.request.question().is_some());
        let answers = match self.written_in().filter(|_| questions.next().is_some()) {
            Some(store) => match store.answers(&self.run) {
                Ok(answers) => answers,
                Err(error) => return self.post(Message::Unwritten(error.to_string())),
            },
            None => Vec::new(),
        };
        let answered: FxHashSet<u64> = answers.iter().map(|(operation, _)| *operation).collect();
        // With those to other questions that were given before.
        if operations.iter().any(|it| answered.contains(&it.id.0)) {
            Arc::clone(self).answered(&answers);
        }
        for operation in operations {
            if !answered.contains(&operation.id.0) {
                self.begin_operation(operation);
            }
        }
    }

    /// What ended before a sleep does goes before it: answers, which the inbox may not have brought yet. Sleeps that ended before
    /// an answer are posted with that.
    pub(super) fn let_earlier_first(
        self: &Arc<Self>,
        message: &mut Message,
    ) -> Result<(), Unnoted> {
        let Message::Completed { id, .. } = *message else {
            return Ok(());
        };
        let _alone = self.answering();
        let mut outside = self.outside();
        if let Some(place) = outside.taken.iter().position(|it| it.0 == id) {
            outside.taken.remove(place);
        }
        let Some(end) = outside.ends.get(&id).copied() else {
            return Ok(());
        };
        drop(outside);
        self.take_answers_before(end);
        let mut state = self.state();
        let mut outside = self.outside();
        let earlier = outside.taken.iter().filter(|it| it.1 < end);
        let first = earlier.min_by_key(|it| it.1).map(|it| it.0);
        let is_first =
            |it: &Message| matches!(it, Message::Completed { id, .. } if Some(*id) == first);
        let Some(place) = state.inbox.iter().position(is_first) else {
            outside.ends.remove(&id);
            return Ok(());
        };
        let earlier = state.inbox.remove(place);
        let later = std::mem::replace(message, Message::Turn);
        state.inbox.push_front(later);
        if let Some(earlier) = earlier {
            state.inbox.push_front(earlier);
        }
        Err(Unnoted::PutBack)
    }

    /// Takes the answers of the store that were given before this time.
    fn take_answers_before(self: &Arc<Self>, end: i64) {
        let asks = self
            .remembered()
            .as_ref()
            .is_some_and(|it| it.questions() > 0);
        let Some(store) = self.written_in().filter(|_| asks) else {
            return;
        };
        // What cannot be read now comes when the inbox has read it.
        for (operation, answer) in store.answers(&self.run).unwrap_or_default() {
            if answer.at < end {
                self.take_answer(OperationId(operation), &answer);
            }
        }
    }

    /// Held by whoever brings answers, so that they come in their order.
    fn answering(&self) -> MutexGuard<'_, ()> {
        self.answering
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Says to the store what has become of a question before the run hears of it, and takes what the store says instead.
    pub(super) fn settle_with_store(
        self: &Arc<Self>,
        message: &mut Message,
    ) -> Result<(), Unnoted> {
        let Message::Completed { id, outcome, now } = message else {
            return Ok(());
        };
        let (id, now) = (*id, *now);
        let (asks, late) = match &*self.remembered() {
            Some(it) if it.is_open() => (it.asks(id).cloned(), it.late(now)),
            Some(_) | None => return Ok(()),
        };
        let unwritten = |error: gsw_journal::store::Error| Unnoted::Unwritten(error.to_string());
        let Some(store) = self.written_in() else {
            return Ok(());
        };
        let Some(asks) = asks else {
            if late.is_empty() || !self.outside().put_back.insert(id) {
                return Ok(());
            }
            // It may be the end of their time, and then what came before goes first.
            let answered = store.expire(&self.run, &late, now).map_err(unwritten)?;
            Arc::clone(self).answered(&answered);
            if answered.is_empty() {
                return Ok(());
            }
            let later = std::mem::replace(message, Message::Turn);
            self.post(later);
            return Err(Unnoted::PutBack);
        };
        let is_sealed = self
            .remembered()
            .as_ref()
            .is_some_and(|it| it.secrecy() == Secrecy::Sealed);
        let own = if let Outcome::Human(reply) = &*outcome {
            let answer = reply.answer.as_bytes();
            Some(Answer {
                value: match is_sealed {
                    true => store
                        .sealed_answer(answer, Missing::Made)
                        .map_err(unwritten)?,
                    false => answer.to_vec(),
                },
                by: HERE.to_owned(),
                at: now,
            })
        } else {
            None
        };
        match store.claim(&self.run, id.0, own).map_err(unwritten)? {
            Claimed::Own => Ok(()),
            Claimed::First(first) => {
                *outcome = brought(&store, asks.digest, &first).map_err(unwritten)?;
                Ok(())
            }
            Claimed::Over => Err(Unnoted::Unwanted),
        }
    }
}

/// An answer as an outcome; one that is no text is refused by the run.
fn brought(store: &Store, digest: String, answer: &Answer) -> Result<Outcome, Error> {
    let value = store.bytes("", Payload::Inline(answer.value.clone()))?;
    let answer = String::from_utf8_lossy(&value).into_owned();
    Ok(Outcome::Human(Box::new(Reply { digest, answer })))
}

impl Recipient for Carrier {
    fn run(&self) -> &str {
        &self.run
    }

    fn is_gone(&self) -> bool {
        self.state().on_end.is_none()
    }

    fn answered(self: Arc<Self>, answers: &[(u64, Answer)]) {
        // Whoever else brings some of them, they come in their order.
        let _alone = self.answering();
        for (operation, answer) in answers {
            let id = OperationId(*operation);
            // One that was given early is taken with those of the questions beside it, of which some may not be on the disk.
            let is_asked = !self.outside().unbegun.asking.contains(&id);
            if is_asked {
                self.take_answer(id, answer);
            }
        }
    }

    fn cancelled(self: Arc<Self>, reason: &str) {
        if !std::mem::replace(&mut self.outside().is_told_to_end, true) {
            self.cancel(reason);
        }
    }
}

impl Carrier {
    fn take_answer(self: &Arc<Self>, operation: OperationId, answer: &Answer) {
        let digest = match &*self.remembered() {
            Some(it) => it.asks(operation).map(|it| it.digest.clone()),
            None => None,
        };
        let (Some(digest), Some(store)) = (digest, self.written_in()) else {
            return;
        };
        let outcome = match brought(&store, digest, answer) {
            Ok(outcome) => outcome,
            Err(error) => return self.post(Message::Unwritten(error.to_string())),
        };
        // The entry is the right to answer, as for whoever answers here.
        let Some(begun) = self.outside().begun.remove(&operation) else {
            return;
        };
        begun.handle.end();
        self.end_sleeps_until(answer.at);
        self.outside().taken.push_back((operation, answer.at));
        let now = self.driver.clock.now();
        self.post(Message::Completed {
            id: operation,
            outcome,
            now,
        });
    }
}
