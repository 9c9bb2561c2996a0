//! Cancellation: each wait inside what is to end is resumed once, with an error that no `catch` matches.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::layout::stop;

use crate::event::EventKind;
use crate::operation::Request;
use crate::run::Run;
use crate::scope::ScopeId;
use crate::task::{State, TaskId};
use crate::value::error;
use crate::wait::Wait;

/// How long the `defer`s of a cancelled run may take in all, in nanoseconds.
const GRACE: i64 = 10_000_000_000;

impl Run {
    /// Tells a task to end.
    pub(crate) fn cancel_task(&mut self, id: TaskId, reason: &str) {
        let task = self.tasks.at_mut(id);
        if task.state == State::Ended || task.is_cancelled {
            return;
        }
        task.is_cancelled = true;
        let node = task.base;
        let reason = reason.to_owned();
        self.tell(node, EventKind::Cancel { reason });
        self.unwind(id, ScopeId::TASK);
    }

    /// Unwinds a task up to one of its scopes, at its next wait if it does not wait now.
    pub(crate) fn unwind(&mut self, id: TaskId, scope: ScopeId) {
        let task = self.tasks.at_mut(id);
        if task.state == State::Ended {
            return;
        }
        // What is further out wins: it unwinds through the others.
        task.pending = Some(task.pending.map_or(scope, |pending| pending.min(scope)));
        self.deliver(id);
    }

    /// Resumes the wait of a task that is to unwind and may.
    pub(crate) fn deliver(&mut self, id: TaskId) {
        let task = self.tasks.at_mut(id);
        if task.state != State::Waiting || task.shield > 0 {
            return;
        }
        let Some(scope) = task.pending else { return };
        let node = task.node;
        match std::mem::take(&mut task.wait) {
            Wait::Nothing => return,
            wait @ (Wait::Abort | Wait::Ending) => {
                let is_over = matches!(wait, Wait::Ending);
                task.wait = wait;
                if is_over {
                    let base = task.base;
                    task.pending = None;
                    self.give_up_value(id);
                    self.cancel_tasks_of(base);
                }
                return;
            }
            wait @ Wait::Parallel(_) => {
                task.wait = wait;
                self.stop_parallel(id);
                return;
            }
            Wait::Prompt(prompt)
                if Self::is_budget_of(&prompt, scope) && !prompt.has_running_tools() =>
            {
                self.prompt_out_of_time(id, prompt);
                return;
            }
            Wait::Prompt(prompt) => {
                if let Some(prompt) = self.abandon_prompt(id, prompt) {
                    self.tasks.at_mut(id).wait = Wait::Prompt(prompt);
                    return;
                }
            }
            wait @ Wait::Reflect(_) => {
                task.wait = wait;
                self.cancel_tasks_of(node);
                return;
            }
            Wait::Operation { id: operation, .. } => {
                if !self.give_up_operation(id, operation) {
                    return;
                }
            }
            wait @ Wait::Stopping { .. } => {
                task.wait = wait;
                return;
            }
            Wait::Keyed { key, .. } => self.tool_keys.forget(&key, id),
            Wait::Await(handle) => self.heap.release(handle),
            Wait::AwaitAll { handles, .. } | Wait::Race { handles, .. } => {
                self.heap.release(handles)
            }
            Wait::Join => self.tree.node_mut(node).joiner = TaskId::NONE,
        }
        self.tasks.at_mut(id).pending = None;
        let error = self.unwind_error(scope);
        self.wake(id, Err(error));
    }

    /// The error that a wait which is about to begin must raise instead.
    pub(crate) fn interruption(&mut self) -> Option<u64> {
        if self.front.has(stop::KILL) {
            return Some(self.unwind_error(ScopeId::TASK));
        }
        let task = self.tasks.at_mut(self.current);
        if task.shield == 0
            && let Some(scope) = task.pending.take()
        {
            return Some(self.unwind_error(scope));
        }
        self.heap
            .take_over_limit()
            .then(|| self.fault(BuiltinError::OutOfMemory))
    }

    /// Ends the run: all of it unwinds; what its `defer`s do not finish in time is dropped.
    pub(crate) fn cancel_all(&mut self, reason: &str) {
        if self
            .tasks
            .get(self.root)
            .is_none_or(|root| root.is_cancelled)
        {
            return;
        }
        self.is_cancelled = true;
        self.request_for_run(Request::Sleep { nanoseconds: GRACE });
        self.cancel_task(self.root, reason);
    }

    /// The unwinding of a scope.
    pub(crate) fn unwind_error(&mut self, scope: ScopeId) -> u64 {
        error::new(&mut self.heap, BuiltinError::Unwind, &[scope.0])
    }

    /// Whether an error is the unwinding of a task or scope.
    pub(crate) fn is_unwind(&self, error: u64) -> bool {
        error::kind(error) == Some(BuiltinError::Unwind)
    }

    /// Whether an error is the unwinding of this scope.
    pub(crate) fn is_unwind_of(&self, error: u64, scope: ScopeId) -> bool {
        self.is_unwind(error) && error::field(error, 0) == scope.0
    }
}
