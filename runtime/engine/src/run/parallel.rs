//! `parallel for` and `parallel (…)`: iterations in order of input, results too, this many at once.

use std::sync::Arc;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::{ErrorPolicy, NodeKind};
use gsw_abi::types::{Type, TypeId};

use crate::heap::Heap;
use crate::node::{NewNode, NodeId, Status, Tree};
use crate::run::{Run, handles, raise};
use crate::scope::ScopeId;
use crate::step::Step;
use crate::task::{Ending, NewTask, Role, TaskId};
use crate::value::{self, error, list};
use crate::wait::Wait;

/// A running `parallel`. It owns its words.
#[derive(Debug)]
pub struct Parallel {
    work: Work,
    result: TypeId,
    policy: ErrorPolicy,
    limit: usize,
    node: NodeId,
    outer: NodeId,
    next: usize,
    running: usize,
    endings: Vec<Option<Ending>>,
    /// The first error in order of endings, by its iteration.
    failed: Option<usize>,
    is_stopping: bool,
}

impl Parallel {
    /// Whether no iteration is running.
    pub(crate) fn is_over(&self) -> bool {
        self.running == 0
    }
}

/// What is done in parallel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// One closure, for each element of a list.
    Items { closure: u64, items: u64 },
    /// Each closure of a list.
    Closures(u64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// The type of the list or tuple of results.
    pub result: TypeId,
    /// The most at once.
    pub limit: Option<usize>,
    pub policy: ErrorPolicy,
}

impl Parallel {
    /// Starts as many iterations as may run; those whose code is plain end at once.
    fn start_iterations(&mut self, run: &mut Run, coordinator: TaskId) {
        // Plain iterations end within the call and do not count as running, so the limit concerns only those that wait.
        while self.running < self.limit && self.next < self.endings.len() && !self.is_stopping {
            let index = self.next;
            self.next += 1;
            if let Some(ending) = self.start_iteration(run, coordinator, index) {
                self.note_ending(run, index, ending);
            } else {
                self.running += 1;
            }
        }
    }

    fn start_iteration(&self, run: &mut Run, coordinator: TaskId, index: usize) -> Option<Ending> {
        let (closure, argument) = match self.work {
            Work::Items { closure, items } => (closure, Some(list::words(items)[index])),
            Work::Closures(closures) => (list::words(closures)[index], None),
        };
        let arguments: Vec<u64> = argument.into_iter().collect();
        if let (Work::Items { items, .. }, Some(word)) = (self.work, argument) {
            let element = list::element_type(&run.heap, value::type_of(items));
            run.heap.retain_typed(element, word);
        }
        let place = Some(index as u32);
        let Some(frame) = run.closure_frame(closure, &arguments) else {
            let node = run.enter_node(NewNode {
                parent: self.node,
                kind: NodeKind::Iteration,
                name: "item",
                index: place,
                status: Status::Running,
                input: None,
            });
            // What plain code emits belongs to the iteration's node, though it runs on the coordinator.
            let outer = std::mem::replace(&mut run.scheduler.task_mut(coordinator).node, node);
            let result = run.call_closure(closure, &arguments);
            run.scheduler.task_mut(coordinator).node = outer;
            return Some(match result {
                Ok(value) => {
                    run.leave_node(node, Status::Completed, None);
                    Ending::Value(value)
                }
                Err(error) => {
                    run.fail_node(node, error);
                    if raise::is_unwind(error) {
                        run.heap.release(error);
                        Ending::Cancelled
                    } else {
                        Ending::Error(error)
                    }
                }
            });
        };
        run.start_task(NewTask {
            frame,
            owner: self.node,
            kind: NodeKind::Iteration,
            name: "item",
            index: place,
            input: None,
            role: Role::Iteration {
                coordinator,
                index: index as u32,
            },
            result: self.type_of_iteration(run, index),
        });
        None
    }

    fn note_ending(&mut self, run: &mut Run, index: usize, ending: Ending) {
        self.endings[index] = Some(ending);
        let must_stop = match ending {
            Ending::Value(_) => false,
            // The first error decides; those after it come from iterations that were on their way when it stopped the others.
            Ending::Error(_) if self.failed.is_some() => false,
            Ending::Error(_) => {
                self.failed = Some(index);
                self.policy == ErrorPolicy::First
            }
            // Code that waits for nothing was stopped because the run is to end: so is the rest.
            Ending::Cancelled => !self.is_stopping,
        };
        if must_stop {
            self.is_stopping = true;
            run.cancel_tasks_of(self.node);
        }
    }

    /// Ends the `parallel` of a task, whose iterations have ended.
    fn finish(self, run: &mut Run, coordinator: TaskId) -> Result<u64, u64> {
        run.scheduler.task_mut(coordinator).node = self.outer;
        release_work(&mut run.heap, self.work);
        // Stopped from outside: nothing failed, so what comes out is the unwinding and not a result of half the
        // iterations.
        let was_stopped = self.is_stopping && self.failed.is_none();
        if was_stopped {
            self.release_endings(run, None);
            run.leave_node(self.node, Status::Cancelled, None);
            return Err(raise::unwind_error(&mut run.heap, ScopeId::TASK));
        }
        let result = self.result_of(run);
        match result {
            Ok(_) => run.leave_node(self.node, Status::Completed, None),
            Err(error) => run.fail_node(self.node, error),
        }
        result
    }

    fn result_of(&self, run: &mut Run) -> Result<u64, u64> {
        match (self.policy, self.failed) {
            (ErrorPolicy::Settle, _) => Ok(self.settled(run)),
            (ErrorPolicy::First, Some(failed)) => {
                let Some(Ending::Error(error)) = self.endings[failed] else {
                    unreachable!("the iteration that failed has an error")
                };
                self.release_endings(run, Some(failed));
                Err(error)
            }
            (ErrorPolicy::Merge, Some(_)) => Err(self.merged(run)),
            (ErrorPolicy::First | ErrorPolicy::Merge, None) => {
                let words: Vec<u64> = self.endings.iter().map(|it| value_of(*it)).collect();
                Ok(handles::list_or_tuple(&mut run.heap, self.result, &words))
            }
        }
    }

    fn settled(&self, run: &mut Run) -> u64 {
        let mut words = Vec::with_capacity(self.endings.len());
        for (index, ending) in self.endings.iter().enumerate() {
            let outcome = self.type_of_outcome(run, index);
            let (variant, word) = match *ending {
                Some(Ending::Value(value)) => (0, value),
                Some(Ending::Error(error)) => (1, error),
                Some(Ending::Cancelled) | None => {
                    (1, error::new(&mut run.heap, BuiltinError::Cancelled, &[0]))
                }
            };
            let settled = run.heap.object(outcome, variant, 1);
            value::set_field(settled, 0, word);
            words.push(settled);
        }
        handles::list_or_tuple(&mut run.heap, self.result, &words)
    }

    fn merged(&self, run: &mut Run) -> u64 {
        let mut errors = Vec::new();
        for (index, ending) in self.endings.iter().enumerate() {
            match *ending {
                Some(Ending::Error(error)) => errors.push(error),
                Some(Ending::Value(value)) => {
                    let ty = self.type_of_iteration(run, index);
                    run.heap.release_typed(ty, value);
                }
                Some(Ending::Cancelled) | None => {}
            }
        }
        let place = name_around(run.progress.tree(), self.outer);
        error::many_of(&mut run.heap, &errors, self.endings.len(), &place)
    }

    fn release_endings(&self, run: &mut Run, but: Option<usize>) {
        for (index, ending) in self.endings.iter().enumerate() {
            match *ending {
                Some(Ending::Value(value)) => {
                    let ty = self.type_of_iteration(run, index);
                    run.heap.release_typed(ty, value);
                }
                Some(Ending::Error(error)) => {
                    if but != Some(index) {
                        run.heap.release(error);
                    }
                }
                Some(Ending::Cancelled) | None => {}
            }
        }
    }

    /// The type of the result of one iteration.
    fn type_of_iteration(&self, run: &Run, index: usize) -> TypeId {
        let outcome = self.type_of_outcome(run, index);
        // Under `settle` an iteration itself gives what is in the `Ok` of its outcome.
        if self.policy == ErrorPolicy::Settle
            && let Type::Enum(result) = run.loaded.types.get(outcome)
        {
            result.variants[0].fields[0].ty
        } else {
            outcome
        }
    }

    /// The type of one element in the list or tuple of results.
    fn type_of_outcome(&self, run: &Run, index: usize) -> TypeId {
        let types = &run.loaded.types;
        let result = types.get(types.base(self.result));
        if let Type::Tuple(parts) = result {
            return parts[index];
        }
        let Type::List(element) = *result else {
            unreachable!("`parallel` gives a list or a tuple");
        };
        element
    }

    /// Releases what a `parallel` owns; its iterations have been dropped.
    pub(crate) fn drop_with(&self, run: &mut Run) {
        release_work(&mut run.heap, self.work);
        self.release_endings(run, None);
    }
}

/// Starts a `parallel`, whose words it takes over, and returns its result if nothing in it waits.
pub(crate) fn start(run: &mut Run, work: Work, manner: Manner) -> Step {
    if let Some(error) = run.interruption() {
        release_work(&mut run.heap, work);
        return Step::Raised(error);
    }
    let current = run.scheduler.current();
    let outer = run.scheduler.current_node();
    let count = match work {
        Work::Items { items, .. } => list::len(items),
        Work::Closures(closures) => list::len(closures),
    };
    let node = run.enter_node(NewNode {
        parent: outer,
        kind: NodeKind::Parallel,
        name: "parallel",
        index: None,
        status: Status::Running,
        // So that an observer can show how far it is.
        input: Some(format!("{{\"items\":{count}}}").into()),
    });
    run.scheduler.task_mut(current).node = node;
    let mut parallel = Box::new(Parallel {
        work,
        result: manner.result,
        policy: manner.policy,
        limit: manner.limit.unwrap_or(usize::MAX).max(1),
        node,
        outer,
        next: 0,
        running: 0,
        endings: vec![None; count],
        failed: None,
        is_stopping: false,
    });
    parallel.start_iterations(run, current);
    if parallel.running > 0 {
        return run.scheduler.wait_for(Wait::Parallel(parallel));
    }
    parallel.finish(run, current).into()
}

/// An iteration has ended; its ending is handed over.
pub(crate) fn iteration_ended(run: &mut Run, coordinator: TaskId, index: u32, ending: Ending) {
    let Wait::Parallel(mut parallel) = run.scheduler.take_wait(coordinator) else {
        unreachable!("who runs a `parallel` waits for its iterations");
    };
    parallel.running -= 1;
    // Noted before the next ones start, so that none starts after the error that stops the others.
    parallel.note_ending(run, index as usize, ending);
    parallel.start_iterations(run, coordinator);
    // The task whose ending this is still counts; the last one wakes the coordinator when it is out of the list.
    let is_over = parallel.running == 0;
    let node = parallel.node;
    run.scheduler
        .set_wait(coordinator, Wait::Parallel(parallel));
    if is_over {
        run.scheduler.set_joiner(node, coordinator);
    }
}

/// The last iteration is out of the list of the `parallel`'s node.
pub(crate) fn iterations_are_over(run: &mut Run, coordinator: TaskId) {
    let Wait::Parallel(parallel) = run.scheduler.take_wait(coordinator) else {
        unreachable!("who runs a `parallel` waits for its iterations");
    };
    let mut result = parallel.finish(run, coordinator);
    let task = run.scheduler.task_mut(coordinator);
    if task.shield == 0
        && let Some(scope) = task.pending.take()
    {
        // A coordinator that was to unwind does so after its iterations, in place of whatever they gave.
        result = Err(replace_by_unwinding(&mut run.heap, result, scope));
    }
    run.scheduler.wake(coordinator, result);
}

/// A task that runs a `parallel` is to unwind: the iterations end first.
pub(crate) fn stop(run: &mut Run, coordinator: TaskId) {
    if let Wait::Parallel(parallel) = &mut run.scheduler.task_mut(coordinator).wait {
        parallel.is_stopping = true;
        let node = parallel.node;
        run.cancel_tasks_of(node);
    }
}

/// The value of an iteration, where all gave one.
fn value_of(ending: Option<Ending>) -> u64 {
    match ending {
        Some(Ending::Value(value)) => value,
        other => unreachable!("every iteration gave a value, not {other:?}"),
    }
}

/// The name of the step, workflow or tool around a `parallel` or a `race`.
pub(crate) fn name_around(tree: &Tree, outer: NodeId) -> Arc<str> {
    let is_named = |it: &NodeId| {
        let kind = tree.node(*it).kind;
        matches!(kind, NodeKind::Workflow | NodeKind::Step | NodeKind::Tool)
    };
    let named = tree.lineage(outer).find(is_named);
    Arc::clone(tree.name(named.unwrap_or(NodeId::ROOT)))
}

fn release_work(heap: &mut Heap, work: Work) {
    match work {
        Work::Items { closure, items } => {
            heap.release(closure);
            heap.release(items);
        }
        Work::Closures(closures) => heap.release(closures),
    }
}

fn replace_by_unwinding(heap: &mut Heap, result: Result<u64, u64>, scope: ScopeId) -> u64 {
    match result {
        Ok(word) | Err(word) => heap.release(word),
    }
    raise::unwind_error(heap, scope)
}
