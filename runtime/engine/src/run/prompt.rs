//! Prompt calls: each is a node, and a pure machine of the crate above that the run steps.

mod begin;
mod end;
mod tools;

use std::time::Duration;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::TypeId;

use crate::codec::decode;
use crate::event::EventKind;
use crate::export::Step;
use crate::model::{Check, ModelRequest, PromptEvent, PromptMachine, PromptNote, PromptStep};
use crate::node::{NodeId, Status};
use crate::operation::{OperationId, Outcome, Request};
use crate::run::Run;
use crate::scope::Charge;
use crate::task::TaskId;
use crate::value::error;
use crate::wait::Wait;

pub(crate) use begin::NewPrompt;
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
                if let Ok(answer) = &*answer {
                    let usage = answer.usage;
                    let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
                    self.charge(
                        id,
                        Charge {
                            tokens,
                            calls: 1,
                            usd: 0.0,
                        },
                    );
                }
                PromptEvent::Answered(answer)
            }
            Outcome::Released => PromptEvent::Released,
            Outcome::Failed(failure) => {
                let error = self.error_of_failure(failure);
                let result = self.end_prompt(&prompt, Err(error), None);
                self.give_prompt(id, &prompt, result);
                return;
            }
            _ => PromptEvent::Waited,
        };
        self.go_on_with_prompt(id, prompt, event);
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
                    self.charge(
                        task,
                        Charge {
                            usd: result.detail.cost_usd.unwrap_or(0.0),
                            ..Charge::default()
                        },
                    );
                    let word = self.word_of_answer(prompt, &result);
                    return Some(self.end_prompt(prompt, word, Some(result.detail)));
                }
                PromptStep::Fail(failure) => {
                    let error = self.error_of_prompt(&failure);
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
        let budget = self.tasks.at(task).budget;
        if let Some(what) = self.scopes.exceeded_by(budget, worst_case(&request)) {
            prompt.machine.abandon();
            let error = error::with_text(&mut self.heap, BuiltinError::BudgetExceeded, what);
            return Some(self.end_prompt(prompt, Err(error), None));
        }
        prompt.requests += 1;
        let (model, attempt) = (request.model.clone(), prompt.requests);
        self.tell(prompt.node, EventKind::ModelRequest { model, attempt });
        prompt.operation = Some(self.request(task, Request::Model { request }));
        None
    }

    fn charge(&mut self, task: TaskId, charge: Charge) {
        let budget = self.tasks.at(task).budget;
        self.scopes.charge(budget, charge);
    }

    fn tell_notes(&mut self, prompt: &mut PromptRun) {
        let level = || "prompt".to_owned();
        for note in prompt.machine.notes() {
            let kind = match note {
                PromptNote::CacheHit { key } => EventKind::CacheHit { key },
                PromptNote::CacheMiss { key } => EventKind::CacheMiss { key },
                PromptNote::InvalidResponse { response, issues } => {
                    EventKind::InvalidResponse { response, issues }
                }
                PromptNote::ReflectionStart { attempt, .. } => EventKind::ReflectionStart {
                    level: level(),
                    round: attempt,
                },
                PromptNote::ReflectionEnd { success } => EventKind::ReflectionEnd {
                    level: level(),
                    success,
                },
                PromptNote::Warning { message } => EventKind::Log {
                    level: crate::event::Level::Warn,
                    message,
                    data: None,
                },
            };
            self.tell(prompt.node, kind);
        }
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
        if prompt.has_running_tools() {
            let node = prompt.node;
            self.cancel_tasks_of(node);
            return Some(prompt);
        }
        prompt.machine.abandon();
        self.leave_prompt(&prompt, Status::Cancelled, None);
        self.tasks.at_mut(id).node = prompt.outer;
        None
    }

    /// Gives up a prompt whose task is dropped.
    pub(crate) fn drop_prompt(&mut self, mut prompt: PromptRun) {
        prompt.machine.abandon();
        if let Some(operation) = prompt.operation {
            self.operations.abandon(operation);
        }
        self.leave_prompt(&prompt, Status::Cancelled, None);
    }
}

/// The most that a request may cost: itself at four bytes a token, and as much answer as it allows.
fn worst_case(request: &ModelRequest) -> Charge {
    let bytes = serde_json::to_vec(request).map_or(0, |it| it.len());
    Charge {
        usd: 0.0,
        tokens: bytes as u64 / 4 + u64::from(request.max_tokens),
        calls: 1,
    }
}
