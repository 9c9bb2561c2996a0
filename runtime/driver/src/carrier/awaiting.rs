//! Runs that wait for other runs alone, among which a cycle may be.

use std::sync::Arc;

use gsw_engine::operation::{AskOfRun, Failure, OperationId, Outcome, Request};

use super::Carrier;
use crate::durable::awaited;

/// The end of another run that a run waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Awaited {
    pub operation: OperationId,
    pub run: Arc<str>,
}

impl Awaited {
    /// The run whose end a request waits for.
    pub(super) fn by(request: &Request) -> Option<Arc<str>> {
        if let Request::OtherRun {
            run,
            ask: AskOfRun::Result,
        } = request
        {
            return Some(run.as_str().into());
        }
        None
    }
}

impl Carrier {
    /// The ends that a run waits for which can do nothing else meanwhile, in the order in which it began to; none where it is busy, or
    /// where anything else may let it go on.
    pub(crate) fn awaits(&self) -> Vec<Awaited> {
        let state = self.state();
        if state.is_scheduled || state.run.is_none() || !state.inbox.is_empty() {
            return Vec::new();
        }
        // Until then, so that no turn begins in between.
        let outside = self.outside();
        drop(state);
        if !outside.alarms.is_empty() || !outside.held.is_empty() {
            return Vec::new();
        }
        let begun = outside.begun.iter();
        let awaited = begun.map(|(id, it)| {
            it.awaits.clone().map(|run| Awaited {
                operation: *id,
                run,
            })
        });
        let mut awaited: Vec<Awaited> = awaited.collect::<Option<_>>().unwrap_or_default();
        awaited.sort_by_key(|it| it.operation);
        awaited
    }

    /// Whether it does nothing but wait for the ends of other runs, for some time perhaps, or for people besides.
    pub(crate) fn stands_by(&self) -> bool {
        let state = self.state();
        if state.is_scheduled || state.run.is_none() || !state.inbox.is_empty() {
            return false;
        }
        // Until then, so that no turn begins in between.
        let outside = self.outside();
        drop(state);
        let mut begun = outside.begun.values();
        let awaits = outside.begun.values().any(|it| it.awaits.is_some());
        awaits
            && outside.held.is_empty()
            && begun.all(|it| it.awaits.is_some() || it.question.is_some())
    }

    /// Nothing is left to do for the run. What waits for other runs alone may close a cycle of them.
    pub(super) fn is_idle(self: &Arc<Self>) {
        let awaited = self.awaits();
        if awaited.is_empty() {
            return;
        }
        if let Some(remembered) = &mut *self.remembered() {
            remembered.awaits(awaited::written(awaited.iter().map(|it| &*it.run)));
        }
        self.driver.performers.awaits_runs(&self.run);
    }

    /// A wait is given up that would never end.
    pub(crate) fn refuse_to_wait(self: &Arc<Self>, operation: OperationId, message: String) {
        self.complete(operation, Outcome::Failed(Failure::Other { message }));
    }
}
