//! Cancellation: each wait inside what is to end is resumed once, with an error that no `catch` matches.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::layout::stop;

use crate::event::EventKind;
use crate::operation::Request;
use crate::run::{Run, awaiting, parallel, queue, raise, sessions, stream};
use crate::scope::ScopeId;
use crate::task::{State, TaskId};
use crate::wait::Wait;

/// How long the `defer`s of a cancelled run may take in all, in nanoseconds.
pub(super) const GRACE: i64 = 10_000_000_000;

impl Run {
    /// Cancels a task: it unwinds at its next wait.
    pub(crate) fn cancel_task(&mut self, id: TaskId, reason: &str) {
        let task = self.scheduler.task_mut(id);
        if task.state == State::Ended || task.is_cancelled {
            return;
        }
        task.is_cancelled = true;
        let node = task.base;
        let reason = reason.to_owned();
        // Once for each task, since `is_cancelled` is set above, and before the first consequence of it.
        self.progress.emit(node, EventKind::Cancel { reason });
        self.unwind(id, ScopeId::TASK);
    }

    /// Unwinds a task up to one of its scopes, at its next wait if it does not wait now.
    pub(crate) fn unwind(&mut self, id: TaskId, scope: ScopeId) {
        let task = self.scheduler.task_mut(id);
        if task.state == State::Ended {
            return;
        }
        // What is further out wins: it unwinds through the others.
        task.pending = Some(task.pending.map_or(scope, |pending| pending.min(scope)));
        self.deliver(id);
    }

    /// Resumes the wait of a task that is to unwind and may.
    #[expect(
        clippy::too_many_lines,
        reason = "one arm a wait: rustc names what a new wait must join"
    )]
    pub(crate) fn deliver(&mut self, id: TaskId) {
        let task = self.scheduler.task_mut(id);
        if task.state == State::Ready {
            queue::give_back_received(self, id);
            return;
        }
        // A running task finds `pending` at its next wait. A shielded one is in a `defer`, which must finish; the unwinding follows.
        if task.state != State::Waiting || task.shield > 0 {
            return;
        }
        let Some(scope) = task.pending else { return };
        let node = task.node;
        // Each wait gives back here what it owns. What cannot end at once (tasks under way, a command that must stop) stays, and the
        // unwinding is delivered when that has ended.
        match std::mem::take(&mut task.wait) {
            Wait::Nothing => return,
            // Both wait for tasks that are cancelled or ending already; to leave now would abandon those.
            wait @ (Wait::Abort | Wait::Ending | Wait::Undo) => {
                let is_over = matches!(wait, Wait::Ending);
                task.wait = wait;
                // The body has ended and there is no frame to unwind: only its value is released, and the tasks below it are
                // cancelled.
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
                parallel::stop(self, id);
                return;
            }
            // Its own time limit: the prompt ends with `Timeout` as its result and records that, instead of being unwound.
            Wait::Prompt(prompt) if prompt.is_limited_by(scope) && !prompt.has_running_tools() => {
                prompt.run_out_of_time(self, id);
                return;
            }
            Wait::Prompt(prompt) => {
                if let Some(prompt) = prompt.unwind(self, id) {
                    self.scheduler.set_wait(id, Wait::Prompt(prompt));
                    return;
                }
            }
            wait @ Wait::Reflect(_) => {
                task.wait = wait;
                self.cancel_tasks_of(node);
                return;
            }
            Wait::Operation { id: operation, .. } => {
                // False when the operation changes something outside and has begun: its end is waited for (`Wait::Stopping`).
                if !self.give_up_operation(id, operation) {
                    return;
                }
            }
            wait @ Wait::Stopping { .. } => {
                task.wait = wait;
                return;
            }
            // It wakes the task when it has ended.
            Wait::Plan { plan, result } => {
                task.wait = Wait::Plan { plan, result };
                self.cancel_plan(plan);
                return;
            }
            Wait::Keyed { key, .. } => self.tool_keys.forget(&key, id),
            Wait::Session { session } => sessions::leave_line(self, id, session),
            wait @ (Wait::Await(_) | Wait::AwaitAll { .. } | Wait::Race(_)) => {
                awaiting::leave(&mut self.scheduler, &mut self.heap, id, &wait);
            }
            Wait::Part { stream: handle, .. } => stream::leave(self, id, handle),
            Wait::Join => self.scheduler.clear_joiner(node),
            wait @ (Wait::Push { .. } | Wait::Pop { .. } | Wait::Received { .. }) => {
                queue::leave_line(self, &wait);
            }
        }
        // Delivered exactly once: from here on the error edge carries the unwinding.
        self.scheduler.task_mut(id).pending = None;
        let error = raise::unwind_error(&mut self.heap, scope);
        self.scheduler.wake(id, Err(error));
    }

    /// The error that a wait which is about to begin must raise instead.
    pub(crate) fn interruption(&mut self) -> Option<u64> {
        if self.front.has(stop::KILL) {
            return Some(raise::unwind_error(&mut self.heap, ScopeId::TASK));
        }
        let task = self.scheduler.task_mut(self.scheduler.current());
        if task.shield == 0
            && let Some(scope) = task.pending.take()
        {
            return Some(raise::unwind_error(&mut self.heap, scope));
        }
        self.heap
            .take_over_limit()
            .then(|| raise::fault(&mut self.heap, BuiltinError::OutOfMemory))
    }

    /// Ends the run: all of it unwinds; what its `defer`s do not finish in time is dropped.
    pub(crate) fn cancel_all(&mut self, reason: &str) {
        if self
            .scheduler
            .get(self.completion.root())
            .is_none_or(|root| root.is_cancelled)
        {
            return;
        }
        self.shutdown.cancel();
        // The grace is an operation like any other time, so a replay drops the same `defer`s.
        self.request_for_run(Request::Sleep { nanoseconds: GRACE });
        self.cancel_task(self.completion.root(), reason);
    }
}
