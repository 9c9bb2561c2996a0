//! What stops code that waits for nothing: loops, calls and long runtime calls poll the run's front and come here.
//!
//! A cancellation that a turn is too busy to hear is taken in the middle of it. From then on the run is *hurried*: tasks
//! that the cancellation has not reached yet are told to end when they get the thread, instead of when the task around
//! them is unwound. What a `defer` does, and what it starts, goes on.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::layout::stop;

use crate::front::Cancellation;
use crate::run::Run;
use crate::run::drive::MOST_FRAMES;
use crate::scope::ScopeId;
use crate::task::TaskId;

/// How much of its stack a turn may use; the threads have more.
const TURN_STACK: u64 = 16 << 20;

impl Run {
    /// Compiled code may use so much of the stack from here on.
    pub(crate) fn enter_native(&mut self) {
        self.native_limit = stack_pointer().saturating_sub(TURN_STACK);
        self.front.limit_stack(self.native_limit);
    }

    /// Whether what computes is to look for [`Run::interrupted`].
    pub(crate) fn is_stopping(&self) -> bool {
        self.front
            .has(stop::CANCEL | stop::KILL | stop::UNWIND | stop::MEMORY)
    }

    /// What a loop, a call or a long runtime call must raise that found the flag set; `None` when it goes on.
    pub(crate) fn interrupted(&mut self) -> Option<u64> {
        if self.front.has(stop::KILL) {
            return Some(self.unwind_error(ScopeId::TASK));
        }
        if self.front.has(stop::CANCEL)
            && let Some(cancellation) = self.front.take_cancellation()
        {
            self.hurry(&cancellation);
        }
        if let Some(error) = self.take_pending() {
            return Some(error);
        }
        if self.heap.take_over_limit() {
            return Some(self.fault(BuiltinError::OutOfMemory));
        }
        self.aim_at_current();
        let is_exhausted = self.depth > MOST_FRAMES || stack_pointer() < self.native_limit;
        is_exhausted.then(|| self.fault(BuiltinError::StackOverflow))
    }

    /// Takes what somebody outside asks for, between two tasks of a turn. What is ready in a run that is to end at once still
    /// takes what it was woken with, and unwinds with it; what waits is dropped.
    pub(crate) fn heed_front(&mut self) {
        if self.front.has(stop::KILL) {
            match self.ready.pop_front() {
                Some(task) => {
                    self.drive(task);
                    self.collect_handles();
                }
                None => self.drop_all(),
            }
        } else if self.front.has(stop::CANCEL)
            && let Some(cancellation) = self.front.take_cancellation()
        {
            self.hurry(&cancellation);
        }
    }

    fn hurry(&mut self, Cancellation { reason, now }: &Cancellation) {
        self.now = self.now.max(*now);
        self.is_hurried = true;
        self.cancel_all(reason);
        self.reach_by_hurry(self.current);
    }

    /// In a hurried run a task that is about to compute is told to end, unless a `defer` needs it.
    pub(crate) fn reach_by_hurry(&mut self, id: TaskId) {
        let is_reached = |run: &Self| {
            run.tasks
                .get(id)
                .is_some_and(|it| !it.is_cancelled && !it.is_shielded && it.shield == 0)
        };
        if self.is_hurried && is_reached(self) {
            self.cancel_task(id, "the run was cancelled");
        }
    }

    /// Another task has the thread, or the one that has it has entered or left the shield of a `defer`.
    pub(crate) fn aim_if_cancelled(&mut self) {
        let task = self.tasks.get(self.current);
        let is_shielded = task.is_some_and(|it| it.shield > 0 || it.is_shielded);
        self.front.shield(is_shielded);
        if self.is_cancelled {
            self.aim_at_current();
        }
    }

    /// In a cancelled run loops and calls of the current task look for its unwinding as well, so that it reaches code that
    /// does not wait.
    pub(crate) fn aim_at_current(&mut self) {
        let is_due = self.is_cancelled
            && self
                .tasks
                .get(self.current)
                .is_some_and(|it| it.shield == 0 && it.pending.is_some());
        if is_due {
            self.front.interrupt(stop::UNWIND);
        } else {
            self.front.clear(stop::UNWIND);
            let limit = if self.depth > MOST_FRAMES {
                u64::MAX
            } else {
                self.native_limit
            };
            self.front.limit_stack(limit);
        }
    }

    /// The unwinding that the current task is to begin, in a cancelled run.
    fn take_pending(&mut self) -> Option<u64> {
        if !self.is_cancelled || self.tasks.get(self.current).is_none() {
            return None;
        }
        let task = self.tasks.at_mut(self.current);
        if task.shield > 0 {
            return None;
        }
        let scope = task.pending.take()?;
        self.aim_at_current();
        Some(self.unwind_error(scope))
    }
}

fn stack_pointer() -> u64 {
    let mark = 0u8;
    std::hint::black_box(&raw const mark).addr() as u64
}
