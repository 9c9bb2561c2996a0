//! `reflect` of steps, workflows and blocks: a failed body is judged, and what is learnt joins the next attempt.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::NodeKind;
use gsw_abi::types::{Record, Type, TypeId};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::codec::{self, decode};
use crate::event::EventKind;
use crate::export::Step;
use crate::node::{NewNode, NodeId, Status};
use crate::run::Run;
use crate::run::spawn::{NewTask, closure_function};
use crate::task::{Ending, Role, TaskId};
use crate::value::error;
use crate::wait::Wait;

/// A failed body that is being judged.
#[derive(Debug)]
pub struct Reflecting {
    /// Why it failed; owned.
    error: u64,
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
#[derive(Debug, Deserialize)]
struct Reflection {
    should_retry: bool,
    #[serde(default)]
    guidance: String,
}

impl Reflecting {
    /// Whether the judgement has been given.
    pub(crate) fn is_over(&self) -> bool {
        self.verdict.is_some()
    }
}

impl Run {
    /// Waits for a judgement on the failed body, or raises the error again. Takes the error and the closure over.
    ///
    /// Without a prompt to reflect with: an error of validation is tried again, a timeout once, any other while rounds
    /// remain.
    pub(crate) fn reflect(&mut self, raised: u64, used: u64, rounds: u64, closure: u64) -> Step {
        if used as i64 >= rounds as i64 || !self.is_worth_reflecting(raised) {
            self.heap.release(closure);
            return Step::Raised(raised);
        }
        if let Some(error) = self.interruption() {
            self.heap.release(closure);
            self.heap.release(raised);
            return Step::Raised(error);
        }
        let outer = self.current_node();
        let round = u32::try_from(used + 1).unwrap_or(u32::MAX);
        let level = self.level_of(outer);
        self.tell(outer, EventKind::ReflectionStart { level, round });
        if closure == 0 {
            return self.reflect_without_prompt(raised, used, outer);
        }
        let step = self.ask_prompt(raised, round, outer, closure);
        self.heap.release(closure);
        step
    }

    fn reflect_without_prompt(&mut self, raised: u64, used: u64, outer: NodeId) -> Step {
        let is_second_timeout = used > 0 && error::kind(raised) == Some(BuiltinError::Timeout);
        self.tell_end(outer, !is_second_timeout);
        if is_second_timeout {
            return Step::Raised(raised);
        }
        let message = error::message(&self.heap, raised);
        self.heap.release(raised);
        let guidance = format!(
            "An earlier attempt at this failed: {message}\nTake care that it does not fail so again."
        );
        self.guidance.insert(outer, vec![guidance]);
        Step::Done(0)
    }

    /// Starts the reflection prompt as a task under a node of its own.
    fn ask_prompt(&mut self, raised: u64, round: u32, outer: NodeId, closure: u64) -> Step {
        let loaded = std::sync::Arc::clone(&self.loaded);
        let function = &loaded.program.functions[closure_function(closure) as usize];
        let result = loaded.types.types.iter().position(is_reflection);
        let Some(result) = result.map(|index| TypeId(index as u32)) else {
            return self.cannot_reflect(raised, "it does not give a `Reflection`");
        };
        let known = self.arguments_for_prompt(raised, round, outer);
        let wanted = function
            .slots
            .iter()
            .take(function.parameters as usize)
            .skip(1);
        let mut words = Vec::new();
        for (place, slot) in wanted.enumerate() {
            let named = slot.name.as_deref().and_then(|name| known.get(name));
            let tree = named
                .or_else(|| known.values().nth(place))
                .cloned()
                .unwrap_or(Value::Null);
            match decode::decode(self, slot.ty, &tree) {
                Ok(word) => words.push(word),
                Err(issue) => {
                    for (slot, word) in function.slots.iter().skip(1).zip(words) {
                        self.heap.release_typed(slot.ty, word);
                    }
                    return self.cannot_reflect(raised, &issue.message);
                }
            }
        }
        let Some(frame) = self.closure_frame(closure, &words) else {
            return self.cannot_reflect(raised, "it asks no model");
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
            error: raised,
            node,
            outer,
            verdict: None,
        };
        self.wait_for(Wait::Reflect(Box::new(reflecting)))
    }

    /// Error, level, attempt and history, in the order in which a prompt takes them.
    fn arguments_for_prompt(
        &self,
        raised: u64,
        round: u32,
        outer: NodeId,
    ) -> serde_json::Map<String, Value> {
        let text = format!(
            "{}: {}",
            error::name(&self.heap, raised),
            error::message(&self.heap, raised)
        );
        let history = self.guidance.get(&outer).cloned().unwrap_or_default();
        let mut known = serde_json::Map::new();
        known.insert("error".into(), text.into());
        known.insert("level".into(), self.level_of(outer).into());
        known.insert("attempt".into(), round.into());
        known.insert("history".into(), json!(history));
        known
    }

    fn cannot_reflect(&mut self, raised: u64, why: &str) -> Step {
        self.heap.release(raised);
        Step::Raised(self.failed(&format!("the prompt after `with` cannot be asked: {why}")))
    }

    /// The judgement has ended; its ending is handed over.
    pub(crate) fn reflection_ended(&mut self, coordinator: TaskId, ending: Ending) {
        let verdict = match ending {
            Ending::Value(value) => {
                let ty = crate::value::type_of(value);
                let text = codec::encode(&self.heap, ty, value);
                self.heap.release(value);
                match serde_json::from_str(&text) {
                    Ok(reflection) => Verdict::Reflection(reflection),
                    Err(_) => {
                        Verdict::Raised(self.internal("a reflection prompt gave no `Reflection`"))
                    }
                }
            }
            Ending::Error(error) => Verdict::Raised(error),
            Ending::Cancelled => Verdict::Cancelled,
        };
        if let Wait::Reflect(reflecting) = &mut self.tasks.at_mut(coordinator).wait {
            reflecting.verdict = Some(verdict);
            let node = reflecting.node;
            self.tree.node_mut(node).joiner = coordinator;
        }
    }

    /// The task of the judgement is out of the list of its node.
    pub(crate) fn reflected(&mut self, id: TaskId) {
        let Wait::Reflect(reflecting) = std::mem::take(&mut self.tasks.at_mut(id).wait) else {
            return;
        };
        let Reflecting {
            error,
            node,
            outer,
            verdict,
        } = *reflecting;
        let task = self.tasks.at_mut(id);
        task.node = outer;
        let unwinding = if task.shield == 0 {
            task.pending.take()
        } else {
            None
        };
        let result = match (unwinding, verdict) {
            (Some(scope), verdict) => {
                if let Some(Verdict::Raised(raised)) = verdict {
                    self.heap.release(raised);
                }
                self.leave_node(node, Status::Cancelled, None);
                self.heap.release(error);
                Err(self.unwind_error(scope))
            }
            (None, Some(Verdict::Reflection(reflection))) if reflection.should_retry => {
                self.leave_node(node, Status::Completed, None);
                self.heap.release(error);
                if !reflection.guidance.is_empty() {
                    self.guidance
                        .entry(outer)
                        .or_default()
                        .push(reflection.guidance);
                }
                Ok(0)
            }
            (None, Some(Verdict::Raised(raised))) => {
                self.fail_node(node, raised);
                self.heap.release(error);
                Err(raised)
            }
            (None, _) => {
                self.leave_node(node, Status::Completed, None);
                Err(error)
            }
        };
        self.tell_end(outer, result.is_ok());
        self.wake(id, result);
    }

    /// Gives up a judgement whose task is dropped.
    pub(crate) fn drop_reflection(&mut self, reflecting: Reflecting) {
        self.heap.release(reflecting.error);
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

    fn tell_end(&mut self, outer: NodeId, success: bool) {
        let level = self.level_of(outer);
        self.tell(outer, EventKind::ReflectionEnd { level, success });
    }

    fn level_of(&self, node: NodeId) -> String {
        let level = if self.tree.node(node).kind == NodeKind::Workflow {
            "workflow"
        } else {
            "step"
        };
        level.into()
    }
}

fn is_reflection(ty: &Type) -> bool {
    let has = |record: &Record, name: &str| record.fields.iter().any(|it| it.name == name);
    matches!(ty, Type::Record(record)
        if record.name == "Reflection" && has(record, "should_retry") && has(record, "guidance"))
}
