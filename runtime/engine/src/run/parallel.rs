//! `parallel for` and `parallel (…)`: iterations in order of input, results too, so many at once.

use std::sync::Arc;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::{ErrorPolicy, NodeKind};
use gsw_abi::types::{Type, TypeId};

use crate::node::{NewNode, NodeId, Status};
use crate::run::Run;
use crate::run::spawn::NewTask;
use crate::step::Step;
use crate::task::{Ending, Role, TaskId};
use crate::value::{error, list};
use crate::wait::Wait;

/// A `parallel` at work. Words in here are owned by it.
#[derive(Debug)]
pub struct Parallel {
    work: Work,
    result: TypeId,
    policy: ErrorPolicy,
    limit: usize,
    node: NodeId,
    /// The node around it.
    outer: NodeId,
    next: usize,
    running: usize,
    endings: Vec<Option<Ending>>,
    /// The first error in order of endings, by its iteration.
    failed: Option<usize>,
    is_stopping: bool,
}

impl Parallel {
    /// Whether no iteration is at work.
    pub(crate) fn is_over(&self) -> bool {
        self.running == 0
    }
}

/// What is done in parallel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// One closure, for each element of a list.
    Items {
        /// Takes an element.
        closure: u64,
        /// The list.
        items: u64,
    },
    /// Each closure of a list.
    Closures(u64),
}

/// How it is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// The type of the list or tuple of results.
    pub result: TypeId,
    /// The most at once.
    pub limit: Option<usize>,
    /// What becomes of errors.
    pub policy: ErrorPolicy,
}

impl Run {
    /// Starts a `parallel`, whose words it takes over, and gives its result if nothing in it waits.
    pub(crate) fn parallel(&mut self, work: Work, manner: Manner) -> Step {
        if let Some(error) = self.interruption() {
            self.release_work(work);
            return Step::Raised(error);
        }
        let current = self.current;
        let outer = self.current_node();
        let count = match work {
            Work::Items { items, .. } => list::len(items),
            Work::Closures(closures) => list::len(closures),
        };
        let node = self.enter_node(NewNode {
            parent: outer,
            kind: NodeKind::Parallel,
            name: "parallel",
            index: None,
            status: Status::Running,
            // So that who watches can say how far it is.
            input: Some(format!("{{\"items\":{count}}}").into()),
        });
        self.tasks.at_mut(current).node = node;
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
        self.start_iterations(current, &mut parallel);
        if parallel.running > 0 {
            return self.wait_for(Wait::Parallel(parallel));
        }
        self.finish_parallel(current, *parallel).into()
    }

    /// Starts as many iterations as may run; those whose code is plain end at once.
    fn start_iterations(&mut self, coordinator: TaskId, parallel: &mut Parallel) {
        while parallel.running < parallel.limit
            && parallel.next < parallel.endings.len()
            && !parallel.is_stopping
        {
            let index = parallel.next;
            parallel.next += 1;
            if let Some(ending) = self.start_iteration(coordinator, parallel, index) {
                self.note_ending(parallel, index, ending);
            } else {
                parallel.running += 1;
            }
        }
    }

    fn start_iteration(
        &mut self,
        coordinator: TaskId,
        parallel: &Parallel,
        index: usize,
    ) -> Option<Ending> {
        let (closure, argument) = match parallel.work {
            Work::Items { closure, items } => (closure, Some(list::words(items)[index])),
            Work::Closures(closures) => (list::words(closures)[index], None),
        };
        let arguments: Vec<u64> = argument.into_iter().collect();
        if let (Work::Items { items, .. }, Some(word)) = (parallel.work, argument) {
            let element = list::element_type(&self.heap, crate::value::type_of(items));
            self.heap.retain_typed(element, word);
        }
        let place = Some(index as u32);
        let Some(frame) = self.closure_frame(closure, &arguments) else {
            let node = self.enter_node(NewNode {
                parent: parallel.node,
                kind: NodeKind::Iteration,
                name: "item",
                index: place,
                status: Status::Running,
                input: None,
            });
            let outer = std::mem::replace(&mut self.tasks.at_mut(coordinator).node, node);
            let result = self.call_closure(closure, &arguments);
            self.tasks.at_mut(coordinator).node = outer;
            return Some(match result {
                Ok(value) => {
                    self.leave_node(node, Status::Completed, None);
                    Ending::Value(value)
                }
                Err(error) => {
                    self.fail_node(node, error);
                    if self.is_unwind(error) {
                        self.heap.release(error);
                        Ending::Cancelled
                    } else {
                        Ending::Error(error)
                    }
                }
            });
        };
        self.start_task(NewTask {
            frame,
            owner: parallel.node,
            kind: NodeKind::Iteration,
            name: "item",
            index: place,
            input: None,
            role: Role::Iteration {
                coordinator,
                index: index as u32,
            },
            result: self.type_of_iteration(parallel, index),
        });
        None
    }

    /// An iteration has ended; its ending is handed over.
    pub(crate) fn iteration_ended(&mut self, coordinator: TaskId, index: u32, ending: Ending) {
        let Wait::Parallel(mut parallel) = std::mem::take(&mut self.tasks.at_mut(coordinator).wait)
        else {
            unreachable!("who runs a `parallel` waits for its iterations");
        };
        parallel.running -= 1;
        self.note_ending(&mut parallel, index as usize, ending);
        self.start_iterations(coordinator, &mut parallel);
        // The task whose ending this is still counts; the last one wakes the coordinator when it is out of the list.
        let is_over = parallel.running == 0;
        let node = parallel.node;
        self.tasks.at_mut(coordinator).wait = Wait::Parallel(parallel);
        if is_over {
            self.tree.node_mut(node).joiner = coordinator;
        }
    }

    /// The last iteration is out of the list of the `parallel`'s node.
    pub(crate) fn parallel_is_over(&mut self, coordinator: TaskId) {
        match std::mem::take(&mut self.tasks.at_mut(coordinator).wait) {
            Wait::Parallel(parallel) => {
                let mut result = self.finish_parallel(coordinator, *parallel);
                let task = self.tasks.at_mut(coordinator);
                if task.shield == 0
                    && let Some(scope) = task.pending.take()
                {
                    result = Err(self.replace_by_unwinding(result, scope));
                }
                self.wake(coordinator, result);
            }
            other => self.tasks.at_mut(coordinator).wait = other,
        }
    }

    fn note_ending(&mut self, parallel: &mut Parallel, index: usize, ending: Ending) {
        parallel.endings[index] = Some(ending);
        let must_stop = match ending {
            Ending::Value(_) => false,
            Ending::Error(_) if parallel.failed.is_some() => false,
            Ending::Error(_) => {
                parallel.failed = Some(index);
                parallel.policy == ErrorPolicy::First
            }
            // Code that waits for nothing was stopped because the run is to end: so is the rest.
            Ending::Cancelled => !parallel.is_stopping,
        };
        if must_stop {
            parallel.is_stopping = true;
            self.cancel_tasks_of(parallel.node);
        }
    }

    /// A task that runs a `parallel` is to unwind: the iterations end first.
    pub(crate) fn stop_parallel(&mut self, coordinator: TaskId) {
        if let Wait::Parallel(parallel) = &mut self.tasks.at_mut(coordinator).wait {
            parallel.is_stopping = true;
            let node = parallel.node;
            self.cancel_tasks_of(node);
        }
    }

    fn finish_parallel(&mut self, coordinator: TaskId, parallel: Parallel) -> Result<u64, u64> {
        self.tasks.at_mut(coordinator).node = parallel.outer;
        self.release_work(parallel.work);
        let was_stopped = parallel.is_stopping && parallel.failed.is_none();
        let node = parallel.node;
        let result = if was_stopped {
            self.release_endings(&parallel, None);
            self.leave_node(node, Status::Cancelled, None);
            return Err(self.unwind_error(crate::scope::ScopeId::TASK));
        } else {
            self.result_of(&parallel)
        };
        match result {
            Ok(_) => self.leave_node(node, Status::Completed, None),
            Err(error) => self.fail_node(node, error),
        }
        result
    }

    fn result_of(&mut self, parallel: &Parallel) -> Result<u64, u64> {
        match (parallel.policy, parallel.failed) {
            (ErrorPolicy::Settle, _) => Ok(self.settled(parallel)),
            (ErrorPolicy::First, Some(failed)) => {
                let Some(Ending::Error(error)) = parallel.endings[failed] else {
                    unreachable!("the iteration that failed has an error")
                };
                self.release_endings(parallel, Some(failed));
                Err(error)
            }
            (ErrorPolicy::Merge, Some(_)) => Err(self.merged(parallel)),
            (_, None) => {
                let words: Vec<u64> = parallel
                    .endings
                    .iter()
                    .map(|it| self.value_of(*it))
                    .collect();
                Ok(self.list_or_tuple(parallel.result, &words))
            }
        }
    }

    fn settled(&mut self, parallel: &Parallel) -> u64 {
        let result = list::element_type(&self.heap, parallel.result);
        let mut words = Vec::with_capacity(parallel.endings.len());
        for ending in &parallel.endings {
            let (variant, word) = match *ending {
                Some(Ending::Value(value)) => (0, value),
                Some(Ending::Error(error)) => (1, error),
                Some(Ending::Cancelled) | None => {
                    (1, error::new(&mut self.heap, BuiltinError::Cancelled, &[0]))
                }
            };
            let settled = self.heap.object(result, variant, 1);
            crate::value::set_field(settled, 0, word);
            words.push(settled);
        }
        list::new(&mut self.heap, parallel.result, &words)
    }

    fn merged(&mut self, parallel: &Parallel) -> u64 {
        let mut errors = Vec::new();
        for (index, ending) in parallel.endings.iter().enumerate() {
            match *ending {
                Some(Ending::Error(error)) => errors.push(error),
                Some(Ending::Value(value)) => {
                    let ty = self.type_of_iteration(parallel, index);
                    self.heap.release_typed(ty, value);
                }
                Some(Ending::Cancelled) | None => {}
            }
        }
        let place = self.name_of_parallel(parallel.outer);
        error::many_of(&mut self.heap, &errors, parallel.endings.len(), &place)
    }

    /// The name of the step, workflow or tool around a `parallel`.
    fn name_of_parallel(&self, outer: NodeId) -> Arc<str> {
        let is_named = |it: &NodeId| {
            let kind = self.tree.node(*it).kind;
            matches!(kind, NodeKind::Workflow | NodeKind::Step | NodeKind::Tool)
        };
        let named = self.tree.lineage(outer).find(is_named);
        Arc::clone(self.tree.name(named.unwrap_or(NodeId::ROOT)))
    }

    fn value_of(&mut self, ending: Option<Ending>) -> u64 {
        match ending {
            Some(Ending::Value(value)) => value,
            other => unreachable!("every iteration gave a value, not {other:?}"),
        }
    }

    fn release_endings(&mut self, parallel: &Parallel, but: Option<usize>) {
        for (index, ending) in parallel.endings.iter().enumerate() {
            match *ending {
                Some(Ending::Value(value)) => {
                    let ty = self.type_of_iteration(parallel, index);
                    self.heap.release_typed(ty, value);
                }
                Some(Ending::Error(error)) if but != Some(index) => self.heap.release(error),
                _ => {}
            }
        }
    }

    fn release_work(&mut self, work: Work) {
        match work {
            Work::Items { closure, items } => {
                self.heap.release(closure);
                self.heap.release(items);
            }
            Work::Closures(closures) => self.heap.release(closures),
        }
    }

    fn replace_by_unwinding(
        &mut self,
        result: Result<u64, u64>,
        scope: crate::scope::ScopeId,
    ) -> u64 {
        match result {
            Ok(word) | Err(word) => self.heap.release(word),
        }
        self.unwind_error(scope)
    }

    /// The type of what one iteration gives.
    fn type_of_iteration(&self, parallel: &Parallel, index: usize) -> TypeId {
        let types = &self.loaded.types;
        let element = match types.get(types.base(parallel.result)) {
            Type::Tuple(parts) => return parts[index],
            Type::List(element) => *element,
            other => unreachable!("`parallel` gives a list or a tuple, not {other:?}"),
        };
        match (parallel.policy, types.get(element)) {
            (ErrorPolicy::Settle, Type::Enum(result)) => result.variants[0].fields[0].ty,
            _ => element,
        }
    }

    /// Gives up what a `parallel` holds; its iterations have been dropped.
    pub(crate) fn drop_parallel(&mut self, parallel: &Parallel) {
        self.release_work(parallel.work);
        self.release_endings(parallel, None);
    }
}
