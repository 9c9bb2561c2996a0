//! Open budgets: checked before each call to a model, charged after it, and their clocks.

use crate::budget::{Admission, Budget, Charge, Limits};
use crate::event::EventKind;
use crate::heap::Heap;
use crate::node::NodeId;
use crate::run::scheduler::Scheduler;
use crate::run::{Run, raise};
use crate::scope::{Scope, ScopeId, ScopeKind, Ticket};
use crate::task::TaskId;
use crate::wait::Wait;

/// What a call to a model may cost at most, and what it has cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallCost<'a> {
    pub worst: &'a Charge,
    pub real: &'a Charge,
}

impl Run {
    /// Opens a scope of the current task.
    pub(crate) fn open_scope(&mut self, kind: ScopeKind) -> ScopeId {
        let task = self.scheduler.current();
        let id = self.scopes.open(Scope {
            task,
            node: self.scheduler.task(task).node,
            clock: None,
            ends: None,
            doubts_before: None,
            kind,
        });
        self.scheduler.task_mut(task).scopes.push(id);
        id
    }

    /// Closes a scope, its clock and an unwinding to it that was not delivered.
    pub(crate) fn close_scope(&mut self, id: ScopeId) -> Option<Scope> {
        let scope = self.scopes.close(id)?;
        if let Some(clock) = scope.clock {
            self.operations.abandon(clock);
        }
        let task = self.scheduler.task_mut(scope.task);
        task.scopes.retain(|it| *it != id);
        // A time-out that fell due while the body was already leaving: there is nothing left to unwind to.
        if task.pending == Some(id) {
            task.pending = None;
        }
        Some(scope)
    }

    /// Opens a budget inside the one that a task draws from; it draws from the new one from here on.
    pub(crate) fn open_budget(&mut self, task: TaskId, limits: Limits) -> ScopeId {
        let outer = self.scheduler.task(task).budget;
        // The budget around stays open as long as one inside of it draws from it.
        self.scopes.join(outer);
        let id = self.scopes.open(Scope {
            task,
            node: self.scheduler.task(task).node,
            clock: None,
            ends: None,
            doubts_before: None,
            kind: ScopeKind::Budget(Budget::new(outer, limits)),
        });
        let it = self.scheduler.task_mut(task);
        it.scopes.push(id);
        it.budget = id;
        if let Some(time) = limits.time {
            let left = time.max(0);
            let now = self.progress.now();
            self.scopes.each_budget(id, |of, budget| {
                if of == id {
                    budget.clock.left = left;
                    budget.clock.since = now;
                }
            });
            self.start_clock(id, left);
        }
        id
    }

    /// Closes a budget; its task draws from the one around it again.
    pub(crate) fn close_budget(&mut self, id: ScopeId) -> Option<Budget> {
        let scope = self.close_scope(id)?;
        match scope.kind {
            ScopeKind::Budget(budget) => {
                self.scheduler.task_mut(scope.task).budget = budget.outer;
                Some(budget)
            }
            ScopeKind::Timeout { .. } => None,
        }
    }

    /// Books what a call of a task has cost, or that it is given up; returns what is used up by it. Others that were held back
    /// may proceed.
    pub(crate) fn settle_call(
        &mut self,
        task: TaskId,
        node: NodeId,
        cost: CallCost<'_>,
    ) -> Option<String> {
        let innermost = self.scheduler.task(task).budget;
        let mut sum = None;
        self.scopes.each_budget(innermost, |id, budget| {
            budget.settle(cost.worst, cost.real);
            if id == innermost {
                sum = Some(budget.spent);
            }
        });
        if let Some(sum) = sum {
            let (calls, tokens, usd) = (sum.calls, sum.tokens, sum.usd);
            self.progress
                .emit(node, EventKind::Budget { calls, tokens, usd });
        }
        self.scopes.overdrawn(innermost)
    }

    /// Less is set aside in the budgets around a task: those that wait longest for it may be asked for.
    pub(crate) fn send_held_back(&mut self, task: TaskId) {
        for budget in self.scopes.queues_around(self.scheduler.task(task).budget) {
            while let Some((ticket, id)) = self.scopes.first_waiting(budget) {
                let admission = worst_held(&self.scheduler, id, ticket).map(|worst| {
                    let around = self.scheduler.task(id).budget;
                    self.scopes.admit(around, worst, Some(ticket))
                });
                // The head of the queue does not fit, so no later one is tried: small calls must not pass a large one for ever.
                if admission == Some(Admission::Later(budget)) {
                    break;
                }
                self.scopes.stop_waiting(budget, ticket);
                // Without an admission its prompt was given up meanwhile.
                if admission.is_some()
                    && let Wait::Prompt(prompt) = self.scheduler.take_wait(id)
                {
                    prompt.ask_again(self, id);
                }
            }
        }
    }

    /// The current task begins to wait for a person: the clocks of its budgets stop.
    pub(crate) fn pause_budget_clocks(&mut self) {
        let (budget, now) = (
            self.scheduler.task(self.scheduler.current()).budget,
            self.progress.now(),
        );
        let mut stopped = Vec::new();
        self.scopes.each_budget(budget, |id, budget| {
            budget.clock.people += 1;
            // Counted, since several tasks under one budget may wait for people at the same time.
            if budget.limits.time.is_some() && budget.clock.people == 1 {
                let clock = &mut budget.clock;
                clock.left = (clock.left - (now - clock.since)).max(0);
                stopped.push(id);
            }
        });
        for id in stopped {
            let Some(scope) = self.scopes.get_mut(id) else {
                continue;
            };
            scope.ends = None;
            if let Some(clock) = scope.clock.take() {
                self.operations.abandon(clock);
            }
        }
    }

    /// It has an answer, or none is wanted any more.
    pub(crate) fn resume_budget_clocks(&mut self) {
        let (budget, now) = (
            self.scheduler.task(self.scheduler.current()).budget,
            self.progress.now(),
        );
        let mut started = Vec::new();
        self.scopes.each_budget(budget, |id, budget| {
            budget.clock.people = budget.clock.people.saturating_sub(1);
            if budget.limits.time.is_some() && budget.clock.people == 0 && !budget.is_out_of_time {
                budget.clock.since = now;
                started.push((id, budget.clock.left));
            }
        });
        for (id, left) in started {
            self.start_clock(id, left);
        }
    }
}

/// The error to raise where `raised` leaves a budget that has been closed.
pub(crate) fn error_after(
    heap: &mut Heap,
    id: ScopeId,
    budget: Option<&Budget>,
    raised: u64,
) -> u64 {
    let Some(budget) = budget.filter(|it| it.is_out_of_time) else {
        return raised;
    };
    // An error of the body itself that came at the same moment is passed on as it is.
    if !raise::is_unwind_of(raised, id) {
        return raised;
    }
    heap.release(raised);
    raise::budget_exceeded(heap, &budget.out_of_time())
}

/// The most that a call may cost that is held back with a ticket; `None` when it is none any more.
fn worst_held(scheduler: &Scheduler, id: TaskId, ticket: Ticket) -> Option<&Charge> {
    match &scheduler.get(id)?.wait {
        Wait::Prompt(prompt) => prompt.worst_held(ticket),
        Wait::Nothing
        | Wait::Operation { .. }
        | Wait::Stopping { .. }
        | Wait::Await(_)
        | Wait::AwaitAll { .. }
        | Wait::Race(_)
        | Wait::Join
        | Wait::Abort
        | Wait::Parallel(_)
        | Wait::Undo
        | Wait::Reflect(_)
        | Wait::Plan { .. }
        | Wait::Session { .. }
        | Wait::Keyed { .. }
        | Wait::Push { .. }
        | Wait::Pop { .. }
        | Wait::Received { .. }
        | Wait::Part { .. }
        | Wait::Ending => None,
    }
}
