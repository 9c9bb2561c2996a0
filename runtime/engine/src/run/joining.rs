//! The tasks of a node: waited for when it ends normally, cancelled otherwise.

use crate::node::NodeId;
use crate::run::Run;
use crate::step::Step;
use crate::task::TaskId;
use crate::wait::Wait;

impl Run {
    /// `node_join`: waits for the tasks of the current node and raises the first error that was not observed.
    pub(crate) fn join(&mut self) -> Step {
        let node = self.scheduler.current_node();
        if self.scheduler.live_tasks(node) == 0 {
            return self.joined(node).into();
        }
        if let Some(error) = self.interruption() {
            return Step::Raised(error);
        }
        self.scheduler.set_joiner(node, self.scheduler.current());
        self.scheduler.wait_for(Wait::Join)
    }

    /// `node_abort`: cancels the tasks of the current node and waits until they have ended.
    pub(crate) fn abort(&mut self) -> Step {
        let node = self.scheduler.current_node();
        if self.scheduler.live_tasks(node) == 0 {
            self.forget_tasks_of(node);
            return Step::Done(0);
        }
        self.scheduler.set_joiner(node, self.scheduler.current());
        self.cancel_tasks_of(node);
        self.scheduler.wait_for(Wait::Abort)
    }

    /// All tasks of `node` have ended.
    pub(crate) fn joined(&mut self, node: NodeId) -> Result<u64, u64> {
        // Before the tasks are forgotten, which releases what they ended with.
        let error = self.take_unseen_error(node);
        self.forget_tasks_of(node);
        error.map_or(Ok(0), Err)
    }

    /// The first error of the tasks of `node` that was not given to any task, in order of their endings; owned by the
    /// caller.
    pub(crate) fn take_unseen_error(&mut self, node: NodeId) -> Option<u64> {
        let error = self.scheduler.first_unseen_error(node)?;
        self.heap.retain(error);
        Some(error)
    }

    /// Takes the tasks of `node`, which have all ended, out of its list.
    pub(crate) fn forget_tasks_of(&mut self, node: NodeId) {
        while let Some(first) = self.scheduler.first_task(node) {
            self.scheduler.task_mut(first).is_observed = true;
            self.scheduler.unlist(first);
            self.forget_if_unnamed(first);
        }
    }

    /// Cancels the tasks of `node`.
    pub(crate) fn cancel_tasks_of(&mut self, node: NodeId) {
        let mut next = self.scheduler.first_task(node).unwrap_or(TaskId::NONE);
        while next != TaskId::NONE {
            let id = next;
            next = self.scheduler.task(id).next;
            self.cancel_task(id, "the node that it belongs to ends");
        }
    }
}
