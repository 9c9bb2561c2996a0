//! Prompt calls: each is a node, and a pure machine of the crate above that the run steps.

mod begin;
mod end;
pub(crate) mod hidden;
mod observed;
mod tools;

use std::time::Duration;

use gsw_abi::types::TypeId;

use crate::budget::{Admission, Charge};
use crate::codec::decode;
use crate::event::{EventKind, JsonText, Level};
use crate::export::Step;
use crate::model::{
    Check, ModelAnswer, ModelFailure, ModelRequest, PromptEvent, PromptMachine, PromptNote,
    PromptStep, Usage,
};
use crate::node::{NodeId, Spent, Status};
use crate::operation::{OperationId, Outcome, Request};
use crate::run::Run;
use crate::run::lessons::{Lesson, Resolution};
use crate::scope::{ScopeId, ScopeKind};
use crate::task::TaskId;
use crate::wait::Wait;

pub(crate) use begin::NewPrompt;
use observed::Observed;
use tools::ToolRound;

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
    /// What is outstanding.
    operation: Option<OperationId>,
    tools: Option<ToolRound>,
    requests: u32,
    /// The number of the round in which an earlier answer is improved.
    round: Option<u32>,
    /// The budget of this call, when its settings have one.
    budget: Option<ScopeId>,
    /// The most that the request on its way may cost.
    reserved: Option<(String, Charge)>,
    /// The request that is to be sent once the budgets allow it.
    held_back: Option<Box<ModelRequest>>,
    /// The model that was asked last.
    model: String,
    /// Tokens of its requests.
    usage: Usage,
    /// What was wrong with its last answer that does not fit.
    invalid: String,
    /// What observers are told of its conversation.
    observed: Observed,
    /// The name of its agent, else its own.
    asked_by: String,
}

impl PromptRun {
    fn new(
        machine: Box<dyn PromptMachine>,
        new: &NewPrompt,
        answer: TypeId,
        (node, outer): (NodeId, NodeId),
        observed: Observed,
    ) -> Self {
        Self {
            machine,
            answer,
            result: new.result,
            gives: new.gives,
            node,
            outer,
            operation: None,
            tools: None,
            requests: 0,
            round: None,
            budget: None,
            reserved: None,
            held_back: None,
            model: String::new(),
            usage: Usage::default(),
            invalid: String::new(),
            observed,
            asked_by: String::new(),
        }
    }

    /// Whether it waits until calls of others have cost less than they might.
    pub(crate) fn is_held_back(&self) -> bool {
        self.held_back.is_some()
    }
}

/// What a prompt call gives to the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gives {
    /// The answer.
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

impl Run {
    /// `prompt_run` and `prompt_detail`: takes over the words of `new`.
    pub(crate) fn prompt(&mut self, new: NewPrompt) -> Step {
        let current = self.current;
        let mut prompt = match self.begin_prompt(new) {
            Ok(prompt) => prompt,
            Err(error) => return Step::Raised(error),
        };
        let now = Duration::from_nanos(self.now.max(0).unsigned_abs());
        match self.step_prompt(current, &mut prompt, PromptEvent::Start { now }) {
            Some(result) => {
                self.tasks.at_mut(current).node = prompt.outer;
                result.into()
            }
            None => self.wait_for(Wait::Prompt(prompt)),
        }
    }

    /// The outcome of what a prompt asked for last.
    pub(crate) fn prompt_outcome(
        &mut self,
        id: TaskId,
        mut prompt: Box<PromptRun>,
        outcome: Outcome,
    ) {
        prompt.operation = None;
        let event = match outcome {
            Outcome::Model(answer) => {
                self.take_answer(&mut prompt, &answer);
                let usage = (*answer)
                    .as_ref()
                    .map_or_else(|_| Usage::default(), |it| it.usage);
                if let Some(what) = self.settle_prompt(id, &mut prompt, Some(usage)) {
                    prompt.machine.abandon();
                    let error = self.budget_exceeded(&what);
                    let result = self.end_prompt(&prompt, Err(error), None);
                    self.give_prompt(id, &prompt, result);
                    return;
                }
                PromptEvent::Answered(answer)
            }
            Outcome::Released => PromptEvent::Released,
            Outcome::Failed(failure) => {
                self.settle_prompt(id, &mut prompt, Some(Usage::default()));
                let error = self.error_of_failure(failure);
                let result = self.end_prompt(&prompt, Err(error), None);
                self.give_prompt(id, &prompt, result);
                return;
            }
            _ => PromptEvent::Waited,
        };
        self.go_on_with_prompt(id, prompt, event);
    }

    /// Counts what an answer cost, and tells of it.
    fn take_answer(&mut self, prompt: &mut PromptRun, answer: &Result<ModelAnswer, ModelFailure>) {
        let usage = answer
            .as_ref()
            .map_or_else(|_| Usage::default(), |it| it.usage);
        prompt.usage.add(&usage);
        let spent = Spent {
            usage,
            cost_usd: self.charge_of(&prompt.model, usage).usd.ok(),
            requests: 1,
            ..Spent::default()
        };
        self.tree.charge(prompt.node, &spent);
        let answered = answer.as_ref().ok();
        let kind = EventKind::ModelAnswer {
            model: answered.map_or_else(|| prompt.model.clone(), |it| it.model.clone()),
            attempt: prompt.requests,
            usage,
            stop_reason: answered.map(|it| it.stop_reason.clone()),
            request_id: answered.and_then(|it| it.request_id.clone()),
            error: answer
                .as_ref()
                .err()
                .map(|it| prompt.observed.text(it.message.clone())),
        };
        self.tell(prompt.node, kind);
    }

    fn go_on_with_prompt(&mut self, id: TaskId, mut prompt: Box<PromptRun>, event: PromptEvent) {
        match self.step_prompt(id, &mut prompt, event) {
            Some(result) => self.give_prompt(id, &prompt, result),
            None => self.tasks.at_mut(id).wait = Wait::Prompt(prompt),
        }
    }

    fn give_prompt(&mut self, id: TaskId, prompt: &PromptRun, result: Result<u64, u64>) {
        self.tasks.at_mut(id).node = prompt.outer;
        self.wake(id, result);
    }

    /// Steps the machine until something is outstanding; gives the result when there is one.
    fn step_prompt(
        &mut self,
        task: TaskId,
        prompt: &mut PromptRun,
        mut event: PromptEvent,
    ) -> Option<Result<u64, u64>> {
        loop {
            let answer = prompt.answer;
            let check: &mut Check<'_> = &mut |tree| {
                let word = decode::decode_all_issues(self, answer, tree)?;
                self.heap.release_typed(answer, word);
                Ok(())
            };
            let step = prompt.machine.step(event, check);
            self.tell_notes(prompt);
            match step {
                PromptStep::Ask(request) => return self.ask(task, prompt, request),
                PromptStep::Wait(delay) => {
                    let nanoseconds = i64::try_from(delay.as_nanos()).unwrap_or(i64::MAX);
                    prompt.operation = Some(self.request(task, Request::Sleep { nanoseconds }));
                    return None;
                }
                PromptStep::WaitFor(key) => {
                    prompt.operation = Some(self.request(task, Request::Release { key }));
                    return None;
                }
                PromptStep::CallTools(calls) => match self.call_tools(task, prompt, calls) {
                    Some(outcomes) => event = PromptEvent::ToolsAnswered(outcomes),
                    None => return None,
                },
                PromptStep::Done(result) => {
                    let word = self.word_of_answer(prompt, &result);
                    return Some(self.end_prompt(prompt, word, Some(result.detail)));
                }
                PromptStep::Fail(failure) => {
                    let error = self.error_of_prompt(prompt, &failure);
                    return Some(self.end_prompt(prompt, Err(error), None));
                }
            }
        }
    }

    /// Sends a request to a model, if the budgets allow the worst case of it.
    fn ask(
        &mut self,
        task: TaskId,
        prompt: &mut PromptRun,
        request: Box<ModelRequest>,
    ) -> Option<Result<u64, u64>> {
        if self.tasks.at(task).budget != ScopeId::TASK {
            let worst = self.worst_case(&request);
            match self.admit(task, &worst) {
                Admission::Now => prompt.reserved = Some((request.model.clone(), worst)),
                Admission::Later => {
                    prompt.held_back = Some(request);
                    self.held_back.push_back(task);
                    return None;
                }
                Admission::Refused(what) => {
                    prompt.machine.abandon();
                    let error = self.budget_exceeded(&what);
                    return Some(self.end_prompt(prompt, Err(error), None));
                }
            }
        }
        prompt.requests += 1;
        self.tree.node_mut(prompt.node).attempts = prompt.requests;
        prompt.model.clone_from(&request.model);
        let kind = EventKind::ModelRequest {
            model: request.model.clone(),
            attempt: prompt.requests,
            request: Some(JsonText::from(&prompt.observed.news_of(&request))),
        };
        self.tell(prompt.node, kind);
        prompt.operation = Some(self.request(task, Request::Model { request }));
        None
    }

    /// Sends the request of a prompt that was held back, if it may be sent now.
    pub(crate) fn ask_again(&mut self, id: TaskId, mut prompt: Box<PromptRun>) {
        let asked = prompt.held_back.take();
        match asked.and_then(|request| self.ask(id, &mut prompt, request)) {
            Some(result) => self.give_prompt(id, &prompt, result),
            None => self.tasks.at_mut(id).wait = Wait::Prompt(prompt),
        }
    }

    /// The request on its way has cost so much; one that is given up, all that it might have. Gives what is used up by it.
    fn settle_prompt(
        &mut self,
        task: TaskId,
        prompt: &mut PromptRun,
        usage: Option<Usage>,
    ) -> Option<String> {
        let (model, worst) = prompt.reserved.take()?;
        let real = usage.map_or_else(|| worst.clone(), |usage| self.charge_of(&model, usage));
        let used_up = self.settle_call(task, prompt.node, (&worst, &real));
        self.ask_held_back();
        used_up
    }

    fn tell_notes(&mut self, prompt: &mut PromptRun) {
        let level = || "prompt".to_owned();
        for note in prompt.machine.notes() {
            let kind = match note {
                PromptNote::CacheHit { key } => EventKind::CacheHit { key },
                PromptNote::CacheMiss { key } => EventKind::CacheMiss { key },
                PromptNote::CacheEvict { key } => EventKind::CacheEvict { key },
                PromptNote::InvalidResponse { response, issues } => {
                    let response = prompt.observed.answer_text(&response);
                    let issues = prompt.observed.issues(issues);
                    let messages: Vec<&str> = issues.iter().map(|it| &*it.message).collect();
                    prompt.invalid = messages.join("; ");
                    EventKind::InvalidResponse { response, issues }
                }
                PromptNote::ReflectionStart { attempt, .. } => EventKind::ReflectionStart {
                    level: level(),
                    round: attempt,
                    error: self.note_invalid(prompt),
                },
                PromptNote::ReflectionEnd { success } => {
                    let reason = if success {
                        self.lessons.succeed(prompt.node);
                        "the answer fits now".into()
                    } else {
                        prompt.invalid.clone()
                    };
                    EventKind::ReflectionEnd {
                        level: level(),
                        success,
                        reason,
                    }
                }
                PromptNote::UnknownTool {
                    name,
                    input,
                    message,
                } => {
                    let input = prompt.observed.tool_input(None, &input);
                    self.tell_refused(prompt, &name, &input, &message);
                    continue;
                }
                PromptNote::Warning { message } => {
                    self.log_at(prompt.node, Level::Warn, message.into(), None);
                    continue;
                }
            };
            self.tell(prompt.node, kind);
        }
    }

    /// A wrong answer is shown back to the model: what was wrong with it.
    fn note_invalid(&mut self, prompt: &PromptRun) -> String {
        self.lessons.note(Lesson {
            time: self.now,
            node: prompt.node,
            level: "prompt".into(),
            reason: "the answer does not fit".into(),
            error: prompt.invalid.clone(),
            resolution: Resolution::Retry,
            success: false,
            guidance: String::new(),
        });
        prompt.invalid.clone()
    }

    /// Whether a scope is the budget of this call.
    pub(crate) fn is_budget_of(prompt: &PromptRun, scope: ScopeId) -> bool {
        prompt.budget == Some(scope)
    }

    /// The time of a prompt's own budget has run out.
    pub(crate) fn prompt_out_of_time(&mut self, id: TaskId, mut prompt: Box<PromptRun>) {
        if let Some(operation) = prompt.operation.take() {
            self.operations.abandon(operation);
        }
        self.settle_prompt(id, &mut prompt, None);
        prompt.machine.abandon();
        self.tasks.at_mut(id).pending = None;
        let error = self.prompt_over_budget(&prompt);
        let result = self.end_prompt(&prompt, Err(error), None);
        self.give_prompt(id, &prompt, result);
    }

    fn prompt_over_budget(&mut self, prompt: &PromptRun) -> u64 {
        let scope = prompt.budget.and_then(|it| self.scopes.get(it));
        let what = match scope.map(|it| &it.kind) {
            Some(ScopeKind::Budget(budget)) => budget.out_of_time(),
            _ => "time".to_owned(),
        };
        self.budget_exceeded(&what)
    }

    /// A task that runs a prompt is to unwind. Gives the prompt back when tools of it must end first.
    pub(crate) fn abandon_prompt(
        &mut self,
        id: TaskId,
        mut prompt: Box<PromptRun>,
    ) -> Option<Box<PromptRun>> {
        if let Some(operation) = prompt.operation.take() {
            self.operations.abandon(operation);
        }
        // What it has cost is not known; a budget is to hold all the same.
        self.settle_prompt(id, &mut prompt, None);
        if prompt.has_running_tools() {
            let node = prompt.node;
            self.cancel_tasks_of(node);
            return Some(prompt);
        }
        prompt.machine.abandon();
        self.leave_prompt(&prompt, Status::Cancelled, None, None);
        self.tasks.at_mut(id).node = prompt.outer;
        None
    }

    /// Gives up a prompt whose task is dropped.
    pub(crate) fn drop_prompt(&mut self, mut prompt: PromptRun) {
        prompt.machine.abandon();
        if let Some(operation) = prompt.operation {
            self.operations.abandon(operation);
        }
    }
}
