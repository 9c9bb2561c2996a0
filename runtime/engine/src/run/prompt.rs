//! Prompt calls: each is a node, and a pure machine of the crate above that the run steps.

mod arguments;
mod around;
mod asking;
mod begin;
mod completed;
mod end;
mod exchanging;
mod hooks;
mod keys;
mod observed;
mod outcome;
pub(crate) mod said;
mod tools;
pub(crate) mod trust;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::TypeId;
use gsw_tree::usage::Usage;

use crate::codec::decode;
use crate::event::{EventKind, ReflectionLevel};
use crate::model::{
    Check, FailureKind, ModelAnswer, ModelFailure, PromptEvent, PromptMachine, PromptNote,
    PromptStep,
};
use crate::node::{NodeId, Status};
use crate::operation::{Delivery, OperationId, Outcome, Request};
use crate::run::reflection_log::{ReflectionRecord, Resolution};
use crate::run::script::Offered;
use crate::run::sessions;
use crate::run::sessions::replacing::Last;
use crate::run::{Run, raise};
use crate::scope::{ScopeId, ScopeKind};
use crate::step::Step;
use crate::task::TaskId;
use crate::value::{error, string};
use crate::wait::Wait;

use around::{Around, Ended};
use asking::{Asked, Asking, Cost, NotAsked};
pub(crate) use begin::{NewPrompt, limit_of};
use exchanging::Exchanging;
use hooks::Hooks;
use observed::Observed;
use tools::ToolRound;
pub(crate) use tools::{tool_ended, tools_are_over};
use trust::Origins;

/// A prompt call on its way.
pub struct PromptRun {
    machine: Box<dyn PromptMachine>,
    /// What the answer must be.
    answer: TypeId,
    /// What the program gets: the answer's type, or a `Response` of it.
    result: TypeId,
    gives: Gives,
    node: NodeId,
    outer: NodeId,
    operation: Option<OperationId>,
    tools: Option<ToolRound>,
    requests: u32,
    /// The number of the round in which an earlier answer is improved.
    round: Option<u32>,
    /// The budget of this call, when its settings have one.
    budget: Option<ScopeId>,
    asking: Asking,
    /// The request that is recorded with its answer, where recording is on.
    exchange: Option<Exchanging>,
    /// The model that was asked last.
    model: String,
    usage: Usage,
    /// What was wrong with its last answer that does not fit.
    invalid: String,
    /// What observers see of its conversation.
    observed: Observed,
    /// The name of its agent, else its own.
    asked_by: String,
    /// What it has looked up among the answers that are kept.
    key: Option<String>,
    scripted: Option<Scripted>,
    delivery: Delivery,
    hooks: Hooks,
    around: Option<Around>,
    session: Option<InSession>,
    /// The prompt whose answer this one's is to replace.
    revises: Option<NodeId>,
    /// The origins of the content of its conversation, where the program asks.
    origins: Option<Origins>,
    has_tools: bool,
}

/// The session that a call continues, and holds until it ends.
#[derive(Clone, Copy, Debug)]
struct InSession {
    /// Owned.
    word: u64,
    last: Last,
    /// What the history counts in the memory of the run, without this call.
    weight: usize,
}

/// What a call needs of which a test has scripted the model.
#[derive(Debug)]
pub(crate) struct Scripted {
    agent: u32,
    offered: Offered,
}

impl PromptRun {
    fn new(
        machine: Box<dyn PromptMachine>,
        new: &NewPrompt,
        answer: TypeId,
        nodes: PromptNodes,
        observed: Observed,
    ) -> Self {
        Self {
            machine,
            answer,
            result: new.result,
            gives: new.gives,
            node: nodes.own,
            outer: nodes.outer,
            operation: None,
            tools: None,
            requests: 0,
            round: None,
            budget: None,
            asking: Asking::default(),
            exchange: None,
            model: String::new(),
            usage: Usage::default(),
            invalid: String::new(),
            observed,
            asked_by: String::new(),
            key: None,
            scripted: None,
            delivery: new.delivery,
            hooks: Hooks::default(),
            around: None,
            session: None,
            revises: None,
            origins: None,
            has_tools: false,
        }
    }
}

/// The place of a prompt call in the tree.
#[derive(Clone, Copy)]
struct PromptNodes {
    own: NodeId,
    /// The one that the call is made in.
    outer: NodeId,
}

/// The result of a prompt call for the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gives {
    Answer,
    /// A `Response` with the answer in it.
    Response,
}

impl std::fmt::Debug for PromptRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PromptRun")
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}

impl PromptRun {
    /// Whether a scope is the budget of this call.
    pub(crate) fn is_limited_by(&self, scope: ScopeId) -> bool {
        self.budget == Some(scope)
    }

    /// The outcome of what the prompt asked for last.
    pub(crate) fn take_outcome(mut self: Box<Self>, run: &mut Run, id: TaskId, outcome: Outcome) {
        self.operation = None;
        let event = match outcome {
            Outcome::Model(answer) => return self.model_answered(run, id, *answer),
            Outcome::Found(found) => {
                self.note_found(run, &found);
                PromptEvent::Found(found)
            }
            Outcome::GaveWay(keys) => {
                // The code that keeps the answer has released its key.
                run.models.release_key(self.node);
                PromptEvent::Kept(keys)
            }
            Outcome::Failed(failure) => {
                self.give_up_request(run, "the request could not be performed");
                // It reached no provider, but the attempt counts as a call of the budget.
                self.settle(run, id, Cost::Failed(1));
                let error = raise::error_of_failure(&mut run.heap, failure);
                return self.conclude(run, id, Ended::with_error(error));
            }
            // A wait has ended: for another attempt, or for what the machine asked for.
            Outcome::Done
            | Outcome::Time(_)
            | Outcome::Int(_)
            | Outcome::Float(_)
            | Outcome::Bool(_)
            | Outcome::Text(_)
            | Outcome::Earlier { .. }
            | Outcome::Json(_)
            | Outcome::OptionalText(_)
            | Outcome::Bytes(_)
            | Outcome::Texts(_)
            | Outcome::Media(_)
            | Outcome::Host { .. }
            | Outcome::Server(_)
            | Outcome::Exec(_)
            | Outcome::Http(_)
            | Outcome::Piece(_)
            | Outcome::Human(_) => match self.try_again(run, id) {
                Some(asked) => return self.go_on_as_asked(run, id, asked),
                None => PromptEvent::Waited,
            },
        };
        self.go_on(run, id, event);
    }

    fn model_answered(
        mut self: Box<Self>,
        run: &mut Run,
        id: TaskId,
        answer: Result<ModelAnswer, ModelFailure>,
    ) {
        if self.delivery == Delivery::Pieces {
            run.answer_is_over(id);
        }
        self.take_answer(run, &answer);
        self.note_exchange(&answer);
        if let Err(failure) = &answer
            && failure.kind == FailureKind::NotRecorded
        {
            // The run fails, also where the program catches this.
            run.mocks.report_unrecorded(&failure.message);
        }
        // The budget is charged before the answer is read: what it cost is spent, also if it is used up by that.
        if let Some(what) = self.settle(run, id, Cost::of(&answer)) {
            self.flush_exchange(run);
            let ended = refused(run, &what);
            return self.conclude(run, id, ended);
        }
        if let Err(failure) = &answer
            && self.waits_to_try_again(run, id, failure)
        {
            self.flush_exchange(run);
            run.scheduler.set_wait(id, Wait::Prompt(self));
            return;
        }
        // The machine knows one answer for each question; what earlier attempts cost is added to it.
        let answer = Box::new(self.of_all_attempts(answer));
        self.go_on(run, id, PromptEvent::Answered(answer));
    }

    fn go_on_as_asked(self: Box<Self>, run: &mut Run, id: TaskId, asked: Asked) {
        match asked {
            Asked::Waits => run.scheduler.set_wait(id, Wait::Prompt(self)),
            Asked::Not(why) => {
                let ended = not_asked(run, &why);
                self.conclude(run, id, ended);
            }
            Asked::Failed(failure) => {
                let event = PromptEvent::Answered(Box::new(Err(failure)));
                self.go_on(run, id, event);
            }
        }
    }

    fn go_on(mut self: Box<Self>, run: &mut Run, id: TaskId, event: PromptEvent) {
        let ended = self.step(run, id, event);
        // After the step, which has found out what tools the answer calls and what their arguments hide.
        self.flush_exchange(run);
        match ended {
            Some(ended) => self.conclude(run, id, ended),
            None => run.scheduler.set_wait(id, Wait::Prompt(self)),
        }
    }

    fn hand_back(&self, run: &mut Run, id: TaskId, result: Result<u64, u64>) {
        run.scheduler.task_mut(id).node = self.outer;
        run.scheduler.wake(id, result);
    }

    /// Steps the machine until something is outstanding; returns what the call gives when it has ended.
    fn step(&mut self, run: &mut Run, task: TaskId, mut event: PromptEvent) -> Option<Ended> {
        loop {
            let answer = self.answer;
            // The machine decides by decoding whether an answer fits. The word is made and dropped: what it decides on may be another
            // answer than the one that is used in the end.
            let mut interrupted = None;
            let check: &mut Check<'_> =
                &mut |tree| match decode::decode_all_issues(run, answer, tree) {
                    Ok(word) => {
                        run.heap.release_typed(answer, word);
                        Ok(())
                    }
                    Err(issues) => {
                        interrupted = interrupted.or_else(|| run.due_unwinding());
                        Err(issues)
                    }
                };
            let step = self.machine.step(event, check);
            // The answer was not read to its end, so nothing follows from what was found in it.
            if let Some(unwinding) = interrupted {
                return Some(Ended::with_error(unwinding));
            }
            // Before the step is acted on, so that events keep the order in which things were decided.
            self.report_notes(run);
            match step {
                PromptStep::Ask(request) => match self.ask(run, task, request) {
                    Asked::Waits => return None,
                    Asked::Not(why) => return Some(not_asked(run, &why)),
                    Asked::Failed(failure) => event = PromptEvent::Answered(Box::new(Err(failure))),
                },
                PromptStep::Wait(delay) => {
                    let nanoseconds = i64::try_from(delay.as_nanos()).unwrap_or(i64::MAX);
                    self.operation = Some(run.request(task, Request::Sleep { nanoseconds }));
                    return None;
                }
                PromptStep::LookUp {
                    key,
                    when_busy,
                    tier,
                } => {
                    let request = self.look_up(run, key, when_busy, tier);
                    self.operation = Some(run.request(task, request));
                    return None;
                }
                PromptStep::Keep(answer) => {
                    let request = self.keep(run, *answer);
                    self.operation = Some(run.request(task, request));
                    return None;
                }
                // All calls of a turn could be refused: the model is answered at once, in this loop.
                PromptStep::CallTools(calls) => match self.call_tools(run, task, calls) {
                    Some(outcomes) => event = PromptEvent::ToolsAnswered(outcomes),
                    None => return None,
                },
                PromptStep::Done(result) => return Some(self.done(run, task, *result)),
                PromptStep::Fail(failure) => {
                    let error = self.error_of(run, &failure);
                    return Some(Ended::with_error(error));
                }
            }
        }
    }

    fn report_notes(&mut self, run: &mut Run) {
        for note in self.machine.notes() {
            let kind = match note {
                PromptNote::CacheHit { key } => EventKind::CacheHit { key },
                PromptNote::CacheMiss { key } => EventKind::CacheMiss { key },
                PromptNote::CacheEvict { key } => EventKind::CacheEvict { key },
                PromptNote::InvalidResponse { response, issues } => {
                    let response = self.observed.answer_text(&response);
                    let issues = self.observed.issues(issues);
                    let messages: Vec<&str> = issues.iter().map(|it| &*it.message).collect();
                    self.invalid = messages.join("; ");
                    EventKind::InvalidResponse { response, issues }
                }
                PromptNote::ReflectionStart { attempt, .. } => EventKind::ReflectionStart {
                    level: ReflectionLevel::Prompt,
                    round: attempt,
                    error: self.note_invalid(run),
                },
                PromptNote::ReflectionEnd { success } => EventKind::ReflectionEnd {
                    level: ReflectionLevel::Prompt,
                    success,
                    reason: self.reflection_ends(run, success),
                },
                PromptNote::RefusedCall {
                    id,
                    tool,
                    name,
                    input,
                    message,
                    flaw,
                } => {
                    let input = self.observed.tool_input(tool, &input);
                    let message = self.observed.refusal(&id, tool, message, flaw.as_deref());
                    self.report_refused(run, &name, &input, &message);
                    continue;
                }
                PromptNote::ResultsCleared {
                    results,
                    tokens,
                    cleared,
                    window,
                } => EventKind::ResultsCleared {
                    results,
                    tokens,
                    cleared,
                    window,
                },
                PromptNote::Warning { message } => {
                    run.progress.warn(self.node, message);
                    continue;
                }
            };
            run.progress.emit(self.node, kind);
        }
    }

    /// What a reflection has led to.
    fn reflection_ends(&self, run: &mut Run, success: bool) -> String {
        if success {
            run.reflection_log.succeed(self.node);
            return "the answer fits now".into();
        }
        self.invalid.clone()
    }

    /// A wrong answer is shown back to the model: what was wrong with it.
    fn note_invalid(&self, run: &mut Run) -> String {
        run.reflection_log.note(ReflectionRecord {
            time: run.progress.now(),
            node: self.node,
            level: ReflectionLevel::Prompt,
            reason: "the answer does not fit".into(),
            error: self.invalid.clone(),
            resolution: Resolution::Retry,
            success: false,
            guidance: String::new(),
        });
        self.invalid.clone()
    }

    /// The time of a prompt's own budget has run out.
    pub(crate) fn run_out_of_time(mut self: Box<Self>, run: &mut Run, id: TaskId) {
        if let Some(operation) = self.operation.take() {
            run.operations.abandon(operation);
        }
        self.give_up_request(run, "given up: the time of the prompt's budget is used up");
        self.settle(run, id, Cost::Unknown);
        // The unwinding was that of the budget, which is an error of the prompt and ends here.
        run.scheduler.task_mut(id).pending = None;
        let error = self.out_of_time_error(run);
        self.conclude(run, id, Ended::with_error(error));
    }

    fn out_of_time_error(&self, run: &mut Run) -> u64 {
        if let Some(unknown) = self.budget.and_then(|it| run.unknown_in(it)) {
            return unknown;
        }
        let scope = self.budget.and_then(|it| run.scopes.get(it));
        let what = match scope.map(|it| &it.kind) {
            Some(ScopeKind::Budget(budget)) => budget.out_of_time(),
            Some(ScopeKind::Timeout { .. }) | None => "time".to_owned(),
        };
        raise::budget_exceeded(&mut run.heap, &what)
    }

    /// A task that runs a prompt is to unwind. Gives the prompt back when tools of it must end first.
    pub(crate) fn unwind(mut self: Box<Self>, run: &mut Run, id: TaskId) -> Option<Box<PromptRun>> {
        if let Some(operation) = self.operation.take() {
            run.operations.abandon(operation);
        }
        self.give_up_request(
            run,
            "given up: the prompt was cancelled before the answer came",
        );
        // What it has cost is not known; a budget is to hold all the same.
        self.settle(run, id, Cost::Unknown);
        if self.has_running_tools() {
            let node = self.node;
            run.cancel_tasks_of(node);
            // Its tools may have `defer`s, which need the prompt's node until they have ended.
            return Some(self);
        }
        if let Some(around) = self.around.take() {
            around.release(run, &self);
        }
        self.leave(run, Status::Cancelled, None, None);
        run.scheduler.task_mut(id).node = self.outer;
        None
    }

    /// Releases a prompt whose task is dropped.
    pub(crate) fn drop_with(mut self, run: &mut Run) {
        if let Some(around) = self.around.take() {
            around.release(run, &self);
        }
        keys::release(run, self.node);
        self.discharge_conversation(run);
        if let Some(operation) = self.operation {
            run.operations.abandon(operation);
        }
        // No task resumes: those that wait for the session are dropped, too.
        if let Some(session) = self.session {
            run.heap.release(session.word);
        }
    }
}

/// No budget allows what the prompt asked.
fn refused(run: &mut Run, what: &str) -> Ended {
    Ended::with_error(raise::budget_exceeded(&mut run.heap, what))
}

/// The end of a prompt whose request is not sent.
fn not_asked(run: &mut Run, why: &NotAsked) -> Ended {
    match why {
        NotAsked::Refused(what) => refused(run, what),
        // The test fails, also where it catches this.
        NotAsked::Misscripted(message) => {
            run.mocks.report_unmocked(message);
            let message = string::new(&mut run.heap, message);
            let error = error::new(&mut run.heap, BuiltinError::AssertionFailed, &[message]);
            Ended::with_error(error)
        }
        NotAsked::OutOfMemory => {
            let error = raise::fault(&mut run.heap, BuiltinError::OutOfMemory);
            Ended::with_error(error)
        }
    }
}

/// `prompt_run` and `prompt_detail`: takes over the words of `new`.
pub(crate) fn prompt(run: &mut Run, new: NewPrompt) -> Step {
    let current = run.scheduler.current();
    let mut prompt = match begin::begin(run, new) {
        Ok(prompt) => prompt,
        Err(error) => {
            sessions::leave(run, new.session);
            return Step::Raised(error);
        }
    };
    let ended = prompt.begin(run, current);
    match ended.and_then(|it| prompt.close(run, current, it)) {
        Some(result) => {
            // An answer that was kept, or a refusal: the prompt ended without a wait.
            run.scheduler.task_mut(current).node = prompt.outer;
            result.into()
        }
        None => run.scheduler.wait_for(Wait::Prompt(prompt)),
    }
}
