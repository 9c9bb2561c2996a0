//! Questions of a run that is written down. Each is a row of the store, which is where answers meet: those that others leave there,
//! and those that come to this process. Whatever it was told itself counts only when nobody was first there.

use std::sync::{Arc, PoisonError};

use gsw_engine::human::Reply;
use gsw_engine::operation::{Operation, OperationId, Outcome};
use gsw_journal::questions::{Answer, Claimed};
use gsw_journal::record::Payload;
use gsw_journal::schema::Missing;
use gsw_journal::store::{Error, Store};

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

    /// Begins an operation, unless it is a question that was answered before: early, or in an earlier life.
    pub(super) fn begin_unanswered(self: &Arc<Self>, operation: Operation) {
        let id = operation.id;
        if operation.request.question().is_some()
            && let Some(store) = self.written_in()
        {
            match store.answers(&self.run) {
                // With those to other questions that were given before it.
                Ok(answers) if answers.iter().any(|(it, _)| *it == id.0) => {
                    return Arc::clone(self).answered(&answers);
                }
                Ok(_) => {}
                Err(error) => return self.post(Message::Unwritten(error.to_string())),
            }
        }
        self.begin_operation(operation);
    }

    /// Says to the store what has become of a question before the run hears of it, and takes what the store says instead.
    pub(super) fn settle_with_store(
        self: &Arc<Self>,
        id: OperationId,
        outcome: &mut Outcome,
        now: i64,
    ) -> Result<(), Unnoted> {
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
            return match answered.as_slice() {
                [] => Ok(()),
                [..] => Err(Unnoted::Later),
            };
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
                        .sealed_answer(answer, Missing::Refused)
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
        let _alone = self
            .answering
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for (operation, answer) in answers {
            self.take_answer(OperationId(*operation), answer);
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
        let now = self.driver.clock.now();
        self.post(Message::Completed {
            id: operation,
            outcome,
            now,
        });
    }
}
