//! Prompt calls: each is a node, and a pure machine of the crate above that the run steps.

mod arguments;
mod asking;
mod begin;
mod end;
pub(crate) mod hidden;
mod keys;
mod observed;
mod tools;

use asking::{Asked, Asking, Cost};
use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::TypeId;
use gsw_tree::usage::Usage;

use crate::answers::KeptAnswer;
use crate::codec::decode;
use crate::event::{EventKind, Level, ReflectionLevel};
use crate::model::{
    Check, ModelAnswer, ModelFailure, PromptEvent, PromptMachine, PromptNote, PromptStep,
};
use crate::node::{NodeId, Status};
use crate::operation::{OperationId, Outcome, Request};
use crate::run::Run;
use crate::run::lessons::{Lesson, Resolution};
use crate::scope::{ScopeId, ScopeKind};
use crate::step::Step;
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
    asking: Asking,
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
    /// What it has looked up among the answers that are kept.
    key: Option<String>,
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
            asking: Asking::default(),
            model: String::new(),
            usage: Usage::default(),
            invalid: String::new(),
            observed,
            asked_by: String::new(),
            key: None,
        }
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
        match self.step_prompt(current, &mut prompt, PromptEvent::Start) {
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
            Outcome::Model(answer) => return self.model_answered(id, prompt, *answer),
            Outcome::Found(found) => {
                self.note_found(&prompt, &found);
                PromptEvent::Found(found)
            }
            Outcome::GaveWay(keys) => {
                // Whoever keeps the answer has let go of its key.
                self.cache_keys.remove(&prompt.node);
                PromptEvent::Kept(keys)
            }
            Outcome::Failed(failure) => {
                self.settle_prompt(id, &mut prompt, Cost::Failed(1));
                let error = self.error_of_failure(failure);
                let result = self.end_prompt(&prompt, Err(error), None);
                self.give_prompt(id, &prompt, result);
                return;
            }
            _ => match self.try_again(id, &mut prompt) {
                Some(asked) => return self.go_on_as_asked(id, prompt, asked),
                None => PromptEvent::Waited,
            },
        };
        self.go_on_with_prompt(id, prompt, event);
    }

    fn model_answered(
        &mut self,
        id: TaskId,
        mut prompt: Box<PromptRun>,
        answer: Result<ModelAnswer, ModelFailure>,
    ) {
        self.take_answer(&mut prompt, &answer);
        if let Some(what) = self.settle_prompt(id, &mut prompt, Cost::of(&answer)) {
            let result = self.refuse_prompt(&mut prompt, &what);
            return self.give_prompt(id, &prompt, result);
        }
        if let Err(failure) = &answer
            && self.waits_to_try_again(id, &mut prompt, failure)
        {
            self.tasks.at_mut(id).wait = Wait::Prompt(prompt);
            return;
        }
        let answer = Box::new(prompt.of_all_attempts(answer));
        self.go_on_with_prompt(id, prompt, PromptEvent::Answered(answer));
    }

    /// No budget allows what the prompt asked.
    fn refuse_prompt(&mut self, prompt: &mut PromptRun, what: &str) -> Result<u64, u64> {
        let error = self.budget_exceeded(what);
        self.give_up_prompt(prompt, error)
    }

    fn give_up_prompt(&mut self, prompt: &mut PromptRun, error: u64) -> Result<u64, u64> {
        self.end_prompt(prompt, Err(error), None)
    }

    fn go_on_as_asked(&mut self, id: TaskId, mut prompt: Box<PromptRun>, asked: Asked) {
        match asked {
            Asked::Waits => self.tasks.at_mut(id).wait = Wait::Prompt(prompt),
            Asked::Refused(what) => {
                let result = self.refuse_prompt(&mut prompt, &what);
                self.give_prompt(id, &prompt, result);
            }
            Asked::OutOfMemory => {
                let error = self.fault(BuiltinError::OutOfMemory);
                let result = self.give_up_prompt(&mut prompt, error);
                self.give_prompt(id, &prompt, result);
            }
            Asked::Failed(failure) => {
                let event = PromptEvent::Answered(Box::new(Err(failure)));
                self.go_on_with_prompt(id, prompt, event);
            }
        }
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
                PromptStep::Ask(request) => match self.ask(task, prompt, request) {
                    Asked::Waits => return None,
                    Asked::Refused(what) => return Some(self.refuse_prompt(prompt, &what)),
                    Asked::OutOfMemory => {
                        let error = self.fault(BuiltinError::OutOfMemory);
                        return Some(self.give_up_prompt(prompt, error));
                    }
                    Asked::Failed(failure) => event = PromptEvent::Answered(Box::new(Err(failure))),
                },
                PromptStep::Wait(delay) => {
                    let nanoseconds = i64::try_from(delay.as_nanos()).unwrap_or(i64::MAX);
                    prompt.operation = Some(self.request(task, Request::Sleep { nanoseconds }));
                    return None;
                }
                PromptStep::LookUp(key, when_busy) => {
                    let request = self.look_up(prompt, key, when_busy);
                    prompt.operation = Some(self.request(task, request));
                    return None;
                }
                PromptStep::Keep {
                    key,
                    owner,
                    text,
                    ttl,
                } => {
                    let answer = Box::new(KeptAnswer {
                        key,
                        owner,
                        text,
                        ttl,
                        at: self.time(),
                    });
                    prompt.operation = Some(self.request(task, Request::Keep { answer }));
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

    fn tell_notes(&mut self, prompt: &mut PromptRun) {
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
                    level: ReflectionLevel::Prompt,
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
                        level: ReflectionLevel::Prompt,
                        success,
                        reason,
                    }
                }
                PromptNote::RefusedCall {
                    tool,
                    name,
                    input,
                    message,
                } => {
                    let input = prompt.observed.tool_input(tool, &input);
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
            level: ReflectionLevel::Prompt,
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
        self.settle_prompt(id, &mut prompt, Cost::Unknown);
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
        self.settle_prompt(id, &mut prompt, Cost::Unknown);
        if prompt.has_running_tools() {
            let node = prompt.node;
            self.cancel_tasks_of(node);
            return Some(prompt);
        }
        self.leave_prompt(&prompt, Status::Cancelled, None, None);
        self.tasks.at_mut(id).node = prompt.outer;
        None
    }

    /// Gives up a prompt whose task is dropped.
    pub(crate) fn drop_prompt(&mut self, prompt: PromptRun) {
        self.let_go_of_key(prompt.node);
        self.discharge_conversation(&prompt);
        if let Some(operation) = prompt.operation {
            self.operations.abandon(operation);
        }
    }
}
