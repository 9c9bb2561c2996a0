//! How tasks end: they wait for the tasks that belong to them, then wake those that wait for them.

use gsw_abi::types::Type;

use crate::codec;
use crate::node::Status;
use crate::run::scheduler::Task;
use crate::run::{Run, awaiting, parallel, prompt, reflect, undo};
use crate::task::{Encoding, Ending, Role, State, TaskId};
use crate::wait::Wait;

impl Run {
    /// The body of a task has ended. It ends once the tasks that belong to it have.
    pub(crate) fn body_ended(&mut self, id: TaskId, mut ending: Ending) {
        self.debug_task_ended(id);
        let encoding = self.scheduler.task_mut(id).encodes.take();
        if let (Some(encoding), Ending::Value(value)) = (encoding, ending) {
            let (ty, json) = match encoding {
                Encoding::Whole(ty) => (ty, codec::to_json(&mut self.heap, ty, value)),
                Encoding::Redacted(ty) => (ty, codec::to_json_redacted(&mut self.heap, ty, value)),
            };
            // Before the value's type is forgotten: the waiter of a task that was started by name knows it as `json`.
            ending = Ending::Value(json);
            self.heap.release_typed(ty, value);
        }
        let task = self.scheduler.task_mut(id);
        task.ending = Some(ending);
        let base = task.base;
        if self.scheduler.live_tasks(base) == 0 {
            self.settle(id);
            return;
        }
        let task = self.scheduler.task_mut(id);
        task.state = State::Waiting;
        task.wait = Wait::Ending;
        self.suspects.add(id);
        // A body that failed or is to unwind does not wait for its tasks to succeed: they are cancelled, then it ends.
        let is_cancelled = self.scheduler.task_mut(id).pending.take().is_some()
            || !matches!(ending, Ending::Value(_));
        self.scheduler.set_joiner(base, id);
        if is_cancelled {
            self.give_up_value(id);
            self.cancel_tasks_of(base);
        }
    }

    /// A task that has ended its body with a value but is cancelled gives no value.
    pub(crate) fn give_up_value(&mut self, id: TaskId) {
        let task = self.scheduler.task_mut(id);
        if let Some(Ending::Value(value)) = task.ending {
            task.ending = Some(Ending::Cancelled);
            let result = task.result;
            self.heap.release_typed(result, value);
        }
    }

    /// The body of a task and all tasks that belong to it have ended.
    pub(crate) fn settle(&mut self, id: TaskId) {
        let task = self.scheduler.task(id);
        let (base, ending) = (task.base, task.ending);
        if matches!(ending, Some(Ending::Value(_)))
            // An error of a task that was not awaited is raised at the end of its node, or it would be lost silently.
            && let Some(error) = self.take_unseen_error(base)
        {
            self.give_up_value(id);
            self.scheduler.task_mut(id).ending = Some(Ending::Error(error));
        }
        self.forget_tasks_of(base);
        if !self.waits_for_undo_wish(id) {
            self.finish_task(id);
        }
    }

    fn finish_task(&mut self, id: TaskId) {
        // The order below is what observers and other tasks rely on: the task counts as ended, its node is left in the tree, its
        // coordinator gets the ending, the tasks that await it are woken, and only then may it be forgotten.
        self.scheduler.end(id);
        let task = self.scheduler.task_mut(id);
        let ending = task.ending.unwrap_or(Ending::Cancelled);
        let (base, owner, role) = (task.base, task.owner, task.role);
        let result = task.result;
        let waiters = std::mem::take(&mut task.waiters);
        let budget = task.budget;
        self.scopes.leave(budget);
        match ending {
            Ending::Value(_) => self.leave_node(base, Status::Completed, None),
            Ending::Error(error) => self.fail_node(base, error),
            Ending::Cancelled => self.leave_node(base, Status::Cancelled, None),
        }
        match role {
            Role::Root => {
                self.finish_run(ending);
                return;
            }
            Role::Spawned => {}
            Role::Iteration { coordinator, index } => {
                parallel::iteration_ended(self, coordinator, index, ending)
            }
            Role::Tool { coordinator, index } => {
                prompt::tool_ended(self, coordinator, index, ending)
            }
            Role::Undo { coordinator } => undo::undo_ended(self, base, coordinator, ending),
            Role::Reflection { coordinator } => {
                reflect::reflection_ended(self, coordinator, ending, result);
            }
        }
        self.stream_ended(id);
        for waiter in waiters {
            awaiting::look_again(self, waiter, id);
        }
        let task = self.scheduler.task_mut(id);
        let may_be_raised = role == Role::Spawned
            && matches!(ending, Ending::Error(_))
            && !task.is_observed
            && !task.is_cancelled;
        if !may_be_raised {
            self.scheduler.unlist(id);
        }
        self.forget_if_unnamed(id);
        // Last, because the joiner may end in turn and take this task's record with it.
        if let Some(joiner) = self.scheduler.count_ended(owner) {
            awaiting::look_again(self, joiner, id);
        }
    }

    /// Forgets a task that has ended when neither a list nor a handle names it.
    pub(crate) fn forget_if_unnamed(&mut self, id: TaskId) {
        let task = self.scheduler.task(id);
        if task.state != State::Ended || task.is_listed || task.has_handle {
            return;
        }
        let (ending, result, role) = (task.ending, task.result, task.role);
        self.scheduler.remove(id);
        self.streams.forget(&mut self.heap, id);
        self.heap.discharge(Task::CHARGE);
        // Endings of iterations and tools were handed to their coordinator.
        if role == Role::Spawned {
            match ending {
                Some(Ending::Value(value)) => self.heap.release_typed(result, value),
                Some(Ending::Error(error)) => self.heap.release(error),
                Some(Ending::Cancelled) | None => {}
            }
        }
    }

    /// Forgets the tasks whose handles the program has given up.
    pub(crate) fn collect_handles(&mut self) {
        loop {
            let dropped = self.heap.take_dropped();
            if dropped.is_empty() {
                return;
            }
            for (ty, word) in dropped {
                let ty = self.loaded.types.get(ty);
                if matches!(ty, Type::Task(_) | Type::Stream(_)) {
                    let id = TaskId(word as u32);
                    self.scheduler.task_mut(id).has_handle = false;
                    self.forget_if_unnamed(id);
                } else if *ty == Type::Session {
                    self.sessions.forget(&mut self.heap, word);
                }
            }
        }
    }
}
