//! Hooks around a whole call of a prompt: before its model is asked, and when it has ended and its node is still there.
//!
//! They are asked one after the other, in the order of the list, and for each moment all of them before the next moment. While they
//! are asked the call waits as for its tools. What begins a call may refuse it or attach a text; what ends it only watches, so that
//! its failure is a warning and the call gives what it would have given.

use std::collections::VecDeque;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::hook::Moment;
use gsw_tree::detail::PromptDetail;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::event::HookVerdict;
use crate::model::PromptEvent;
use crate::run::prompt::PromptRun;
use crate::run::prompt::hooks::{Given, HandlerAt, is_unwinding};
use crate::run::{Run, raise};
use crate::task::{Ending, Role, TaskId};
use crate::value::error;
use crate::wait::Wait;

/// The result of a call, before its node is left.
#[derive(Debug)]
pub(super) struct Ended {
    pub result: Result<u64, u64>,
    pub detail: Option<PromptDetail>,
}

impl Ended {
    pub(super) const fn with_error(error: u64) -> Self {
        Self {
            result: Err(error),
            detail: None,
        }
    }
}

/// The hooks that are being asked.
#[derive(Debug)]
pub(super) struct Around {
    /// The first one is being asked.
    queue: VecDeque<HandlerAt>,
    then: Then,
    /// An error that goes to the program.
    raised: Option<u64>,
    /// Whether the first one of the queue has not ended.
    is_asked: bool,
}

/// How a call continues after its hooks.
enum Next {
    Waits,
    /// It has begun, and has ended at once.
    Ended(Ended),
    /// All hooks for its end have run.
    Over(Ended),
}

#[derive(Debug)]
enum Then {
    Begin,
    End(Box<Ended>),
}

/// What `before_prompt` returned.
#[derive(Deserialize)]
struct Admission {
    /// Why the call is refused without asking.
    denied: Option<String>,
    attached: Option<String>,
}

impl PromptRun {
    fn asked_at(&self, run: &Run, moments: &[Moment]) -> VecDeque<HandlerAt> {
        let mut queue = VecDeque::new();
        for &moment in moments {
            let mut from = 0;
            while let Some(hook) = self.hook_from(run, moment, from) {
                queue.push_back(HandlerAt { hook, moment });
                from = hook + 1;
            }
        }
        queue
    }

    /// Begins the call: its hooks first. Returns what it gives when it has ended at once.
    pub(super) fn begin(&mut self, run: &mut Run, task: TaskId) -> Option<Ended> {
        let queue = self.asked_at(run, &[Moment::SessionStart, Moment::BeforePrompt]);
        if queue.is_empty() {
            return self.step(run, task, PromptEvent::Start);
        }
        match self.ask_next(run, task, Around::new(queue, Then::Begin)) {
            Next::Waits => None,
            Next::Ended(ended) | Next::Over(ended) => Some(ended),
        }
    }

    /// The call has ended: the hooks for its end are asked. Returns what the program gets when there are none.
    pub(super) fn close(
        &mut self,
        run: &mut Run,
        task: TaskId,
        ended: Ended,
    ) -> Option<Result<u64, u64>> {
        let moments: &[Moment] = match ended.result.err().map(error::kind) {
            None => &[Moment::SessionEnd],
            // No hook is asked about what is being given up.
            Some(Some(BuiltinError::Cancelled | BuiltinError::Unwind)) => &[],
            Some(Some(BuiltinError::BudgetExceeded)) => {
                &[Moment::OnBudget, Moment::OnError, Moment::SessionEnd]
            }
            Some(_) => &[Moment::OnError, Moment::SessionEnd],
        };
        let queue = self.asked_at(run, moments);
        if queue.is_empty() || is_unwinding(run, task) {
            return Some(self.end(run, ended.result, ended.detail));
        }
        match self.ask_next(run, task, Around::new(queue, Then::End(Box::new(ended)))) {
            Next::Waits => None,
            Next::Ended(ended) | Next::Over(ended) => {
                Some(self.end(run, ended.result, ended.detail))
            }
        }
    }

    /// As [`Self::close`], for a call whose task waits.
    pub(super) fn conclude(mut self: Box<Self>, run: &mut Run, id: TaskId, ended: Ended) {
        match self.close(run, id, ended) {
            Some(result) => self.hand_back(run, id, result),
            None => run.scheduler.set_wait(id, Wait::Prompt(self)),
        }
    }

    /// Asks the first hook of the queue; without one the call begins, or has ended.
    fn ask_next(&mut self, run: &mut Run, task: TaskId, mut around: Around) -> Next {
        while let Some(&at) = around.queue.front() {
            let given = self.given_around(run, at.moment, &around.then);
            let role = Role::Tool {
                coordinator: task,
                index: 0,
            };
            match self.start_hook(run, role, at, given) {
                Ok(()) => {
                    around.is_asked = true;
                    self.around = Some(around);
                    return Next::Waits;
                }
                Err(why) => {
                    self.report_hook(run, at, HookVerdict::Failed, Some(&why));
                    around.queue.pop_front();
                }
            }
        }
        match around.then {
            Then::Begin => match self.step(run, task, PromptEvent::Start) {
                None => Next::Waits,
                Some(ended) => Next::Ended(ended),
            },
            Then::End(ended) => Next::Over(*ended),
        }
    }

    /// What the hooks at this moment are given.
    fn given_around(&self, run: &Run, moment: Moment, then: &Then) -> Given {
        let failure = match then {
            Then::Begin => Value::Null,
            Then::End(ended) => match ended.result {
                Ok(_) => Value::Null,
                Err(raised) => {
                    let kind = run.described(raised).error;
                    json!({ "kind": kind, "message": error::message(&run.heap, raised) })
                }
            },
        };
        let mut values = Map::new();
        values.insert("session".into(), self.session_of_hooks(run));
        match moment {
            Moment::BeforePrompt => {
                values.insert("text".into(), json!(self.hooks.text));
            }
            Moment::OnError | Moment::SessionEnd => {
                values.insert("failure".into(), failure);
            }
            Moment::OnBudget => {
                values.insert("what".into(), failure["message"].clone());
            }
            Moment::SessionStart | Moment::BeforeTool | Moment::AfterTool => {}
        }
        let shown = self.observed.redacted(Value::Object(values.clone()));
        Given { values, shown }
    }

    /// A hook around the call has ended.
    pub(super) fn around_ended(
        mut self: Box<Self>,
        run: &mut Run,
        coordinator: TaskId,
        mut around: Around,
        ending: Ending,
    ) {
        let Some(at) = around.queue.pop_front() else {
            unreachable!("a hook that ends is the first of the queue");
        };
        match self.said_by_hook::<Value>(run, &mut around.raised, at, ending) {
            Ok(said) => self.take_admission(run, at, said, &mut around),
            Err(why) => {
                self.report_hook(run, at, HookVerdict::Failed, Some(&why));
                if at.moment == Moment::BeforePrompt {
                    self.refuse_to_begin(run, &why, &mut around);
                } else {
                    run.progress.warn(self.node, why);
                }
            }
        }
        if around.raised.is_some() {
            around.queue.clear();
        }
        around.is_asked = false;
        let node = self.node;
        self.around = Some(around);
        run.scheduler.set_wait(coordinator, Wait::Prompt(self));
        // Not resumed here: the task that has ended is still in the list of the prompt's node.
        run.scheduler.set_joiner(node, coordinator);
    }

    fn take_admission(&mut self, run: &mut Run, at: HandlerAt, said: Value, around: &mut Around) {
        if at.moment != Moment::BeforePrompt {
            return self.report_hook(run, at, HookVerdict::Passed, None);
        }
        match serde_json::from_value::<Admission>(said) {
            Ok(Admission {
                denied: Some(why), ..
            }) => {
                self.report_hook(run, at, HookVerdict::Denied, Some(&why));
                self.refuse_to_begin(run, &why, around);
            }
            Ok(Admission {
                attached: Some(text),
                ..
            }) => {
                self.report_hook(run, at, HookVerdict::Changed, None);
                self.hooks.text = format!("{}\n\n{text}", self.hooks.text);
                self.note_foreign("what a hook has attached");
                self.machine.attach(text);
            }
            Ok(_) => self.report_hook(run, at, HookVerdict::Passed, None),
            Err(why) => self.refuse_to_begin(run, &why.to_string(), around),
        }
    }

    fn refuse_to_begin(&self, run: &mut Run, why: &str, around: &mut Around) {
        if around.raised.is_none() {
            let why = error::with_text(&mut run.heap, BuiltinError::Refused, why);
            around.raised = Some(why);
        }
    }

    /// The hook that was asked last is out of the list of the prompt's node.
    pub(super) fn go_on_around(
        mut self: Box<Self>,
        run: &mut Run,
        coordinator: TaskId,
        around: Around,
    ) {
        let task = run.scheduler.task(coordinator);
        if let Some(scope) = task.pending.filter(|_| task.shield == 0) {
            let Around {
                queue,
                then,
                raised,
                is_asked: _,
            } = around;
            if let Some(error) = raised {
                run.heap.release(error);
            }
            if let Then::End(ended) = &then {
                self.release_ended(run, ended);
            }
            run.scheduler.task_mut(coordinator).pending = None;
            let is_out_of_time = self.is_limited_by(scope);
            let error = if is_out_of_time {
                self.out_of_time_error(run)
            } else {
                raise::unwind_error(&mut run.heap, scope)
            };
            let ended = Ended::with_error(error);
            return match (is_out_of_time, then) {
                (true, Then::Begin) => self.conclude(run, coordinator, ended),
                // Those for the end that were asked are not asked a second time, the others learn what the call gives now.
                (true, Then::End(_)) => {
                    let rest = Around::new(queue, Then::End(Box::new(ended)));
                    let next = self.ask_next(run, coordinator, rest);
                    self.go_on_with(run, coordinator, next);
                }
                (false, Then::Begin | Then::End(_)) => {
                    let result = self.end(run, ended.result, None);
                    self.hand_back(run, coordinator, result);
                }
            };
        }
        let next = match around {
            Around {
                raised: None,
                queue,
                then,
                ..
            } => self.ask_next(run, coordinator, Around::new(queue, then)),
            Around {
                raised: Some(error),
                then: Then::Begin,
                ..
            } => Next::Ended(Ended::with_error(error)),
            Around {
                raised: Some(error),
                then: Then::End(ended),
                ..
            } => {
                self.release_ended(run, &ended);
                Next::Over(Ended::with_error(error))
            }
        };
        self.go_on_with(run, coordinator, next);
    }

    fn go_on_with(self: Box<Self>, run: &mut Run, coordinator: TaskId, next: Next) {
        match next {
            Next::Waits => run.scheduler.set_wait(coordinator, Wait::Prompt(self)),
            // Also of a call that was refused before it began: hooks on the end are called.
            Next::Ended(ended) => self.conclude(run, coordinator, ended),
            Next::Over(ended) => {
                let result = self.end(run, ended.result, ended.detail);
                self.hand_back(run, coordinator, result);
            }
        }
    }

    fn release_ended(&self, run: &mut Run, ended: &Ended) {
        match ended.result {
            Ok(word) => run.heap.release_typed(self.result, word),
            Err(error) => run.heap.release(error),
        }
    }
}

impl Around {
    const fn new(queue: VecDeque<HandlerAt>, then: Then) -> Self {
        Self {
            queue,
            then,
            raised: None,
            is_asked: false,
        }
    }

    /// Whether a hook is being asked.
    pub(super) const fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// Releases what is not handed out.
    pub(super) fn release(&self, run: &mut Run, prompt: &PromptRun) {
        if let Some(error) = self.raised {
            run.heap.release(error);
        }
        match &self.then {
            Then::Begin => {}
            Then::End(ended) => prompt.release_ended(run, ended),
        }
    }
}
