//! Tasks that await each other in a cycle: found where it closes if it can be seen from there, else when nothing can go on.

use rustc_hash::FxHashSet;

use crate::heap::Heap;
use crate::node::{NodeId, Tree};
use crate::run::handles::{task_of, tasks_in};
use crate::run::scheduler::Scheduler;
use crate::run::tool_key::ToolKeys;
use crate::run::{Run, raise};
use crate::task::{State, TaskId};
use crate::wait::Wait;

/// Chains of waits are followed so far; longer cycles are found when the run makes no progress.
const LONGEST_CHAIN: usize = 10_000;
/// So many of a cycle are named.
const NAMED: usize = 8;

/// Which tasks wait for which.
struct WaitGraph<'a> {
    scheduler: &'a Scheduler,
    tool_keys: &'a ToolKeys,
    tree: &'a Tree,
    heap: &'a Heap,
}

impl<'a> WaitGraph<'a> {
    fn of(run: &'a Run) -> Self {
        Self {
            scheduler: &run.scheduler,
            tool_keys: &run.tool_keys,
            tree: run.progress.tree(),
            heap: &run.heap,
        }
    }

    /// The chain of waits from the current task, if waiting for `awaited` closes it.
    fn closed_chain(&self, awaited: TaskId) -> Option<Vec<TaskId>> {
        let current = self.scheduler.current();
        let mut next = awaited;
        let mut chain = vec![current];
        // Bounded, as this runs at every wait. A longer cycle is still found when nothing can go on.
        for _ in 0..LONGEST_CHAIN {
            chain.push(next);
            let task = self.scheduler.get(next)?;
            if next == current {
                return Some(chain);
            }
            next = match &task.wait {
                Wait::Join | Wait::Abort | Wait::Parallel(_) => {
                    // A task that waits for all tasks of its node waits for the current one, if that lies anywhere below the node.
                    return self.lies_in(current, task.node).then_some(chain);
                }
                Wait::Ending => return self.lies_in(current, task.base).then_some(chain),
                Wait::Await(handle) => task_of(*handle),
                Wait::Keyed { key, .. } => self.tool_keys.owner(key)?,
                Wait::Nothing
                | Wait::Operation { .. }
                | Wait::Stopping { .. }
                | Wait::AwaitAll { .. }
                | Wait::Race { .. }
                | Wait::Reflect(_)
                // From these waits several edges lead on, and one of them may be free: only the search of `break_deadlock` follows them all.
                | Wait::Prompt(_) => return None,
            };
        }
        None
    }

    fn lies_in(&self, task: TaskId, node: NodeId) -> bool {
        let base = self.scheduler.task(task).base;
        self.tree.lineage(base).any(|it| it == node)
    }

    /// Whether a task waits for others by name.
    fn awaits(&self, id: TaskId) -> bool {
        let task = self.scheduler.task(id);
        let awaits = matches!(
            task.wait,
            Wait::Await(_) | Wait::AwaitAll { .. } | Wait::Race { .. } | Wait::Keyed { .. }
        );
        task.state == State::Waiting && awaits
    }

    /// A cycle of waits that can be reached from `start`, found depth first.
    fn cycle_from(&self, start: TaskId) -> Option<Vec<TaskId>> {
        let mut path = vec![start];
        let mut branches = vec![self.waited_for(start)];
        let mut seen: FxHashSet<TaskId> = path.iter().copied().collect();
        while let Some(branch) = branches.last_mut() {
            let Some(next) = branch.pop() else {
                branches.pop();
                path.pop();
                continue;
            };
            if let Some(begin) = path.iter().position(|it| *it == next) {
                return Some(path.split_off(begin));
            }
            // A task whose branches were all followed lies on no cycle, so it is never followed again.
            if seen.insert(next) {
                path.push(next);
                branches.push(self.waited_for(next));
            }
        }
        None
    }

    /// The tasks that must end, or of which one must, before this one goes on.
    fn waited_for(&self, id: TaskId) -> Vec<TaskId> {
        let Some(task) = self.scheduler.get(id) else {
            return Vec::new();
        };
        let mut tasks: Vec<TaskId> = match &task.wait {
            Wait::Await(handle) => vec![task_of(*handle)],
            Wait::AwaitAll { handles, .. } | Wait::Race { handles, .. } => {
                tasks_in(self.heap, *handles)
            }
            Wait::Keyed { key, .. } => self.tool_keys.owner(key).into_iter().collect(),
            Wait::Ending => self.scheduler.tasks_of(task.base).collect(),
            Wait::Nothing
            | Wait::Operation { .. }
            | Wait::Stopping { .. }
            | Wait::Join
            | Wait::Abort
            | Wait::Parallel(_)
            | Wait::Reflect(_)
            | Wait::Prompt(_) => self.scheduler.tasks_of(task.node).collect(),
        };
        let is_under_way = |it: &TaskId| {
            let task = self.scheduler.get(*it);
            task.is_some_and(|it| it.state != State::Ended)
        };
        tasks.retain(is_under_way);
        tasks
    }

    /// What the error about a cycle says.
    fn message(&self, cycle: &[TaskId]) -> String {
        let mut names: Vec<String> = Vec::new();
        for id in cycle.iter().take(NAMED) {
            let name = self.task_name(*id);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let more = if cycle.len() > NAMED {
            " and others"
        } else {
            ""
        };
        match names.as_slice() {
            [one] => format!("deadlock: {one} waits for itself"),
            several => format!(
                "deadlock: {}{more} wait for each other",
                several.join(" and ")
            ),
        }
    }

    fn task_name(&self, id: TaskId) -> String {
        let path = self.scheduler.get(id).map(|task| self.tree.path(task.node));
        match path.filter(|it| !it.is_empty()) {
            Some(path) => format!("`{path}`"),
            None => "the run".into(),
        }
    }
}

/// The error that the current task must raise because waiting for `awaited` would close a cycle.
pub(crate) fn cycle_error(run: &mut Run, awaited: TaskId) -> Option<u64> {
    let graph = WaitGraph::of(run);
    let chain = graph.closed_chain(awaited)?;
    let message = graph.message(&chain);
    Some(raise::failed(&mut run.heap, &message))
}

impl Run {
    /// Every task waits and nothing is outstanding: the first that awaits another one raises.
    pub(super) fn break_deadlock(&mut self) {
        let graph = WaitGraph::of(self);
        // In order of ids, so that the same run always names the same task.
        let Some(stuck) = self.scheduler.ids().find(|it| graph.awaits(*it)) else {
            self.fail_internally("the run is blocked and nothing is outstanding".into());
            return;
        };
        let cycle = graph.cycle_from(stuck);
        // Who is outside of the cycle gets the error from those inside.
        let mut inside = cycle.iter().flatten().copied();
        let id = inside.find(|it| graph.awaits(*it)).unwrap_or(stuck);
        let message = match &cycle {
            Some(cycle) => graph.message(cycle),
            None => {
                let name = graph.task_name(id);
                format!("deadlock: {name} waits for what can never end")
            }
        };
        let error = raise::failed(&mut self.heap, &message);
        match self.scheduler.take_wait(id) {
            Wait::Await(word)
            | Wait::AwaitAll { handles: word, .. }
            | Wait::Race { handles: word, .. } => {
                self.heap.release(word);
            }
            Wait::Keyed { key, .. } => self.tool_keys.forget(&key, id),
            other @ (Wait::Nothing
            | Wait::Operation { .. }
            | Wait::Stopping { .. }
            | Wait::Join
            | Wait::Abort
            | Wait::Parallel(_)
            | Wait::Reflect(_)
            | Wait::Prompt(_)
            | Wait::Ending) => self.scheduler.set_wait(id, other),
        }
        self.scheduler.wake(id, Err(error));
    }
}
