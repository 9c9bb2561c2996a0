//! How tasks end: they wait for the tasks that belong to them, then tell those who wait for them.

use crate::codec;
use crate::node::{NodeId, Status};
use crate::run::Run;
use crate::task::{Encoding, Ending, Role, State, TaskId};
use crate::wait::Wait;

impl Run {
    /// The body of a task has ended. It ends once the tasks that belong to it have.
    pub(crate) fn body_ended(&mut self, id: TaskId, mut ending: Ending) {
        let encoding = self.tasks.at_mut(id).encodes.take();
        if let (Some(encoding), Ending::Value(value)) = (encoding, ending) {
            let (ty, json) = match encoding {
                Encoding::Whole(ty) => (ty, codec::to_json(&mut self.heap, ty, value)),
                Encoding::Redacted(ty) => (ty, codec::to_json_redacted(&mut self.heap, ty, value)),
            };
            ending = Ending::Value(json);
            self.heap.release_typed(ty, value);
        }
        let task = self.tasks.at_mut(id);
        task.ending = Some(ending);
        let base = task.base;
        if self.tree.node(base).live_tasks == 0 {
            self.settle(id);
            return;
        }
        let task = self.tasks.at_mut(id);
        task.state = State::Waiting;
        task.wait = Wait::Ending;
        let is_cancelled = task.pending.take().is_some() || !matches!(ending, Ending::Value(_));
        self.tree.node_mut(base).joiner = id;
        if is_cancelled {
            self.give_up_value(id);
            self.cancel_tasks_of(base);
        }
    }

    /// A task that has ended its body with a value but is told to end gives no value.
    pub(crate) fn give_up_value(&mut self, id: TaskId) {
        let task = self.tasks.at_mut(id);
        if let Some(Ending::Value(value)) = task.ending {
            task.ending = Some(Ending::Cancelled);
            let result = task.result;
            self.heap.release_typed(result, value);
        }
    }

    /// The body of a task and all tasks that belong to it have ended.
    pub(crate) fn settle(&mut self, id: TaskId) {
        let task = self.tasks.at(id);
        let (base, ending) = (task.base, task.ending);
        if matches!(ending, Some(Ending::Value(_)))
            && let Some(error) = self.first_unseen_error(base)
        {
            self.give_up_value(id);
            self.tasks.at_mut(id).ending = Some(Ending::Error(error));
        }
        self.forget_tasks_of(base);
        self.finish_task(id);
    }

    fn finish_task(&mut self, id: TaskId) {
        let number = self.tasks.next_ending();
        let task = self.tasks.at_mut(id);
        task.state = State::Ended;
        task.ended_at = number;
        task.wait = Wait::Nothing;
        let ending = task.ending.unwrap_or(Ending::Cancelled);
        let (base, owner, role) = (task.base, task.owner, task.role);
        let result = task.result;
        let waiters = std::mem::take(&mut task.waiters);
        let budget = task.budget;
        self.scopes.leave(budget);
        self.finish_base(base, ending);
        match role {
            Role::Root => {
                self.finish_run(ending);
                return;
            }
            Role::Spawned => {}
            Role::Iteration { coordinator, index } => {
                self.iteration_ended(coordinator, index, ending)
            }
            Role::Tool { coordinator, index } => self.tool_ended(coordinator, index, ending),
            Role::Reflection { coordinator } => {
                self.reflection_ended(coordinator, ending, result);
            }
        }
        for waiter in waiters {
            self.look_again(waiter);
        }
        let task = self.tasks.at_mut(id);
        let may_be_raised = role == Role::Spawned
            && matches!(ending, Ending::Error(_))
            && !task.is_observed
            && !task.is_cancelled;
        if !may_be_raised {
            self.unlist(id);
        }
        self.forget_if_unnamed(id);
        self.task_of_ended(owner);
    }

    fn finish_base(&mut self, base: NodeId, ending: Ending) {
        match ending {
            Ending::Value(_) => self.leave_node(base, Status::Completed, None),
            Ending::Error(error) => self.fail_node(base, error),
            Ending::Cancelled => self.leave_node(base, Status::Cancelled, None),
        }
    }

    /// A task of `owner` has ended; wakes who waits for all of them.
    fn task_of_ended(&mut self, owner: NodeId) {
        let node = self.tree.node_mut(owner);
        node.live_tasks -= 1;
        if node.live_tasks == 0 && node.joiner != TaskId::NONE {
            let joiner = std::mem::replace(&mut node.joiner, TaskId::NONE);
            self.look_again(joiner);
        }
    }

    /// Takes a task out of its owner's list.
    pub(crate) fn unlist(&mut self, id: TaskId) {
        let task = self.tasks.at_mut(id);
        if !std::mem::replace(&mut task.is_listed, false) {
            return;
        }
        let (owner, previous, next) = (task.owner, task.previous, task.next);
        match previous {
            TaskId::NONE => self.tree.node_mut(owner).first_task = next,
            previous => self.tasks.at_mut(previous).next = next,
        }
        match next {
            TaskId::NONE => self.tree.node_mut(owner).last_task = previous,
            next => self.tasks.at_mut(next).previous = previous,
        }
    }

    /// Forgets a task that has ended when neither a list nor a handle names it.
    pub(crate) fn forget_if_unnamed(&mut self, id: TaskId) {
        let task = self.tasks.at(id);
        if task.state != State::Ended || task.is_listed || task.has_handle {
            return;
        }
        let (ending, result, role) = (task.ending, task.result, task.role);
        self.tasks.remove(id);
        self.heap.discharge(crate::task::Task::CHARGE);
        // Endings of iterations and tools were handed to their coordinator.
        if role == Role::Spawned {
            match ending {
                Some(Ending::Value(value)) => self.heap.release_typed(result, value),
                Some(Ending::Error(error)) => self.heap.release(error),
                Some(Ending::Cancelled) | None => {}
            }
        }
    }

    /// Hears of the handles that the program gave up.
    pub(crate) fn collect_handles(&mut self) {
        loop {
            let dropped = self.heap.take_dropped();
            if dropped.is_empty() {
                return;
            }
            for (ty, word) in dropped {
                if matches!(self.loaded.types.get(ty), gsw_abi::types::Type::Task(_)) {
                    let id = TaskId(word as u32);
                    self.tasks.at_mut(id).has_handle = false;
                    self.forget_if_unnamed(id);
                }
            }
        }
    }
}
