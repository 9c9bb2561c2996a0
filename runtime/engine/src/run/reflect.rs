//! `reflect` of steps, workflows and blocks: a failed body is judged, and what is learnt joins the next attempt.
//!
//! **Idea.** Compiled code runs the body of
//!
//! ```gsw
//! step "plan" reflect 2 { draft(topic) }
//! ```
//!
//! as attempts. When one raises, it calls `reflect` with the error. A judge, a prompt of the program or the one of the
//! prelude, is given the facts of the failure (`question`) and answers with a `Reflection`: whether to try again, why,
//! guidance for the prompts of the next attempt, and values for their parameters. Guidance and values are in the
//! [`reflection_log`](crate::run::reflection_log) by the node whose body failed, and prompts that begin inside of that node
//! look there. With `Ok` the compiled code enters another attempt, with `Err` it raises the error.
//!
//! **Invariants.**
//! - The error is owned by the `Failure` until it is raised again or released: each way out does exactly one of both.
//! - The judge runs as a task under a node of its own, so what it costs and says can be seen, and it is cancelled with the task
//!   that waits for it. A judge that waits for nothing is called at once.
//! - A reflection that fails itself changes nothing: the first error is raised.
//! - Faults, unwinding and lack of capacity are no matter for reflection, nor is what must not be repeated.
//! - Each `reflection_start` is followed by one `reflection_end` of the same node.

mod question;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::NodeKind;
use gsw_abi::types::TypeId;
use gsw_notation::json::written;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::codec;
use crate::event::{EventKind, ReflectionLevel};
use crate::heap::Heap;
use crate::node::{NewNode, NodeId, Status, Tree};
use crate::run::reflection_log::{ReflectionRecord, Resolution};
use crate::run::{Run, raise, retry};
use crate::scope::ScopeId;
use crate::step::Step;
use crate::task::{Ending, NewTask, Role, TaskId};
use crate::value::error;
use crate::wait::Wait;

/// A body that has failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure {
    pub error: u64,
    /// How many rounds of reflection there were before.
    pub used: u64,
    /// How many there may be.
    pub rounds: i64,
}

/// The judge of a failed body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge {
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

/// Waits for a judgement on the failed body, or raises the error again. Takes the error and the closure over.
pub(crate) fn reflect(run: &mut Run, failure: Failure, judge: Judge) -> Step {
    let closure = judge.closure;
    // A negative number of rounds is none.
    if failure.used >= failure.rounds.max(0).unsigned_abs()
        || !is_worth_reflecting(run, failure.error)
    {
        run.heap.release(closure);
        return Step::Raised(failure.error);
    }
    // Before the event: a reflection that is not begun is not reported.
    if let Some(error) = run.interruption() {
        run.heap.release(closure);
        run.heap.release(failure.error);
        return Step::Raised(error);
    }
    let outer = run.scheduler.current_node();
    let round = u32::try_from(failure.used + 1).unwrap_or(u32::MAX);
    let level = level_of(run.progress.tree(), outer);
    let error = raise::said_by(&run.heap, failure.error);
    run.progress.emit(
        outer,
        EventKind::ReflectionStart {
            level,
            round,
            error,
        },
    );
    // No model to ask (no prompt in the body, or the simulator): the default judgement is to try again with the error as
    // guidance.
    if judge.is_built_in && !has_model_to_reflect_with(run, outer) {
        run.heap.release(closure);
        let reflection = reflection_without_model(&run.heap, &failure);
        return resolve(run, outer, failure.error, reflection).into();
    }
    let step = ask_judge(run, failure, outer, judge);
    run.heap.release(closure);
    step
}

/// Whether a model that can judge was asked inside of what failed.
fn has_model_to_reflect_with(run: &Run, outer: NodeId) -> bool {
    let (Some(prompts), Some(model)) = (run.models.prompts(), run.reflection_log.model(outer))
    else {
        return false;
    };
    // Of several models in turn the first decides, which is the one that is asked if all is well.
    let first = model.as_array().map_or(Some(model), |it| it.first());
    first
        .and_then(Value::as_str)
        .is_some_and(|it| !prompts.is_simulated(it))
}

/// An error justifies another attempt, a timeout only one.
fn reflection_without_model(heap: &Heap, failure: &Failure) -> Reflection {
    let error = failure.error;
    let is_timeout = error::kind(error) == Some(BuiltinError::Timeout);
    let message = error::message(heap, error);
    Reflection {
        should_retry: failure.used == 0 || !is_timeout,
        reason: raise::said_by(heap, error),
        guidance: format!(
            "An earlier attempt at this failed: {message}\nMake sure that it does not fail in the same way again."
        ),
        revised: Map::new(),
    }
}

/// Starts the judge as a task under a node of its own, or calls it where it waits for nothing.
fn ask_judge(run: &mut Run, failure: Failure, outer: NodeId, judge: Judge) -> Step {
    let (closure, result) = (judge.closure, judge.result);
    let words = match question::words_for_judge(run, &failure, outer, judge.parameters) {
        Ok(words) => words,
        // The facts do not fit the judge's parameters: that is its failure, so the first error is raised.
        Err(message) => {
            let raised = raise::failed(&mut run.heap, &message);
            return conclude(run, &failure, outer, Verdict::Raised(raised)).into();
        }
    };
    let node = run.enter_node(NewNode {
        parent: outer,
        kind: NodeKind::Reflection,
        name: "reflection",
        index: None,
        status: Status::Running,
        input: None,
    });
    let coordinator = run.scheduler.current();
    // The judge works in its own node, below what failed: `around` stops there, so it is not led by its own guidance.
    run.scheduler.task_mut(coordinator).node = node;
    let Some(frame) = run.closure_frame(closure, &words) else {
        let ending = match run.call_closure(closure, &words) {
            Ok(value) => Ending::Value(value),
            Err(error) => Ending::Error(error),
        };
        run.scheduler.task_mut(coordinator).node = outer;
        let verdict = verdict(&mut run.heap, ending, result);
        leave_judgement(run, node, &verdict);
        return conclude(run, &failure, outer, verdict).into();
    };
    run.start_task(NewTask {
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
    run.scheduler.wait_for(Wait::Reflect(Box::new(reflecting)))
}

/// The judgement has ended; its ending, a value of this type or an error, is handed over.
pub(crate) fn reflection_ended(run: &mut Run, coordinator: TaskId, ending: Ending, result: TypeId) {
    let verdict = verdict(&mut run.heap, ending, result);
    if let Wait::Reflect(reflecting) = run.scheduler.wait_mut(coordinator) {
        reflecting.verdict = Some(verdict);
        let node = reflecting.node;
        // Not woken here: the task that has ended is still in the list of its node. The last one out wakes (`reflected`).
        run.scheduler.set_joiner(node, coordinator);
    }
}

fn verdict(heap: &mut Heap, ending: Ending, result: TypeId) -> Verdict {
    match ending {
        Ending::Value(value) => {
            // As JSON, so that the fields are found by their names, whatever the order in the prelude.
            let text = codec::encode(heap, result, value);
            heap.release_typed(result, value);
            match written(&text)
                .ok()
                .and_then(|it| serde_json::from_value(it).ok())
            {
                Some(reflection) => Verdict::Reflection(reflection),
                // The checker has ensured the type of the judge's result.
                None => Verdict::Raised(raise::internal(heap, "a reflection gave no `Reflection`")),
            }
        }
        Ending::Error(error) => Verdict::Raised(error),
        Ending::Cancelled => Verdict::Cancelled,
    }
}

/// The task of the judgement is out of the list of its node.
pub(crate) fn reflected(run: &mut Run, id: TaskId) {
    let Wait::Reflect(reflecting) = run.scheduler.take_wait(id) else {
        return;
    };
    let Reflecting {
        failure,
        node,
        outer,
        verdict,
    } = *reflecting;
    let verdict = verdict.unwrap_or(Verdict::Cancelled);
    let task = run.scheduler.task_mut(id);
    task.node = outer;
    // In a `defer` the task finishes what it does; the unwinding waits until the shield is gone.
    let unwinding = if task.shield == 0 {
        task.pending.take()
    } else {
        None
    };
    let result = match unwinding {
        Some(scope) => Err(give_up(
            run,
            GivenUp {
                node,
                outer,
                error: failure.error,
                verdict,
            },
            scope,
        )),
        None => {
            leave_judgement(run, node, &verdict);
            conclude(run, &failure, outer, verdict)
        }
    };
    run.scheduler.wake(id, result);
}

/// A reflection that is unwound; the error is owned.
struct GivenUp {
    node: NodeId,
    outer: NodeId,
    error: u64,
    verdict: Verdict,
}

fn give_up(run: &mut Run, given_up: GivenUp, scope: ScopeId) -> u64 {
    let GivenUp {
        node,
        outer,
        error,
        verdict,
    } = given_up;
    if let Verdict::Raised(raised) = verdict {
        run.heap.release(raised);
    }
    run.leave_node(node, Status::Cancelled, None);
    // Reported all the same: each start has one end.
    report_end(run, outer, Helped::No, "cancelled");
    run.heap.release(error);
    raise::unwind_error(&mut run.heap, scope)
}

fn leave_judgement(run: &mut Run, node: NodeId, verdict: &Verdict) {
    match verdict {
        Verdict::Reflection(_) => run.leave_node(node, Status::Completed, None),
        Verdict::Raised(raised) => run.fail_node(node, *raised),
        Verdict::Cancelled => run.leave_node(node, Status::Cancelled, None),
    }
}

/// Another attempt, or the error again: a reflection that fails itself changes nothing.
fn conclude(run: &mut Run, failure: &Failure, outer: NodeId, verdict: Verdict) -> Result<u64, u64> {
    match verdict {
        Verdict::Reflection(reflection) => resolve(run, outer, failure.error, reflection),
        Verdict::Raised(raised) => {
            let why = error::message(&run.heap, raised);
            run.heap.release(raised);
            skip(run, outer, failure.error, &why)
        }
        Verdict::Cancelled => skip(run, outer, failure.error, "it was cancelled"),
    }
}

struct Said {
    reason: String,
    guidance: String,
}

fn skip(run: &mut Run, outer: NodeId, raised: u64, why: &str) -> Result<u64, u64> {
    let message = format!("the reflection failed: {why}");
    run.progress.warn(outer, message);
    let said = Said {
        reason: why.to_owned(),
        guidance: String::new(),
    };
    note(run, outer, raised, said, Resolution::Skip);
    report_end(run, outer, Helped::No, why);
    Err(raised)
}

fn resolve(run: &mut Run, outer: NodeId, raised: u64, reflection: Reflection) -> Result<u64, u64> {
    let reason = reflection.reason;
    let said = Said {
        reason: reason.clone(),
        guidance: reflection.guidance.clone(),
    };
    if !reflection.should_retry {
        note(run, outer, raised, said, Resolution::Abort);
        report_end(run, outer, Helped::No, &reason);
        return Err(raised);
    }
    note(run, outer, raised, said, Resolution::Retry);
    run.reflection_log.refuse(outer, error::kind(raised));
    run.reflection_log
        // Before the next attempt begins, whose prompts look there.
        .learn(outer, &reflection.guidance, reflection.revised);
    report_end(run, outer, Helped::Yes, &reason);
    run.heap.release(raised);
    Ok(0)
}

fn note(run: &mut Run, node: NodeId, raised: u64, said: Said, resolution: Resolution) {
    let Said { reason, guidance } = said;
    let record = ReflectionRecord {
        time: run.progress.now(),
        node,
        level: level_of(run.progress.tree(), node),
        reason,
        error: raise::said_by(&run.heap, raised),
        resolution,
        success: false,
        guidance,
    };
    run.reflection_log.note(record);
}

/// Releases a judgement whose task is dropped.
pub(crate) fn drop_reflection(heap: &mut Heap, reflecting: Reflecting) {
    heap.release(reflecting.failure.error);
    if let Some(Verdict::Raised(raised)) = reflecting.verdict {
        heap.release(raised);
    }
}

fn is_worth_reflecting(run: &Run, raised: u64) -> bool {
    // The prompt has tried again by itself, with its waits; another attempt of the step would meet the same limit.
    let is_capacity = matches!(
        error::kind(raised),
        Some(BuiltinError::RateLimited | BuiltinError::Overloaded)
    );
    !is_capacity && retry::may_try_again(run, raised)
}

/// Whether a reflection led to another attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Helped {
    Yes,
    No,
}

fn report_end(run: &mut Run, outer: NodeId, helped: Helped, reason: &str) {
    let level = level_of(run.progress.tree(), outer);
    let reason = reason.to_owned();
    run.progress.emit(
        outer,
        EventKind::ReflectionEnd {
            level,
            success: helped == Helped::Yes,
            reason,
        },
    );
}

fn level_of(tree: &Tree, node: NodeId) -> ReflectionLevel {
    if tree.node(node).kind == NodeKind::Workflow {
        ReflectionLevel::Workflow
    } else {
        ReflectionLevel::Step
    }
}
