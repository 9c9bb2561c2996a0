//! Answers of models that arrive while their run uses them: what has come is kept here until the run asks for it.
//!
//! What arrives of an answer reaches the run as outcomes of `Request::Piece` and in no other way, each with all that has come since
//! the one before it. A run that is slow, or a model that is fast, gets few large pieces; never more than one each
//! [`INTERVAL`], which bounds what is written down and shown of a stream.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gsw_engine::operation::{
    Arrived, Delivery, Failure, Operation, OperationId, Outcome, Piece, Request,
};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::call::{Call, Part, PartSink};
use crate::carrier::Carrier;
use crate::network::spawn;
use crate::perform::Handle;
use crate::reactor::NETWORK;
use crate::work::Completion;

/// The least time between two pieces of an answer. A guess: what people read does not look smoother with more.
const INTERVAL: Duration = Duration::from_millis(40);

/// An answer on its way.
#[derive(Debug, Default)]
pub(super) struct Arriving {
    state: Mutex<State>,
    more: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// What the run has not been given yet.
    arrived: Arrived,
    /// How many bytes it has been given, in this life.
    given: u64,
    /// When it was given the last of them.
    last: Option<Instant>,
}

impl Arriving {
    /// Takes what arrives.
    fn sink(self: &Arc<Self>) -> PartSink {
        let arriving = Arc::clone(self);
        PartSink::new(move |part| match part {
            Part::Text(more) => {
                arriving.state().arrived.text.push_str(&more);
                arriving.more.notify_one();
            }
            Part::Call(part) => {
                arriving.state().arrived.add(part);
                arriving.more.notify_one();
            }
            // The request has failed, and its outcome is what follows.
            Part::Restart => arriving.state().arrived = Arrived::default(),
        })
    }

    /// All that has come since the run was given something; `taken` is what it has of the answer.
    async fn next(&self, taken: u64) -> Piece {
        loop {
            // Before it is looked: what arrives in between is then noticed.
            let more = self.more.notified();
            let (is_empty, last) = {
                let state = self.state();
                (state.arrived.is_empty(), state.last)
            };
            if is_empty {
                more.await;
                continue;
            }
            if let Some(last) = last {
                sleep_until(last + INTERVAL).await;
            }
            let mut state = self.state();
            let arrived = std::mem::take(&mut state.arrived);
            if arrived.is_empty() {
                continue;
            }
            // What the run has came in an earlier life of it, from a request that this one has taken the place of.
            let is_anew = state.given != taken;
            state.given += arrived.bytes();
            state.last = Some(Instant::now());
            return match is_anew {
                true => Piece::Anew(arrived),
                false => Piece::More(arrived),
            };
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the run uses the answer to an operation while it arrives.
pub(super) fn comes_in_pieces(operation: &Operation) -> bool {
    matches!(
        operation.request,
        Request::Model {
            delivery: Delivery::Pieces,
            ..
        }
    )
}

impl Carrier {
    /// The caller of an operation, and where its partial results go before the outcome.
    pub(super) fn call_of(&self, operation: &Operation) -> Call {
        let mut call = Call::of(&self.run, operation);
        call.begun = self.driver.clock.now();
        if let Some(arriving) = self.outside().arriving.get(&operation.id) {
            call.parts = arriving.sink();
        }
        call
    }

    /// Waits for what arrives of the answer to a request of this run.
    pub(super) fn wait_for_piece(
        &self,
        of: OperationId,
        taken: u64,
        completion: Completion,
    ) -> Handle {
        let arriving = self.outside().arriving.get(&of).map(Arc::clone);
        match arriving {
            Some(arriving) => spawn(&NETWORK, completion, async move {
                Outcome::Piece(arriving.next(taken).await)
            }),
            // The whole answer is about to reach the run.
            None => {
                completion.deliver(no_piece());
                Handle::None
            }
        }
    }
}

/// Nothing comes of an answer before it is whole.
pub(crate) fn no_piece() -> Outcome {
    Outcome::Failed(Failure::Other {
        message: "nothing arrives of this answer before it is whole".into(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gsw_engine::operation::{Arrived, CallPart, Piece};

    use super::Arriving;
    use crate::call::Part;

    fn text(text: &str) -> Arrived {
        Arrived {
            text: text.into(),
            ..Arrived::default()
        }
    }

    fn part(call: u32, text: &str) -> CallPart {
        CallPart {
            call,
            tool: "look_up".into(),
            text: text.into(),
        }
    }

    #[tokio::test]
    async fn a_piece_is_all_that_has_come_since_the_one_before() {
        let arriving = Arc::<Arriving>::default();
        let sink = arriving.sink();
        let waits = tokio::spawn({
            let arriving = Arc::clone(&arriving);
            async move { arriving.next(0).await }
        });
        tokio::task::yield_now().await;
        sink.send(Part::Text("Hel".into()));
        assert_eq!(waits.await.ok(), Some(Piece::More(text("Hel"))));
        for text in ["lo", " ", "wörld"] {
            sink.send(Part::Text(text.into()));
        }
        assert_eq!(arriving.next(3).await, Piece::More(text("lo wörld")));
    }

    #[tokio::test]
    async fn a_run_that_has_more_than_it_was_given_begins_anew() {
        let arriving = Arc::<Arriving>::default();
        arriving.sink().send(Part::Text("Hi".into()));
        assert_eq!(arriving.next(120).await, Piece::Anew(text("Hi")));
        arriving.sink().send(Part::Text("!".into()));
        assert_eq!(arriving.next(2).await, Piece::More(text("!")));
    }

    #[tokio::test]
    async fn the_parts_of_calls_are_told_apart_and_those_of_a_failed_request_forgotten() {
        let arriving = Arc::<Arriving>::default();
        let sink = arriving.sink();
        sink.send(Part::Text("No".into()));
        sink.send(Part::Restart);
        for part in [part(0, "{\"wo"), part(1, ""), part(0, "rd\"")] {
            sink.send(Part::Call(part));
        }
        let calls = vec![part(0, "{\"word\""), part(1, "")];
        let first = Arrived {
            calls,
            ..Arrived::default()
        };
        assert_eq!(arriving.next(0).await, Piece::More(first));
        sink.send(Part::Call(part(1, "{}")));
        let second = Arrived {
            calls: vec![part(1, "{}")],
            ..Arrived::default()
        };
        assert_eq!(arriving.next(7).await, Piece::More(second));
    }
}
