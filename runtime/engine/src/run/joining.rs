//! The tasks of a node: waited for when it ends normally, told to end otherwise.

use crate::node::NodeId;
use crate::run::Run;
use crate::step::Step;
use crate::task::{Ending, State, TaskId};
use crate::wait::Wait;

impl Run {
    /// `node_join`: waits for the tasks of the current node and raises the first error that nobody has seen.
    pub(crate) fn join(&mut self) -> Step {
        let node = self.current_node();
        if self.tree.node(node).live_tasks == 0 {
            return self.joined(node).into();
        }
        if let Some(error) = self.interruption() {
            return Step::Raised(error);
        }
        self.tree.node_mut(node).joiner = self.current;
        self.wait_for(Wait::Join)
    }

    /// `node_abort`: tells the tasks of the current node to end and waits until they have.
    pub(crate) fn abort(&mut self) -> Step {
        let node = self.current_node();
        if self.tree.node(node).live_tasks == 0 {
            self.forget_tasks_of(node);
            return Step::Done(0);
        }
        self.tree.node_mut(node).joiner = self.current;
        self.cancel_tasks_of(node);
        self.wait_for(Wait::Abort)
    }

    /// All tasks of `node` have ended.
    pub(crate) fn joined(&mut self, node: NodeId) -> Result<u64, u64> {
        let error = self.first_unseen_error(node);
        self.forget_tasks_of(node);
        error.map_or(Ok(0), Err)
    }

    /// The first error of the tasks of `node` that nobody was given, in order of their endings; owned by the caller.
    pub(crate) fn first_unseen_error(&mut self, node: NodeId) -> Option<u64> {
        let mut first: Option<(u64, u64)> = None;
        let mut next = self.tree.node(node).first_task;
        while next != TaskId::NONE {
            let task = self.tasks.at(next);
            if let (State::Ended, Some(Ending::Error(error))) = (task.state, task.ending)
                && !task.is_observed
                && first.is_none_or(|(number, _)| task.ended_at < number)
            {
                first = Some((task.ended_at, error));
            }
            next = task.next;
        }
        let (_, error) = first?;
        self.heap.retain(error);
        Some(error)
    }

    /// Takes the tasks of `node`, which have all ended, out of its list.
    pub(crate) fn forget_tasks_of(&mut self, node: NodeId) {
        loop {
            let first = self.tree.node(node).first_task;
            if first == TaskId::NONE {
                return;
            }
            self.tasks.at_mut(first).is_observed = true;
            self.unlist(first);
            self.forget_if_unnamed(first);
        }
    }

    /// Tells the tasks of `node` to end.
    pub(crate) fn cancel_tasks_of(&mut self, node: NodeId) {
        let mut next = self.tree.node(node).first_task;
        while next != TaskId::NONE {
            let id = next;
            next = self.tasks.at(id).next;
            self.cancel_task(id, "the node that it belongs to ends");
        }
    }
}
