//! `reflect` of steps, workflows and blocks: a failed body is judged, and what is learnt joins the next attempt.

mod question;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::NodeKind;
use gsw_abi::types::TypeId;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::codec;
use crate::event::{EventKind, Level, ReflectionLevel};
use crate::node::{NewNode, NodeId, Status};
use crate::run::Run;
use crate::run::lessons::{Lesson, Resolution};
use crate::run::spawn::NewTask;
use crate::scope::ScopeId;
use crate::step::Step;
use crate::task::{Ending, Role, TaskId};
use crate::value::error;
use crate::wait::Wait;

/// A body that has failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure {
    /// Why; owned.
    pub error: u64,
    /// How many rounds of reflection there were before.
    pub used: u64,
    /// How many there may be.
    pub rounds: i64,
}

/// Who judges a failed body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge {
    /// A function value; owned.
    pub closure: u64,
    /// Whether it is the prompt of the prelude, which is asked only if there is a model to ask.
    pub is_built_in: bool,
    /// The type of `Reflection`.
    pub result: TypeId,
    /// A record type whose fields are its parameters.
    pub parameters: TypeId,
}

/// A failed body that is being judged.
#[derive(Debug)]
pub struct Reflecting {
    failure: Failure,
    /// The node of the reflection.
    node: NodeId,
    /// The node whose body failed.
    outer: NodeId,
    verdict: Option<Verdict>,
}

/// What a judgement ended with.
#[derive(Debug)]
enum Verdict {
    Reflection(Reflection),
    /// The reflection itself raised; owned.
    Raised(u64),
    Cancelled,
}

/// What a reflection prompt answers.
#[derive(Debug, Default, Deserialize)]
struct Reflection {
    should_retry: bool,
    reason: String,
    guidance: String,
    revised: Map<String, Value>,
}

impl Reflecting {
    /// Whether the judgement has been given.
    pub(crate) fn is_over(&self) -> bool {
        self.verdict.is_some()
    }
}

impl Run {
    /// Waits for a judgement on the failed body, or raises the error again. Takes the error and the closure over.
    pub(crate) fn reflect(&mut self, failure: Failure, judge: Judge) -> Step {
        let closure = judge.closure;
        if failure.used >= failure.rounds.max(0).unsigned_abs()
            || !self.is_worth_reflecting(failure.error)
        {
            self.heap.release(closure);
            return Step::Raised(failure.error);
        }
        if let Some(error) = self.interruption() {
            self.heap.release(closure);
            self.heap.release(failure.error);
            return Step::Raised(error);
        }
        let outer = self.current_node();
        let round = u32::try_from(failure.used + 1).unwrap_or(u32::MAX);
        let level = self.level_of(outer);
        let error = self.text_of_error(failure.error);
        self.tell(
            outer,
            EventKind::ReflectionStart {
                level,
                round,
                error,
            },
        );
        if judge.is_built_in && !self.has_model_to_reflect_with(outer) {
            self.heap.release(closure);
            let reflection = self.reflection_without_model(&failure);
            return self.resolve(outer, failure.error, reflection).into();
        }
        let step = self.ask_judge(failure, outer, judge);
        self.heap.release(closure);
        step
    }

    /// Whether a model that can judge was asked inside of what failed.
    fn has_model_to_reflect_with(&self, outer: NodeId) -> bool {
        let (Some(prompts), Some(model)) = (&self.prompts.0, self.lessons.model(outer)) else {
            return false;
        };
        let first = match model {
            Value::Array(models) => models.first(),
            one => Some(one),
        };
        first
            .and_then(Value::as_str)
            .is_some_and(|it| !prompts.is_simulated(it))
    }

    /// An error is worth another attempt, a timeout once.
    fn reflection_without_model(&self, failure: &Failure) -> Reflection {
        let error = failure.error;
        let is_timeout = error::kind(error) == Some(BuiltinError::Timeout);
        let message = error::message(&self.heap, error);
        Reflection {
            should_retry: failure.used == 0 || !is_timeout,
            reason: format!("{}: {message}", error::name(&self.heap, error)),
            guidance: format!(
                "An earlier attempt at this failed: {message}\nTake care that it does not fail so again."
            ),
            revised: Map::new(),
        }
    }

    /// Starts the judge as a task under a node of its own, or calls it where it waits for nothing.
    fn ask_judge(&mut self, failure: Failure, outer: NodeId, judge: Judge) -> Step {
        let (closure, result) = (judge.closure, judge.result);
        let words = match self.words_for_judge(&failure, outer, judge.parameters) {
            Ok(words) => words,
            Err(message) => {
                let raised = self.failed(&message);
                return self
                    .conclude(&failure, outer, Verdict::Raised(raised))
                    .into();
            }
        };
        let node = self.enter_node(NewNode {
            parent: outer,
            kind: NodeKind::Reflection,
            name: "reflection",
            index: None,
            status: Status::Running,
            input: None,
        });
        let coordinator = self.current;
        self.tasks.at_mut(coordinator).node = node;
        let Some(frame) = self.closure_frame(closure, &words) else {
            let ending = match self.call_closure(closure, &words) {
                Ok(value) => Ending::Value(value),
                Err(error) => Ending::Error(error),
            };
            self.tasks.at_mut(coordinator).node = outer;
            let verdict = self.verdict(ending, result);
            self.leave_judgement(node, &verdict);
            return self.conclude(&failure, outer, verdict).into();
        };
        self.start_task(NewTask {
            frame,
            owner: node,
            kind: NodeKind::Task,
            name: "task",
            index: None,
            input: None,
            role: Role::Reflection { coordinator },
            result,
        });
        let reflecting = Reflecting {
            failure,
            node,
            outer,
            verdict: None,
        };
        self.wait_for(Wait::Reflect(Box::new(reflecting)))
    }

    /// The judgement has ended; its ending, a value of this type or an error, is handed over.
    pub(crate) fn reflection_ended(&mut self, coordinator: TaskId, ending: Ending, result: TypeId) {
        let verdict = self.verdict(ending, result);
        if let Wait::Reflect(reflecting) = &mut self.tasks.at_mut(coordinator).wait {
            reflecting.verdict = Some(verdict);
            let node = reflecting.node;
            self.tree.node_mut(node).joiner = coordinator;
        }
    }

    fn verdict(&mut self, ending: Ending, result: TypeId) -> Verdict {
        match ending {
            Ending::Value(value) => {
                let text = codec::encode(&self.heap, result, value);
                self.heap.release_typed(result, value);
                match serde_json::from_str(&text) {
                    Ok(reflection) => Verdict::Reflection(reflection),
                    Err(_) => Verdict::Raised(self.internal("a reflection gave no `Reflection`")),
                }
            }
            Ending::Error(error) => Verdict::Raised(error),
            Ending::Cancelled => Verdict::Cancelled,
        }
    }

    /// The task of the judgement is out of the list of its node.
    pub(crate) fn reflected(&mut self, id: TaskId) {
        let Wait::Reflect(reflecting) = std::mem::take(&mut self.tasks.at_mut(id).wait) else {
            return;
        };
        let Reflecting {
            failure,
            node,
            outer,
            verdict,
        } = *reflecting;
        let verdict = verdict.unwrap_or(Verdict::Cancelled);
        let task = self.tasks.at_mut(id);
        task.node = outer;
        let unwinding = if task.shield == 0 {
            task.pending.take()
        } else {
            None
        };
        let result = match unwinding {
            Some(scope) => Err(self.give_up_reflection((node, outer), &failure, verdict, scope)),
            None => {
                self.leave_judgement(node, &verdict);
                self.conclude(&failure, outer, verdict)
            }
        };
        self.wake(id, result);
    }

    fn give_up_reflection(
        &mut self,
        (node, outer): (NodeId, NodeId),
        failure: &Failure,
        verdict: Verdict,
        scope: ScopeId,
    ) -> u64 {
        if let Verdict::Raised(raised) = verdict {
            self.heap.release(raised);
        }
        self.leave_node(node, Status::Cancelled, None);
        self.tell_end(outer, false, "cancelled");
        self.heap.release(failure.error);
        self.unwind_error(scope)
    }

    fn leave_judgement(&mut self, node: NodeId, verdict: &Verdict) {
        match verdict {
            Verdict::Reflection(_) => self.leave_node(node, Status::Completed, None),
            Verdict::Raised(raised) => self.fail_node(node, *raised),
            Verdict::Cancelled => self.leave_node(node, Status::Cancelled, None),
        }
    }

    /// Another attempt, or the error again: a reflection that fails itself changes nothing.
    fn conclude(&mut self, failure: &Failure, outer: NodeId, verdict: Verdict) -> Result<u64, u64> {
        match verdict {
            Verdict::Reflection(reflection) => self.resolve(outer, failure.error, reflection),
            Verdict::Raised(raised) => {
                let why = error::message(&self.heap, raised);
                self.heap.release(raised);
                self.skip(outer, failure.error, &why)
            }
            Verdict::Cancelled => self.skip(outer, failure.error, "it was cancelled"),
        }
    }

    fn skip(&mut self, outer: NodeId, raised: u64, why: &str) -> Result<u64, u64> {
        let message = format!("the reflection failed: {why}");
        self.log_at(outer, Level::Warn, message.into(), None);
        let reason = why.to_owned();
        self.note_lesson(outer, raised, (reason, String::new()), Resolution::Skip);
        self.tell_end(outer, false, why);
        Err(raised)
    }

    fn resolve(&mut self, outer: NodeId, raised: u64, reflection: Reflection) -> Result<u64, u64> {
        let reason = reflection.reason;
        let said = (reason.clone(), reflection.guidance.clone());
        if !reflection.should_retry {
            self.note_lesson(outer, raised, said, Resolution::Abort);
            self.tell_end(outer, false, &reason);
            return Err(raised);
        }
        self.note_lesson(outer, raised, said, Resolution::Retry);
        self.lessons
            .learn(outer, &reflection.guidance, reflection.revised);
        self.tell_end(outer, true, &reason);
        self.heap.release(raised);
        Ok(0)
    }

    fn note_lesson(
        &mut self,
        node: NodeId,
        raised: u64,
        (reason, guidance): (String, String),
        resolution: Resolution,
    ) {
        let lesson = Lesson {
            time: self.now,
            node,
            level: self.level_of(node),
            reason,
            error: self.text_of_error(raised),
            resolution,
            success: false,
            guidance,
        };
        self.lessons.note(lesson);
    }

    /// Gives up a judgement whose task is dropped.
    pub(crate) fn drop_reflection(&mut self, reflecting: Reflecting) {
        self.heap.release(reflecting.failure.error);
        if let Some(Verdict::Raised(raised)) = reflecting.verdict {
            self.heap.release(raised);
        }
    }

    fn is_worth_reflecting(&self, raised: u64) -> bool {
        let is_capacity = matches!(
            error::kind(raised),
            Some(BuiltinError::RateLimited | BuiltinError::Overloaded)
        );
        !is_capacity && self.may_try_again(raised)
    }

    fn text_of_error(&self, raised: u64) -> String {
        let name = error::name(&self.heap, raised);
        format!("{name}: {}", error::message(&self.heap, raised))
    }

    fn tell_end(&mut self, outer: NodeId, success: bool, reason: &str) {
        let level = self.level_of(outer);
        let reason = reason.to_owned();
        self.tell(
            outer,
            EventKind::ReflectionEnd {
                level,
                success,
                reason,
            },
        );
    }

    fn level_of(&self, node: NodeId) -> ReflectionLevel {
        if self.tree.node(node).kind == NodeKind::Workflow {
            ReflectionLevel::Workflow
        } else {
            ReflectionLevel::Step
        }
    }
}
