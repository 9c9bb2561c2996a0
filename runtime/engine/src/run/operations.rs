//! What a run asks of the outside: each operation has an identity that is the same in every life of the run, and one outcome.

use rustc_hash::FxHashMap;

use crate::external::External;
use crate::human::Question;
use crate::node::{EffectSite, NodeId};
use crate::operation::{Form, GivenUp, Operation, OperationId, Outcome, Passing, Request};
use crate::scope::ScopeId;
use crate::task::{PlanId, TaskId};

/// The number of requested operations that begin while other tasks are still ready. A guess: large beside a switch of
/// threads, small beside thousands of prompts, which would otherwise all wait for the last of them.
const MANY: usize = 64;

/// The operations of a run that have no outcome yet.
#[derive(Debug, Default)]
pub struct Operations {
    next: u64,
    waiting: FxHashMap<OperationId, Outstanding>,
    requested: Vec<Operation>,
    abandoned: Vec<Abandoned>,
    /// Timers that alone keep nothing alive: nothing waits for them.
    idle: usize,
    /// What has no answer yet, by the operation that asks.
    questions: FxHashMap<OperationId, Unanswered>,
    /// The runs of their own that are being started.
    detached: FxHashMap<OperationId, Detached>,
}

/// What is known of an operation until its outcome comes.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    purpose: Purpose,
    form: Form,
    given_up: GivenUp,
}

/// What waits for an answer.
#[derive(Debug)]
pub(crate) enum Unanswered {
    Person(Box<Question>),
    Outside(Box<External>),
}

/// A run of its own that is being started.
#[derive(Debug)]
pub(crate) struct Detached {
    pub node: NodeId,
    pub workflow: std::sync::Arc<str>,
}

/// An operation whose outcome is ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Abandoned {
    pub id: OperationId,
    /// Whether the run waits until it has ended: then its outcome is brought all the same.
    pub how: GivenUp,
}

/// What an outcome is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// The wait of a task.
    Task(TaskId),
    /// The clock of a scope.
    Scope(ScopeId),
    /// The wait of a task for something that it has given up.
    Grace(TaskId),
    /// The answer of a stream, which this task runs the prompt of.
    Stream(TaskId),
    /// A program that a model has written.
    Plan(PlanId),
    /// The run as a whole: the time that a cancelled run has.
    Run,
}

impl Purpose {
    /// Which time a sleep for it is about.
    const fn passing(self) -> Passing {
        match self {
            Self::Scope(_) | Self::Grace(_) | Self::Run => Passing::Carried,
            Self::Task(_) | Self::Stream(_) | Self::Plan(_) => Passing::Always,
        }
    }
}

/// An outcome that the request cannot have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongOutcome {
    pub asked: Form,
    pub came: Form,
}

impl std::fmt::Display for WrongOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "an operation that gives {:?} has ended with {:?}",
            self.asked, self.came
        )
    }
}

impl Operations {
    /// Whether an outcome from outside can still resume the run.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        // The grace of a cancelled run waits for nothing: alone it must not keep a deadlock from being found.
        self.waiting.len() > self.idle
    }

    /// Whether so many operations are requested that the driver should begin them.
    #[must_use]
    pub fn are_many(&self) -> bool {
        self.requested.len() >= MANY
    }

    /// What was requested and abandoned since this was last asked. What is both is left out.
    pub fn take_requested(&mut self) -> (Vec<Operation>, Vec<Abandoned>) {
        let mut requested = std::mem::take(&mut self.requested);
        let mut abandoned = std::mem::take(&mut self.abandoned);
        if let Some(first) = requested.first().map(|it| it.id) {
            // Requested and abandoned within one turn: the driver never sees it. Numbers rise, so whatever is below the first
            // of this turn was handed out before.
            requested.retain(|it| self.waiting.contains_key(&it.id));
            abandoned.retain(|it| it.id < first || it.how == GivenUp::AwaitedFirst);
        }
        (requested, abandoned)
    }

    /// The operation that is requested next.
    pub(crate) fn next_id(&self) -> OperationId {
        OperationId(self.next)
    }

    /// The scope whose clock it is.
    pub(crate) fn clock_of(&self, id: OperationId) -> Option<ScopeId> {
        match self.waiting.get(&id)?.purpose {
            Purpose::Scope(scope) => Some(scope),
            Purpose::Task(_)
            | Purpose::Grace(_)
            | Purpose::Stream(_)
            | Purpose::Plan(_)
            | Purpose::Run => None,
        }
    }

    /// Whether it was requested in this turn, so that the driver does not know of it.
    pub(crate) fn is_held(&self, id: OperationId) -> bool {
        self.requested.iter().any(|it| it.id == id)
    }

    /// What happens to an operation that is given up.
    pub(crate) fn given_up(&self, id: OperationId) -> GivenUp {
        self.waiting
            .get(&id)
            .map_or(GivenUp::Dropped, |it| it.given_up)
    }

    /// Drops an operation whose outcome is not needed any more.
    pub fn abandon(&mut self, id: OperationId) {
        match self.waiting.remove(&id).map(|it| it.purpose) {
            Some(Purpose::Run) => self.idle -= 1,
            Some(
                Purpose::Task(_)
                | Purpose::Scope(_)
                | Purpose::Grace(_)
                | Purpose::Stream(_)
                | Purpose::Plan(_),
            ) => {}
            None => return,
        }
        // An answer that comes later has nothing to be read against.
        self.questions.remove(&id);
        self.detached.remove(&id);
        self.abandoned.push(Abandoned {
            id,
            how: GivenUp::Dropped,
        });
    }

    /// Asks for an operation to be stopped; its outcome is waited for all the same.
    pub(crate) fn stop(&mut self, id: OperationId) {
        self.abandoned.push(Abandoned {
            id,
            how: GivenUp::AwaitedFirst,
        });
    }

    /// Asks for something; the request leaves with the end of the turn.
    pub(crate) fn request(&mut self, asked: Asked, request: Request) -> OperationId {
        let Asked {
            purpose,
            node,
            effect: EffectSite { site, at_most },
            due,
        } = asked;
        let id = OperationId(self.next);
        self.next += 1;
        self.idle += usize::from(purpose == Purpose::Run);
        let outstanding = Outstanding {
            purpose,
            form: request.form(),
            given_up: request.given_up(),
        };
        self.waiting.insert(id, outstanding);
        self.requested.push(Operation {
            id,
            node,
            site,
            class: request.class().min(at_most),
            due,
            within: None,
            passing: purpose.passing(),
            request,
        });
        id
    }

    /// A program that a model has written asks for something, under a number that is the next here as well.
    pub(crate) fn adopt(&mut self, operation: Operation, plan: PlanId) {
        let outstanding = Outstanding {
            purpose: Purpose::Plan(plan),
            form: operation.request.form(),
            given_up: operation.request.given_up(),
        };
        self.waiting.insert(operation.id, outstanding);
        self.requested.push(operation);
    }

    /// Makes two runs number their operations together.
    pub(crate) fn count_with(&mut self, other: &mut Self) {
        let next = self.next.max(other.next);
        (self.next, other.next) = (next, next);
    }

    /// Takes an outcome. Returns what it is for; `None` when the operation was abandoned.
    ///
    /// # Errors
    /// When the request cannot have such an outcome; the operation stays outstanding.
    pub(crate) fn accept(
        &mut self,
        id: OperationId,
        outcome: &Outcome,
    ) -> Result<Option<Purpose>, WrongOutcome> {
        // An outcome that crossed its abandonment on the way is no error, since driver and run are not synchronised.
        let Some(&Outstanding { purpose, form, .. }) = self.waiting.get(&id) else {
            return Ok(None);
        };
        if let Some(came) = outcome.form().filter(|it| *it != form) {
            // Checked in one place, so what waits for an outcome never has to doubt its kind.
            return Err(WrongOutcome { asked: form, came });
        }
        self.waiting.remove(&id);
        self.idle -= usize::from(purpose == Purpose::Run);
        Ok(Some(purpose))
    }

    pub(crate) fn ask(&mut self, id: OperationId, question: Unanswered) {
        self.questions.insert(id, question);
    }

    /// The question that an operation asks is answered, or given up.
    pub(crate) fn take_question(&mut self, id: OperationId) -> Option<Unanswered> {
        self.questions.remove(&id)
    }

    /// An operation starts a run of its own.
    pub(crate) fn detach(&mut self, id: OperationId, detached: Detached) {
        self.detached.insert(id, detached);
    }

    /// The run that an operation was to start has been started, or cannot be.
    pub(crate) fn take_detached(&mut self, id: OperationId) -> Option<Detached> {
        self.detached.remove(&id)
    }
}

/// The task that asks for something, where and until when.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub purpose: Purpose,
    pub node: NodeId,
    pub effect: EffectSite,
    /// In nanoseconds since 1970.
    pub due: Option<i64>,
}
