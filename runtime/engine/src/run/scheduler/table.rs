//! The records of tasks: stacks of frames that take turns. A waiting task costs its frames and a record here.

use gsw_abi::layout::Frame;
use gsw_abi::types::TypeId;

use crate::node::NodeId;
use crate::scope::ScopeId;
use crate::task::{Encoding, Ending, Role, State, TaskId};
use crate::wait::Wait;

#[derive(Debug)]
pub(crate) struct Task {
    /// The innermost frame: the one that waits.
    pub frame: *mut Frame,
    /// How many frames there are.
    pub depth: u32,
    pub state: State,
    pub wait: Wait,
    /// The node that it is itself.
    pub base: NodeId,
    /// The node that it works in now, `base` or below.
    pub node: NodeId,
    /// The node that it belongs to.
    pub owner: NodeId,
    /// The task of `owner` that was started before, among those that are listed.
    pub previous: TaskId,
    /// The task of `owner` that was started next, among those that are listed.
    pub next: TaskId,
    pub role: Role,
    /// The type of its value.
    pub result: TypeId,
    /// The type of its body's value, when the value of the task is the `json` of that.
    pub encodes: Option<Encoding>,
    /// How it ended; also set while it waits for the tasks of `base`.
    pub ending: Option<Ending>,
    /// The number of its ending, which decides which error came first.
    pub ended_at: u64,
    /// The tasks that wait for it; some may have stopped waiting.
    pub waiters: Vec<TaskId>,
    /// Its open scopes, outermost first.
    pub scopes: Vec<ScopeId>,
    /// The innermost budget that it draws from.
    pub budget: ScopeId,
    /// The unwinding that its next wait is to deliver.
    pub pending: Option<ScopeId>,
    /// How many `defer` bodies it is in.
    pub shield: u32,
    /// Whether a `defer` has started it, itself or through other tasks: only the task that runs the `defer` ends it.
    pub is_shielded: bool,
    pub is_cancelled: bool,
    /// Whether a task was given its ending, or none need be.
    pub is_observed: bool,
    /// Whether the program holds its handle.
    pub has_handle: bool,
    /// Whether the tasks of `owner` include it.
    pub is_listed: bool,
}

impl Task {
    /// The bytes that a task counts for in the memory of a run, the same in every build.
    pub(crate) const CHARGE: usize = 320;
}

/// All tasks of a run.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    slots: Vec<Option<Box<Task>>>,
    free: Vec<TaskId>,
    endings: u64,
}

impl Tasks {
    pub(super) fn insert(&mut self, task: Task) -> TaskId {
        // The last freed first, so numbers stay small and the same in every replay.
        if let Some(id) = self.free.pop() {
            self.slots[id.0 as usize] = Some(Box::new(task));
            return id;
        }
        // Boxed: the records are large, and growing the table must not move them all.
        self.slots.push(Some(Box::new(task)));
        TaskId(self.slots.len() as u32 - 1)
    }

    /// Forgets a task that nothing names any more.
    pub(super) fn remove(&mut self, id: TaskId) {
        if self.slots[id.0 as usize].take().is_some() {
            self.free.push(id);
        }
    }

    /// The task, if it is kept.
    #[must_use]
    pub(super) fn get(&self, id: TaskId) -> Option<&Task> {
        self.slots.get(id.0 as usize)?.as_deref()
    }

    /// The task, which is kept because a queue, a list or a handle names it.
    #[must_use]
    pub(super) fn at(&self, id: TaskId) -> &Task {
        self.get(id)
            .expect("a task is kept as long as anything names it")
    }

    /// Like [`Self::at`], to change it.
    pub(super) fn at_mut(&mut self, id: TaskId) -> &mut Task {
        self.slots[id.0 as usize]
            .as_deref_mut()
            .expect("a task is kept as long as anything names it")
    }

    /// All ids in order of their numbers.
    pub(super) fn ids(&self) -> impl Iterator<Item = TaskId> + '_ {
        let kept = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.is_some());
        kept.map(|(index, _)| TaskId(index as u32))
    }

    /// The number of the next ending.
    pub(super) fn next_ending(&mut self) -> u64 {
        self.endings += 1;
        self.endings
    }
}

#[cfg(test)]
mod tests {
    use super::Task;

    #[test]
    fn a_task_is_no_larger_than_what_it_counts_for() {
        assert!(size_of::<Task>() <= Task::CHARGE, "{}", size_of::<Task>());
    }
}
