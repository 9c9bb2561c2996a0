//! Awaiting in a circle: found where it closes if it can be seen from there, else when nothing can go on any more.

use rustc_hash::FxHashSet;

use crate::node::NodeId;
use crate::run::Run;
use crate::run::awaiting::task_of;
use crate::task::{State, TaskId};
use crate::wait::Wait;

/// Chains of waits are followed so far; longer circles are found when the run stands still.
const LONGEST_CHAIN: usize = 10_000;
/// So many of a circle are named.
const NAMED: usize = 8;

impl Run {
    /// The error that the current task must raise because waiting for `awaited` would close a circle.
    pub(crate) fn circle(&mut self, awaited: TaskId) -> Option<u64> {
        let mut next = awaited;
        let mut chain = vec![self.current];
        for _ in 0..LONGEST_CHAIN {
            chain.push(next);
            let task = self.tasks.get(next)?;
            let closes = next == self.current
                || match task.wait {
                    Wait::Join | Wait::Abort | Wait::Parallel(_) => {
                        self.lies_in(self.current, task.node)
                    }
                    Wait::Ending => self.lies_in(self.current, task.base),
                    _ => false,
                };
            if closes {
                return Some(self.deadlock(&chain));
            }
            next = match &task.wait {
                Wait::Await(handle) => task_of(*handle),
                Wait::Keyed { key, .. } => self.tool_keys.owner(key)?,
                _ => return None,
            };
        }
        None
    }

    fn lies_in(&self, task: TaskId, node: NodeId) -> bool {
        let base = self.tasks.at(task).base;
        self.tree.lineage(base).any(|it| it == node)
    }

    /// Every task waits and nothing is outstanding: the first that awaits another one is told so.
    pub(crate) fn break_deadlock(&mut self) {
        let awaits = |it: &TaskId| {
            let task = self.tasks.at(*it);
            let awaits = matches!(
                task.wait,
                Wait::Await(_) | Wait::AwaitAll { .. } | Wait::Race { .. } | Wait::Keyed { .. }
            );
            task.state == State::Waiting && awaits
        };
        let Some(stuck) = self.tasks.ids().find(awaits) else {
            self.fail_internally("the run is blocked and nothing is outstanding".into());
            return;
        };
        let circle = self.circle_from(stuck);
        // Who stands outside of the circle hears of it from those inside.
        let inside = circle.iter().flatten().copied().find(awaits);
        let id = inside.unwrap_or(stuck);
        let error = match circle {
            Some(circle) => self.deadlock(&circle),
            None => {
                let name = self.task_name(id);
                self.failed(&format!("deadlock: {name} waits for what can never end"))
            }
        };
        match std::mem::take(&mut self.tasks.at_mut(id).wait) {
            Wait::Await(word)
            | Wait::AwaitAll { handles: word, .. }
            | Wait::Race { handles: word, .. } => {
                self.heap.release(word);
            }
            Wait::Keyed { key, .. } => self.tool_keys.forget(&key, id),
            other => self.tasks.at_mut(id).wait = other,
        }
        self.wake(id, Err(error));
    }

    /// A circle of waits that can be reached from `start`, found depth first.
    fn circle_from(&self, start: TaskId) -> Option<Vec<TaskId>> {
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
            if seen.insert(next) {
                path.push(next);
                branches.push(self.waited_for(next));
            }
        }
        None
    }

    /// The tasks that must end, or of which one must, before this one goes on.
    fn waited_for(&self, id: TaskId) -> Vec<TaskId> {
        let Some(task) = self.tasks.get(id) else {
            return Vec::new();
        };
        let mut tasks = match &task.wait {
            Wait::Await(handle) => vec![task_of(*handle)],
            Wait::AwaitAll { handles, .. } | Wait::Race { handles, .. } => self.tasks_in(*handles),
            Wait::Keyed { key, .. } => self.tool_keys.owner(key).into_iter().collect(),
            Wait::Ending => self.tasks_of(task.base),
            _ => self.tasks_of(task.node),
        };
        let is_on_its_way = |it: &TaskId| {
            self.tasks
                .get(*it)
                .is_some_and(|it| it.state != State::Ended)
        };
        tasks.retain(is_on_its_way);
        tasks
    }

    fn tasks_of(&self, node: NodeId) -> Vec<TaskId> {
        let first = self.tree.node(node).first_task;
        let next = |it: &TaskId| Some(self.tasks.at(*it).next);
        std::iter::successors(Some(first), next)
            .take_while(|it| *it != TaskId::NONE)
            .collect()
    }

    fn deadlock(&mut self, circle: &[TaskId]) -> u64 {
        let mut names: Vec<String> = Vec::new();
        for id in circle.iter().take(NAMED) {
            let name = self.task_name(*id);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let more = if circle.len() > NAMED {
            " and others"
        } else {
            ""
        };
        let message = match names.as_slice() {
            [one] => format!("deadlock: {one} waits for itself"),
            several => format!(
                "deadlock: {}{more} wait for each other",
                several.join(" and ")
            ),
        };
        self.failed(&message)
    }

    fn task_name(&self, id: TaskId) -> String {
        let path = self.tasks.get(id).map(|task| self.tree.path(task.node));
        match path {
            Some(path) if !path.is_empty() => format!("`{path}`"),
            _ => "the run".into(),
        }
    }
}
