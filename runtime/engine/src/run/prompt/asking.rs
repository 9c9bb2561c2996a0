//! Requests to models: admitted by the budgets, held back, sent, tried again, and charged when they are answered.
//!
//! A request of the run is one request to the provider. When it fails in a way that may pass, the run waits and sends it
//! again: so every request is admitted by the budgets, has its events, and is recorded with its outcome.

use std::sync::Arc;
use std::time::Duration;

use gsw_tree::usage::Usage;

use crate::budget::{Admission, Charge};
use crate::event::EventKind;
use crate::exchange::Reply;
use crate::model::{Again, FailureKind, ModelAnswer, ModelFailure, ModelRequest, Wording};
use crate::node::Spent;
use crate::operation::{Delivery, Request};
use crate::run::Run;
use crate::run::budget::CallCost;
use crate::run::prompt::exchanging::Exchanging;
use crate::run::prompt::observed::Offered;
use crate::run::prompt::{PromptRun, Scripted};
use crate::run::stream::Answering;
use crate::scope::{ScopeId, Ticket};
use crate::task::TaskId;
use crate::wait::Wait;

/// A backoff doubles this often at most.
const MOST_DOUBLINGS: u32 = 4;

/// Where a prompt is with the budgets around it and with its provider.
#[derive(Debug, Default)]
pub(super) struct Asking {
    /// The request on its way and the most that it may cost, under a budget.
    reserved: Option<Reserved>,
    held_back: Option<HeldBack>,
    /// The attempts at the request.
    attempts: Option<Attempts>,
    /// Whether a request is on its way that has no answer yet.
    in_flight: InFlight,
    /// What has been refused: it is described from there on.
    refused: Option<Refused>,
    /// Bytes of the conversation that the run's memory is charged with.
    charged: usize,
    /// How the request that is to be sent ends, where a test has written it.
    scripted: Option<Box<Result<ModelAnswer, ModelFailure>>>,
}

/// What the provider of a model has not taken in its own form.
#[derive(Debug)]
struct Refused {
    model: String,
    schema: Wording,
    tools: Wording,
}

#[derive(Debug)]
struct Reserved {
    model: String,
    worst: Charge,
}

/// A request that is to be sent once the budgets allow it.
#[derive(Debug)]
struct HeldBack {
    request: Arc<ModelRequest>,
    worst: Charge,
    ticket: Option<Ticket>,
}

/// Whether a request is on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum InFlight {
    #[default]
    No,
    Yes,
}

/// A request with its attempts.
#[derive(Debug)]
struct Attempts {
    /// As it is sent each time, but for what is left of its time.
    request: Arc<ModelRequest>,
    left: u32,
    /// Before the one on its way.
    made: u32,
    /// What they and the waits between them took of the request's time.
    taken: Duration,
    /// How the last one failed.
    failure: Option<ModelFailure>,
}

/// What happened to a request.
pub(super) enum Asked {
    /// It is on its way or held back.
    Waits,
    Not(NotAsked),
    /// It was tried before and is not tried again; this is how that failed.
    Failed(ModelFailure),
}

/// Why a request is not sent.
pub(super) enum NotAsked {
    /// No budget allows it: what is used up.
    Refused(String),
    /// A test's script of the model has no turn for it, or one that cannot be.
    Misscripted(String),
    /// The memory of the run does not hold the conversation.
    OutOfMemory,
}

/// What is known of the cost of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cost {
    /// Requests made, and the tokens of the last one; those before it have failed and cost none.
    Answered(u32, Option<Usage>),
    /// Requests made, none of them answered.
    Failed(u32),
    /// Nothing: it was given up, or broke off.
    Unknown,
}

impl Cost {
    pub(super) fn of(answer: &Result<ModelAnswer, ModelFailure>) -> Self {
        match answer {
            Ok(answer) => Self::Answered(answer.attempts, answer.usage),
            // What had come is paid for, and how much that was is not known.
            Err(failure) if failure.begun.is_some() => Self::Unknown,
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

    /// The outcome of all attempts.
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
    fn time_left(&self) -> Duration {
        self.request.timeout.saturating_sub(self.taken)
    }

    /// How long to wait before the next attempt after this failure; `None` when none would help.
    fn wait_after(&mut self, failure: &ModelFailure) -> Option<Duration> {
        match failure.again? {
            Again::SchemaDescribed => self.describe(|it| &mut it.schema_delivery),
            Again::ToolsDescribed => self.describe(|it| &mut it.tool_delivery),
            Again::AtOnce => {
                self.left = self.left.checked_sub(1)?;
                Some(Duration::ZERO)
            }
            Again::After(first) => {
                self.left = self.left.checked_sub(1)?;
                let doublings = self.made.saturating_sub(1).min(MOST_DOUBLINGS);
                let asked = failure.retry_after.filter(|it| !it.is_zero());
                Some(asked.unwrap_or_else(|| first * (1 << doublings)))
            }
        }
    }

    /// Describes a part of the request from now on; `None` where that was done before.
    fn describe(&mut self, part: fn(&mut ModelRequest) -> &mut Wording) -> Option<Duration> {
        let wording = part(Arc::make_mut(&mut self.request));
        let before = std::mem::replace(wording, Wording::Described);
        (before == Wording::Native).then_some(Duration::ZERO)
    }
}

/// Whether the budgets of a task can never allow the worst case of a request.
fn is_refused(run: &Run, task: TaskId, request: &ModelRequest) -> bool {
    let budget = run.scheduler.task(task).budget;
    if budget == ScopeId::TASK {
        return false;
    }
    let worst = run.models.worst_case(request);
    match run.scopes.admit(budget, &worst, None) {
        Admission::Refused(_) => true,
        Admission::Now | Admission::Later(_) => false,
    }
}

impl PromptRun {
    /// Sends a request to a model, if the budgets allow the worst case of it.
    pub(super) fn ask(
        &mut self,
        run: &mut Run,
        task: TaskId,
        mut request: Arc<ModelRequest>,
    ) -> Asked {
        // Before anything is reserved, so that a refusal has nothing to give back.
        // What the session holds counts already.
        let history = self.session.map_or(0, |it| it.weight);
        let own = request.weight().saturating_sub(history);
        if !self.charge_conversation(run, own) {
            return Asked::Not(NotAsked::OutOfMemory);
        }
        let refused = self.asking.refused.as_ref();
        if let Some(refused) = refused.filter(|it| it.model == request.model) {
            let request = Arc::make_mut(&mut request);
            request.schema_delivery = refused.schema;
            request.tool_delivery = refused.tools;
        }
        self.asking.attempts = Some(Attempts {
            request: Arc::clone(&request),
            left: request.retries,
            made: 0,
            taken: Duration::ZERO,
            failure: None,
        });
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
        request: Arc<ModelRequest>,
    ) -> Asked {
        if run.scheduler.task(task).budget == ScopeId::TASK {
            if let Some(message) = self.take_scripted(run, &request) {
                return Asked::Not(NotAsked::Misscripted(message));
            }
            self.send(run, task, request);
            return Asked::Waits;
        }
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
                    return Asked::Not(NotAsked::Misscripted(message));
                }
                self.send(run, task, asked.request);
                Asked::Waits
            }
            Admission::Later(budget) => {
                // The ticket is kept when it is held back again by another budget: its place in the order is that of its first wait.
                let ticket = *asked.ticket.get_or_insert_with(|| run.scopes.ticket());
                run.scopes.wait(budget, ticket, task);
                self.asking.held_back = Some(asked);
                Asked::Waits
            }
            Admission::Refused(what) => {
                let attempts = self.asking.attempts.take();
                match attempts.and_then(|it| it.failure) {
                    // The budget refuses a further attempt, not the request: what the program sees is why the attempt before it failed.
                    Some(failure) => Asked::Failed(failure),
                    None => Asked::Not(NotAsked::Refused(what)),
                }
            }
        }
    }

    fn send(&mut self, run: &mut Run, task: TaskId, mut request: Arc<ModelRequest>) {
        self.flush_exchange(run);
        if run.progress.wants_exchanges() && self.asking.scripted.is_none() {
            let recorded = self.observed.recorded(&request);
            Arc::make_mut(&mut request).recorded = Some(recorded);
        }
        self.requests += 1;
        run.progress.set_requests(self.node, self.requests);
        self.model.clone_from(&request.model);
        self.asking.in_flight = InFlight::Yes;
        let new = self.observed.new_in(&request);
        // An attempt has what is left of the time that was set.
        let set = self.asking.attempts.as_ref();
        let timeout = set.map_or(request.timeout, |it| it.request.timeout);
        let offered = if run.progress.wants_events() {
            self.observed.offered(&request, timeout)
        } else {
            Offered::default()
        };
        let kind = EventKind::ModelRequest {
            model: request.model.clone(),
            attempt: self.requests,
            request: new,
            settings: offered.settings,
            tools: offered.tools,
            schema: offered.schema,
        };
        run.progress.emit(self.node, kind);
        let asked = request.recorded.clone();
        let prompt = request.schema_name.clone();
        let request = match self.asking.scripted.take() {
            Some(outcome) => Request::Scripted { outcome },
            None => Request::Model {
                delivery: self.delivery_of(run, &request.model),
                request,
            },
        };
        let delivery = if let Request::Model { delivery, .. } = request {
            delivery
        } else {
            Delivery::Whole
        };
        let operation = run.request(task, request);
        self.operation = Some(operation);
        self.exchange = asked.map(|request| Exchanging {
            operation,
            prompt,
            request,
            reply: None,
        });
        if delivery == Delivery::Pieces {
            let answer = Answering {
                request: operation,
                node: self.node,
                shown: self.observed.shown(),
                shown_calls: self.observed.shown_calls(),
            };
            run.answer_arrives(task, answer);
        }
    }

    /// A simulated answer arrives as a whole, without parts before it.
    fn delivery_of(&self, run: &Run, model: &str) -> Delivery {
        let prompts = run.models.prompts();
        match prompts.is_some_and(|it| it.is_simulated(model)) {
            true => Delivery::Whole,
            false => self.delivery,
        }
    }

    /// Takes the next turn of the script, where a test has written one for the agent; returns what is wrong with it.
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

    /// A request has failed. Waits for the next attempt, where it may help.
    pub(super) fn waits_to_try_again(
        &mut self,
        run: &mut Run,
        id: TaskId,
        failure: &ModelFailure,
    ) -> bool {
        let Some(attempts) = &mut self.asking.attempts else {
            return false;
        };
        attempts.made = attempts.made.saturating_add(failure.attempts);
        attempts.taken = attempts
            .taken
            .saturating_add(Duration::from_nanos(failure.took));
        let Some(wait) = attempts.wait_after(failure) else {
            return false;
        };
        // An attempt that begins with no time left would only turn the provider's error into a timeout.
        if attempts.time_left() <= wait {
            return false;
        }
        // What a budget can never allow is not waited for: what is spent grows only.
        if is_refused(run, id, &attempts.request) {
            return false;
        }
        attempts.taken = attempts.taken.saturating_add(wait);
        attempts.failure = Some(ModelFailure {
            attempts: attempts.made,
            ..failure.clone()
        });
        self.asking.refused = Some(Refused {
            model: attempts.request.model.clone(),
            schema: attempts.request.schema_delivery,
            tools: attempts.request.tool_delivery,
        });
        let nanoseconds = i64::try_from(wait.as_nanos()).unwrap_or(i64::MAX);
        let kind = EventKind::ModelRetry {
            model: self.model.clone(),
            attempt: self.requests.saturating_add(1),
            error: self.observed.text(failure.message.clone()),
            status: failure.status,
            delay: nanoseconds,
        };
        run.progress.emit(self.node, kind);
        self.operation = Some(run.request(id, Request::Sleep { nanoseconds }));
        true
    }

    /// The wait before another attempt has ended; `None` when it was no such wait.
    pub(super) fn try_again(&mut self, run: &mut Run, id: TaskId) -> Option<Asked> {
        let attempts = self.asking.attempts.as_mut()?;
        // Attempts without a failure have not been answered yet: what ended was another wait.
        attempts.failure.as_ref()?;
        let mut request = Arc::clone(&attempts.request);
        Arc::make_mut(&mut request).timeout = attempts.time_left();
        Some(self.ask_within_budget(run, id, request))
    }

    /// The request on its way is answered, or given up: the budgets are charged. Returns what is used up by it.
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
        // Less is set aside now, so the queues are checked here and nowhere else.
        run.send_held_back(task);
        used_up
    }

    /// Counts what an answer cost, and emits it.
    pub(super) fn take_answer(
        &mut self,
        run: &mut Run,
        answer: &Result<ModelAnswer, ModelFailure>,
    ) {
        self.asking.in_flight = InFlight::No;
        let answered = answer.as_ref().ok();
        let failed = answer.as_ref().err();
        // A failed request costs nothing; an answer without its usage, or one that broke off, has an unknown cost.
        let known = match answer {
            Ok(answer) => answer.usage,
            Err(failure) => failure.begun.is_none().then(Usage::default),
        };
        let begun = failed.and_then(|it| it.begun.as_deref().copied());
        let usage = known.or(begun).unwrap_or_default();
        self.usage.add(&usage);
        let requests = answer
            .as_ref()
            .map_or_else(|it| it.attempts, |it| it.attempts);
        let spent = Spent {
            usage,
            cost_usd: known
                .or(begun)
                .and_then(|it| run.models.charge_of(&self.model, it).usd.ok()),
            requests: u64::from(requests),
            ..Spent::default()
        };
        run.progress.charge(self.node, &spent);
        let kind = EventKind::ModelAnswer {
            model: answered.map_or_else(|| self.model.clone(), |it| it.model.clone()),
            attempt: self.requests,
            requests,
            usage,
            cost_usd: spent.cost_usd.filter(|_| usage != Usage::default()),
            first_token: answered.and_then(ModelAnswer::first_token_nanoseconds),
            answer: answered
                .filter(|_| run.progress.wants_events())
                .map(|it| self.observed.answer(&it.content)),
            stop_reason: answered.map(|it| it.stop_reason.clone()),
            request_id: answered
                .and_then(|it| it.request_id.clone())
                .or_else(|| failed.and_then(|it| it.request_id.as_deref().map(str::to_owned))),
            error: failed.map(|it| self.observed.text(it.message.clone())),
            status: failed.and_then(|it| it.status),
        };
        run.progress.emit(self.node, kind);
        let change = match answer {
            Ok(answer) => answer.circuit,
            Err(failure) => failure.circuit,
        };
        if let Some(change) = change {
            let kind = EventKind::Circuit {
                model: self.model.clone(),
                change,
                error: failed.map(|it| self.observed.text(it.message.clone())),
            };
            run.progress.emit(self.node, kind);
        }
    }

    /// Abandons the answer of the request in flight, if there is one; the request still counts.
    pub(super) fn give_up_request(&mut self, run: &mut Run, why: &str) {
        if let Some(exchange) = self.exchange.take() {
            run.progress.exchanged(exchange.ended(Reply::GivenUp));
        }
        if self.asking.in_flight == InFlight::Yes {
            let failure = ModelFailure::new(FailureKind::Provider, why.to_owned());
            self.take_answer(
                run,
                &Err(ModelFailure {
                    attempts: 1,
                    ..failure
                }),
            );
        }
    }
}
