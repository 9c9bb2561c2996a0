//! Requests to models: admitted by the budgets, held back, sent, tried again, and charged when they are answered.
//!
//! A provider tries again by itself, without the run. Under a budget that limits `calls` it may not: each attempt must be
//! admitted, so the run sends requests of a single attempt there and tries again itself, as often and after as long as the
//! provider would have.

use std::sync::Arc;
use std::time::Duration;

use gsw_tree::usage::Usage;

use crate::budget::{Admission, Charge};
use crate::event::{EventKind, JsonText};
use crate::model::{ModelAnswer, ModelFailure, ModelRequest};
use crate::node::Spent;
use crate::operation::Request;
use crate::run::Run;
use crate::run::budget::CallCost;
use crate::run::prompt::{PromptRun, Scripted};
use crate::scope::{ScopeId, Ticket};
use crate::task::TaskId;
use crate::wait::Wait;

/// A backoff doubles so often at most.
const MOST_DOUBLINGS: u32 = 4;

/// How a prompt stands to the budgets around it and to its provider.
#[derive(Debug, Default)]
pub(super) struct Asking {
    /// The request on its way and the most that it may cost, under a budget.
    reserved: Option<Reserved>,
    held_back: Option<HeldBack>,
    /// The attempts at the request, where the run makes them.
    attempts: Option<Attempts>,
    /// Bytes of the conversation that the run's memory is charged with.
    charged: usize,
    /// The answer to the request that is to be sent, where a test has written it.
    scripted: Option<Box<ModelAnswer>>,
}

#[derive(Debug)]
struct Reserved {
    model: String,
    worst: Charge,
}

/// A request that is to be sent once the budgets allow it.
#[derive(Debug)]
struct HeldBack {
    request: Box<ModelRequest>,
    worst: Charge,
    ticket: Option<Ticket>,
}

/// A request that the run tries again itself.
#[derive(Debug)]
struct Attempts {
    /// As it is sent each time, but for what is left of its time.
    request: Box<ModelRequest>,
    left: u32,
    /// Before the one on its way.
    made: u32,
    /// When it was first sent, in nanoseconds since 1970.
    began: i64,
    /// How the last one failed.
    failure: Option<ModelFailure>,
}

/// What became of a request.
pub(super) enum Asked {
    /// It is on its way or held back.
    Waits,
    Refused(String),
    /// A test's script of the model has no turn for it, or one that cannot be.
    Misscripted(String),
    /// The memory of the run does not hold the conversation.
    OutOfMemory,
    /// It was tried before and is not tried again; this is how that failed.
    Failed(ModelFailure),
}

/// What is known of the cost of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cost {
    /// Requests made, and the tokens of the last one; those before it have failed and cost none.
    Answered(u32, Option<Usage>),
    /// Requests made, none of them answered.
    Failed(u32),
    /// Nothing: it was given up.
    Unknown,
}

impl Cost {
    pub(super) fn of(answer: &Result<ModelAnswer, ModelFailure>) -> Self {
        match answer {
            Ok(answer) => Self::Answered(answer.attempts, answer.usage),
            Err(failure) => Self::Failed(failure.attempts),
        }
    }
}

impl PromptRun {
    /// The most that the call may cost that is held back with this ticket.
    pub(crate) fn worst_held(&self, ticket: Ticket) -> Option<&Charge> {
        let held = self.asking.held_back.as_ref()?;
        (held.ticket == Some(ticket)).then_some(&held.worst)
    }
}

impl PromptRun {
    /// The outcome of all attempts, where the run made those before.
    pub(super) fn of_all_attempts(
        &mut self,
        mut answer: Result<ModelAnswer, ModelFailure>,
    ) -> Result<ModelAnswer, ModelFailure> {
        if let Some(attempts) = self.asking.attempts.take() {
            match &mut answer {
                Ok(answer) => answer.attempts = answer.attempts.saturating_add(attempts.made),
                // The last one is among those made.
                Err(failure) => failure.attempts = attempts.made,
            }
        }
        answer
    }
}

impl Attempts {
    /// What is left of the time that all attempts may take together.
    fn time_left(&self, now: i64) -> Duration {
        let taken = Duration::from_nanos((now - self.began).max(0).unsigned_abs());
        self.request.timeout.saturating_sub(taken)
    }
}

impl PromptRun {
    /// Sends a request to a model, if the budgets allow the worst case of it.
    pub(super) fn ask(
        &mut self,
        run: &mut Run,
        task: TaskId,
        mut request: Box<ModelRequest>,
    ) -> Asked {
        if !self.charge_conversation(run, request.weight()) {
            return Asked::OutOfMemory;
        }
        let budget = run.scheduler.task(task).budget;
        self.asking.attempts = None;
        if budget == ScopeId::TASK {
            if let Some(message) = self.take_scripted(run, &request) {
                return Asked::Misscripted(message);
            }
            self.send(run, task, request);
            return Asked::Waits;
        }
        if run.scopes.limits_calls(budget) && request.retries > 0 {
            let left = std::mem::take(&mut request.retries);
            self.asking.attempts = Some(Attempts {
                request: request.clone(),
                left,
                made: 0,
                began: run.progress.now(),
                failure: None,
            });
        }
        self.ask_within_budget(run, task, request)
    }

    /// A conversation counts as memory of the run as long as its prompt runs: the messages are shared by the requests of
    /// all turns, and what is made for the wire is made for a few requests at once.
    fn charge_conversation(&mut self, run: &mut Run, bytes: usize) -> bool {
        let before = self.asking.charged;
        if !run.heap.admit_growth(before as u64, bytes as u64) {
            // What is raised here is not to be raised again by the next loop.
            let _ = run.heap.take_over_limit();
            return false;
        }
        run.heap.discharge(before);
        run.heap.charge(bytes);
        self.asking.charged = bytes;
        true
    }

    pub(super) fn discharge_conversation(&self, run: &mut Run) {
        run.heap.discharge(self.asking.charged);
    }

    fn ask_within_budget(
        &mut self,
        run: &mut Run,
        task: TaskId,
        request: Box<ModelRequest>,
    ) -> Asked {
        let worst = run.models.worst_case(&request);
        let ticket = None;
        let asked = HeldBack {
            request,
            worst,
            ticket,
        };
        self.ask_if_admitted(run, task, asked)
    }

    fn ask_if_admitted(&mut self, run: &mut Run, task: TaskId, mut asked: HeldBack) -> Asked {
        let budget = run.scheduler.task(task).budget;
        match run.scopes.reserve(budget, &asked.worst, asked.ticket) {
            Admission::Now => {
                self.asking.reserved = Some(Reserved {
                    model: asked.request.model.clone(),
                    worst: asked.worst,
                });
                if let Some(message) = self.take_scripted(run, &asked.request) {
                    self.settle(run, task, Cost::Failed(0));
                    return Asked::Misscripted(message);
                }
                self.send(run, task, asked.request);
                Asked::Waits
            }
            Admission::Later(budget) => {
                let ticket = *asked.ticket.get_or_insert_with(|| run.scopes.ticket());
                run.scopes.wait(budget, ticket, task);
                self.asking.held_back = Some(asked);
                Asked::Waits
            }
            Admission::Refused(what) => {
                let attempts = self.asking.attempts.take();
                match attempts.and_then(|it| it.failure) {
                    Some(failure) => Asked::Failed(failure),
                    None => Asked::Refused(what),
                }
            }
        }
    }

    fn send(&mut self, run: &mut Run, task: TaskId, request: Box<ModelRequest>) {
        self.requests += 1;
        run.progress.set_requests(self.node, self.requests);
        self.model.clone_from(&request.model);
        let kind = EventKind::ModelRequest {
            model: request.model.clone(),
            attempt: self.requests,
            request: Some(JsonText::from(&self.observed.new_in(&request))),
        };
        run.progress.emit(self.node, kind);
        let request = match self.asking.scripted.take() {
            Some(answer) => Request::Scripted { answer },
            None => Request::Model { request },
        };
        self.operation = Some(run.request(task, request));
    }

    /// Takes the next turn of the script, where a test has written one for the agent; gives what is wrong with it.
    fn take_scripted(&mut self, run: &mut Run, request: &ModelRequest) -> Option<String> {
        let Scripted { agent, offered } = self.scripted.as_ref()?;
        let program = Arc::clone(&run.loaded.program);
        let script = run.mocks.script_mut(*agent)?;
        match script.answer(request, offered, &program) {
            Ok(answer) => {
                self.asking.scripted = Some(Box::new(answer));
                None
            }
            Err(message) => Some(message),
        }
    }

    /// Sends the request of a prompt that was held back, if it may be sent now.
    pub(crate) fn ask_again(mut self: Box<Self>, run: &mut Run, id: TaskId) {
        let Some(held) = self.asking.held_back.take() else {
            run.scheduler.set_wait(id, Wait::Prompt(self));
            return;
        };
        let asked = self.ask_if_admitted(run, id, held);
        self.go_on_as_asked(run, id, asked);
    }

    /// A request has failed. Waits for the next attempt, where the run makes it and it may help.
    pub(super) fn waits_to_try_again(
        &mut self,
        run: &mut Run,
        id: TaskId,
        failure: &ModelFailure,
    ) -> bool {
        let now = run.progress.now();
        let Some(attempts) = &mut self.asking.attempts else {
            return false;
        };
        attempts.made = attempts.made.saturating_add(failure.attempts);
        let made = attempts.made;
        let Some(first) = failure.again_in.filter(|_| attempts.left > 0) else {
            return false;
        };
        let doublings = made.saturating_sub(1).min(MOST_DOUBLINGS);
        let asked = failure.retry_after.filter(|it| !it.is_zero());
        let wait = asked.unwrap_or_else(|| first * (1 << doublings));
        if attempts.time_left(now) <= wait {
            return false;
        }
        attempts.left -= 1;
        attempts.failure = Some(ModelFailure {
            attempts: made,
            ..failure.clone()
        });
        let nanoseconds = i64::try_from(wait.as_nanos()).unwrap_or(i64::MAX);
        self.operation = Some(run.request(id, Request::Sleep { nanoseconds }));
        true
    }

    /// The wait before another attempt is over; `None` when it was no such wait.
    pub(super) fn try_again(&mut self, run: &mut Run, id: TaskId) -> Option<Asked> {
        let now = run.progress.now();
        let attempts = self.asking.attempts.as_mut()?;
        attempts.failure.as_ref()?;
        let mut request = attempts.request.clone();
        request.timeout = attempts.time_left(now);
        Some(self.ask_within_budget(run, id, request))
    }

    /// The request on its way is answered, or given up: the budgets are charged. Gives what is used up by it.
    pub(super) fn settle(&mut self, run: &mut Run, task: TaskId, cost: Cost) -> Option<String> {
        let Reserved { model, worst } = self.asking.reserved.take()?;
        let real = match cost {
            Cost::Answered(made, Some(usage)) => Charge {
                calls: u64::from(made),
                ..run.models.charge_of(&model, usage)
            },
            Cost::Answered(made, None) => {
                let message = format!(
                    "`{model}` did not say how many tokens the request took: the budget is charged with the most that it may have"
                );
                run.progress.warn(self.node, message);
                Charge {
                    calls: u64::from(made),
                    ..worst.clone()
                }
            }
            Cost::Failed(made) => Charge {
                calls: u64::from(made),
                ..Charge::default()
            },
            Cost::Unknown => worst.clone(),
        };
        let used_up = run.settle_call(
            task,
            self.node,
            CallCost {
                worst: &worst,
                real: &real,
            },
        );
        run.send_held_back(task);
        used_up
    }

    /// Counts what an answer cost, and emits it.
    pub(super) fn take_answer(
        &mut self,
        run: &mut Run,
        answer: &Result<ModelAnswer, ModelFailure>,
    ) {
        let answered = answer.as_ref().ok();
        // A failed request costs nothing; an answer without its usage costs nobody knows what.
        let known = answered.map_or(Some(Usage::default()), |it| it.usage);
        let usage = known.unwrap_or_default();
        self.usage.add(&usage);
        let spent = Spent {
            usage,
            cost_usd: known.and_then(|it| run.models.charge_of(&self.model, it).usd.ok()),
            requests: 1,
            ..Spent::default()
        };
        run.progress.charge(self.node, &spent);
        let kind = EventKind::ModelAnswer {
            model: answered.map_or_else(|| self.model.clone(), |it| it.model.clone()),
            attempt: self.requests,
            usage,
            stop_reason: answered.map(|it| it.stop_reason.clone()),
            request_id: answered.and_then(|it| it.request_id.clone()),
            error: answer
                .as_ref()
                .err()
                .map(|it| self.observed.text(it.message.clone())),
        };
        run.progress.emit(self.node, kind);
    }
}
