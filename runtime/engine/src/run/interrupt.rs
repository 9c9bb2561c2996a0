//! Stops code that does not wait: loops, calls and long runtime calls poll the run's front and come here.
//!
//! A cancellation that a turn is too busy to take is taken in the middle of it. From then on the run cancels *eagerly*: tasks
//! that the cancellation has not reached yet are cancelled when they get the thread, instead of when the task around them is
//! unwound. What a `defer` does, and what it starts, continues.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::layout::stop;
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::TypeId;
use gsw_notation::issue::Issue;

use crate::front::Cancellation;
use crate::operation::OperationId;
use crate::run::{Run, RunResult, raise};
use crate::scope::ScopeId;
use crate::task::TaskId;
use crate::value::error;

/// How far the end of a run as a whole has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shutdown {
    /// Whether the run as a whole was cancelled.
    is_cancelled: bool,
    /// What was asked for before it had begun, while its input was read: there was no task to cancel.
    early: Option<Cancellation>,
    /// Whether that was in the middle of a turn: tasks that are about to compute are cancelled as well.
    is_eager: bool,
    /// What was taken in the middle of a turn, until the driver has heard of it.
    taken: Option<Interruption>,
    /// What an earlier life has taken, until this one is at the same place.
    due: Option<Interruption>,
    /// This one is, and goes on computing for a while.
    is_near: bool,
}

/// A cancellation that a run has taken in the middle of a turn.
///
/// Where in a turn that was is known by the operations that it had asked for, and about when: a later life is interrupted after the
/// same operation, when it has computed for a while as well and has passed the `defer`s that stand before the long computation. What
/// that has computed until then may be another; nothing of it has left the run, unless a `defer` shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interruption {
    pub cancellation: Cancellation,
    /// The operation that the run would have asked for next.
    pub before: OperationId,
}

impl Shutdown {
    pub(crate) fn cancel(&mut self) {
        self.is_cancelled = true;
    }
}

impl Run {
    /// The cancellation that the last turn has taken by itself, for the journal of what is brought to the run.
    pub fn take_interruption(&mut self) -> Option<Interruption> {
        self.shutdown.taken.take()
    }

    /// In the turn that follows, an earlier life of the run was interrupted.
    pub fn interrupt_again(&mut self, it: Interruption) {
        self.shutdown.due = Some(it);
        self.interrupt_if_due();
    }

    /// Takes the cancellation of an earlier life where that one did.
    pub(crate) fn interrupt_if_due(&mut self) {
        let next = self.operations.next_id();
        if let Some(due) = self.shutdown.due.take_if(|it| it.before <= next) {
            self.shutdown.is_near = true;
            self.front.has_come_to(due.cancellation);
        }
    }

    /// Something is about to be asked for that an earlier life was interrupted before.
    pub(crate) fn interrupt_before_request(&mut self) {
        if std::mem::take(&mut self.shutdown.is_near)
            && let Some(cancellation) = self.front.take_due()
        {
            self.cancel_eagerly(&cancellation);
        }
    }

    /// Compiled code may use this much of the stack from here on.
    pub(crate) fn enter_native(&mut self) {
        self.stack.enter(&self.front);
    }

    /// What a loop, a call or a long runtime call that found the flag set must raise; `None` when it continues.
    pub(crate) fn interrupted(&mut self) -> Option<u64> {
        self.heap.told();
        if self.front.has(stop::KILL) {
            return Some(raise::unwind_error(&mut self.heap, ScopeId::TASK));
        }
        if self.front.has(stop::CANCEL)
            && let Some(cancellation) = self.front.take_cancellation()
        {
            self.cancel_eagerly(&cancellation);
        }
        if self.shutdown.early.is_some() {
            return Some(raise::unwind_error(&mut self.heap, ScopeId::TASK));
        }
        // In this order: a stop of the whole run, then the unwinding of this task, then memory, then the stack. Whatever is not
        // taken here keeps its flag and is found at the next poll.
        if let Some(error) = self.take_pending() {
            return Some(error);
        }
        if self.heap.take_over_limit() {
            return Some(raise::fault(&mut self.heap, BuiltinError::OutOfMemory));
        }
        self.update_interrupt();
        self.stack
            .is_exhausted()
            .then(|| raise::fault(&mut self.heap, BuiltinError::StackOverflow))
    }

    /// Gives up what code raised that the runtime had called. An unwinding is still to come: the value that the code was called for
    /// is not made, and whatever is raised for that gives way to it ([`Self::in_place_of`]).
    pub(crate) fn give_back(&mut self, error: u64) {
        let current = self.scheduler.current();
        if raise::is_unwind(error) && self.scheduler.get(current).is_some() {
            let scope = ScopeId(error::field(error, 0));
            let task = self.scheduler.task_mut(current);
            task.pending = Some(task.pending.map_or(scope, |pending| pending.min(scope)));
            self.update_interrupt();
        }
        self.heap.release(error);
    }

    /// The error to raise where a call of the runtime has failed with `error`: in a run that ends, the unwinding of the task.
    pub(crate) fn in_place_of(&mut self, error: u64) -> u64 {
        if raise::is_unwind(error) {
            return error;
        }
        match self.due_unwinding() {
            Some(unwinding) => {
                self.heap.release(error);
                unwinding
            }
            None => self.heap.in_place_of(error),
        }
    }

    /// The unwinding of the current task, in a run that ends.
    pub(crate) fn due_unwinding(&mut self) -> Option<u64> {
        // A value may have been made of too little, before the code could hear that it is interrupted.
        if self.heap.is_cut()
            && let Some(interruption) = self.interrupted()
        {
            return Some(interruption);
        }
        match self.front.has(stop::KILL) {
            true => Some(raise::unwind_error(&mut self.heap, ScopeId::TASK)),
            false => self.take_pending(),
        }
    }

    /// Does between two turns what belongs to a task, such as decoding what it waits for: whatever interrupts that is for this task.
    pub(crate) fn on_behalf_of<T>(&mut self, id: TaskId, work: impl FnOnce(&mut Self) -> T) -> T {
        let current = self.scheduler.current();
        self.scheduler.set_current(id);
        self.update_shield();
        let done = work(self);
        self.scheduler.set_current(current);
        self.update_shield();
        done
    }

    /// The input was read: the words of it, or what does not fit. A run that is to end does not look at that, which was not read
    /// to its end; one that has the words begins and unwinds, so that they are given back.
    pub(crate) fn input_was_read(
        &mut self,
        function: FunctionIndex,
        result: TypeId,
        input: Result<Vec<u64>, Vec<Issue>>,
    ) {
        let is_to_end = self.front.has(stop::KILL | stop::CANCEL);
        let early = self.shutdown.early.take();
        match input {
            Ok(words) => {
                self.start_root(function, result, &words);
                if let Some(cancellation) = early {
                    self.cancel_eagerly(&cancellation);
                }
            }
            Err(_) if is_to_end || early.is_some() => self.completion.set(RunResult::Cancelled),
            // No task was started, so there is nothing to unwind.
            Err(issues) => self.completion.set(RunResult::InvalidInput(issues)),
        }
    }

    /// Takes what is asked for from outside, between two tasks of a turn. What is ready in a run that is to end at once still
    /// takes what it was woken with, and unwinds with it; what waits is dropped.
    pub(crate) fn poll_front(&mut self) {
        if self.front.has(stop::KILL) {
            match self.scheduler.next_ready() {
                Some(task) => {
                    self.drive(task);
                    self.collect_handles();
                }
                // Nothing is ready any more; what still waits is dropped without another turn.
                None => self.drop_all(),
            }
        } else if self.front.has(stop::CANCEL)
            && let Some(cancellation) = self.front.take_cancellation()
        {
            self.cancel_eagerly(&cancellation);
        }
    }

    fn cancel_eagerly(&mut self, cancellation: &Cancellation) {
        if !self.completion.has_begun() {
            self.shutdown.early = Some(cancellation.clone());
            return;
        }
        self.progress.advance(cancellation.now);
        self.shutdown.is_eager = true;
        self.shutdown.taken = Some(Interruption {
            cancellation: cancellation.clone(),
            before: self.operations.next_id(),
        });
        self.cancel_all(&cancellation.reason);
        // The current task may be deep below the root and never wait again, so it is not left to the unwinding from outside.
        self.cancel_if_eager(self.scheduler.current());
    }

    /// In a run that cancels eagerly a task that is about to compute is cancelled, unless a `defer` needs it.
    pub(crate) fn cancel_if_eager(&mut self, id: TaskId) {
        let is_reached = |run: &Self| {
            run.scheduler
                .get(id)
                .is_some_and(|it| !it.is_cancelled && !it.is_shielded && it.shield == 0)
        };
        if self.shutdown.is_eager && is_reached(self) {
            self.cancel_task(id, "the run was cancelled");
        }
    }

    /// Another task has the thread, or the one that has it has entered or left the shield of a `defer`.
    pub(crate) fn update_shield(&mut self) {
        let task = self.scheduler.get(self.scheduler.current());
        let is_shielded = task.is_some_and(|it| it.shield > 0 || it.is_shielded);
        // The stop flag has a bit for each reason, and a shield hides those of cancellation alone: a `defer` still ends on a kill.
        self.front.shield(is_shielded);
        if self.shutdown.is_cancelled {
            self.update_interrupt();
        }
    }

    /// In a cancelled run loops and calls of the current task look for its unwinding as well, so that it reaches code that
    /// does not wait.
    pub(crate) fn update_interrupt(&mut self) {
        let is_due = self.shutdown.is_cancelled
            && self
                .scheduler
                .get(self.scheduler.current())
                .is_some_and(|it| it.shield == 0 && it.pending.is_some());
        if is_due {
            self.front.interrupt(stop::UNWIND);
        } else {
            self.front.clear(stop::UNWIND);
            self.stack.apply_limit(&self.front);
        }
    }

    /// The unwinding that the current task is to begin, in a cancelled run.
    fn take_pending(&mut self) -> Option<u64> {
        if !self.shutdown.is_cancelled || self.scheduler.get(self.scheduler.current()).is_none() {
            return None;
        }
        let task = self.scheduler.task_mut(self.scheduler.current());
        if task.shield > 0 {
            return None;
        }
        let scope = task.pending.take()?;
        self.update_interrupt();
        Some(raise::unwind_error(&mut self.heap, scope))
    }
}
