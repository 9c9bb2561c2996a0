//! Scopes of modifiers: `timeout` and `budget`. A scope that ends early unwinds its task with its own number.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::budget::{Admission, Budget, Charge, Headroom, Limits, Load};
use crate::node::NodeId;
use crate::operation::OperationId;
use crate::task::TaskId;

/// A scope of the run; numbers rise and are never given again, so an outer one's is lower.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ScopeId(pub u64);

impl ScopeId {
    /// The task as a whole; also: no scope.
    pub const TASK: Self = Self(0);
}

#[derive(Debug)]
pub struct Scope {
    pub task: TaskId,
    /// The node that it was opened in.
    pub node: NodeId,
    /// The clock that ends it.
    pub clock: Option<OperationId>,
    /// When that is, in nanoseconds since 1970, while the clock runs.
    pub ends: Option<i64>,
    /// How much had been given up in doubt when its time ran out.
    pub doubts_before: Option<usize>,
    pub kind: ScopeKind,
}

#[derive(Debug)]
pub enum ScopeKind {
    /// `timeout`, after this many nanoseconds.
    Timeout {
        after: i64,
    },
    Budget(Budget),
}

/// The place of a call in the order in which calls were first held back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ticket(u64);

/// All open scopes of a run, and the calls that wait for room in its budgets.
///
/// A call waits in the queue of one budget that has no room for it. The oldest of a queue goes first and is never overtaken, so
/// a large call is never starved by small ones; a younger call waits after it even where it would fit. A queue is looked at
/// when its budget has less set aside, from its head to the first call that must still wait there: what is held back costs
/// nothing while it waits. Nothing waits for ever: a budget with a queue has something set aside, which ends.
#[derive(Debug, Default)]
pub struct Scopes {
    open: FxHashMap<ScopeId, Scope>,
    last: u64,
    queues: FxHashMap<ScopeId, BTreeMap<Ticket, TaskId>>,
    tickets: u64,
}

impl Scopes {
    pub fn open(&mut self, scope: Scope) -> ScopeId {
        // Never reused: an unwinding names its scope by number, and must not stop at a later scope of the same number.
        self.last += 1;
        let id = ScopeId(self.last);
        self.open.insert(id, scope);
        id
    }

    /// The time of an open scope has run out; returns the task that is to unwind to it.
    pub fn run_out(&mut self, id: ScopeId, doubts: usize) -> Option<TaskId> {
        let scope = self.get_mut(id)?;
        scope.doubts_before = Some(doubts);
        scope.clock = None;
        scope.ends = None;
        if let ScopeKind::Budget(budget) = &mut scope.kind {
            budget.is_out_of_time = true;
        }
        Some(scope.task)
    }

    /// Closes it. A budget still counts for what was begun in it.
    pub fn close(&mut self, id: ScopeId) -> Option<Scope> {
        let scope = self.get_mut(id)?;
        let (task, node) = (scope.task, scope.node);
        match &mut scope.kind {
            // A closed budget stays in the table while tasks that were begun in it still spend: their charges must reach the budgets
            // around it.
            ScopeKind::Budget(budget) if !budget.is_closed => {
                budget.is_closed = true;
                let closed = Scope {
                    task,
                    node,
                    clock: scope.clock.take(),
                    ends: scope.ends.take(),
                    doubts_before: scope.doubts_before,
                    kind: ScopeKind::Budget(budget.clone()),
                };
                self.forget_if_unused(id);
                Some(closed)
            }
            ScopeKind::Budget(_) => None,
            ScopeKind::Timeout { .. } => self.open.remove(&id),
        }
    }

    /// A task or a budget begins inside of a budget.
    pub fn join(&mut self, id: ScopeId) {
        if let Some(ScopeKind::Budget(budget)) = self.get_mut(id).map(|it| &mut it.kind) {
            budget.users += 1;
        }
    }

    /// A task or a budget inside of a budget has ended.
    pub fn leave(&mut self, id: ScopeId) {
        if let Some(ScopeKind::Budget(budget)) = self.get_mut(id).map(|it| &mut it.kind) {
            budget.users = budget.users.saturating_sub(1);
            self.forget_if_unused(id);
        }
    }

    fn forget_if_unused(&mut self, mut id: ScopeId) {
        while let Some(ScopeKind::Budget(budget)) = self.get_mut(id).map(|it| &mut it.kind) {
            if !budget.is_closed || budget.users > 0 {
                return;
            }
            let outer = budget.outer;
            self.open.remove(&id);
            self.queues.remove(&id);
            id = outer;
            if let Some(ScopeKind::Budget(outer)) = self.get_mut(id).map(|it| &mut it.kind) {
                outer.users = outer.users.saturating_sub(1);
            }
        }
    }

    #[must_use]
    pub fn get(&self, id: ScopeId) -> Option<&Scope> {
        self.open.get(&id)
    }

    /// Like [`Self::get`], to change it.
    pub fn get_mut(&mut self, id: ScopeId) -> Option<&mut Scope> {
        self.open.get_mut(&id)
    }

    /// The budgets that hold inside `id`, from the inside out.
    fn budgets(&self, id: ScopeId) -> impl Iterator<Item = (ScopeId, &Budget)> {
        let budget = move |id: ScopeId| match &self.get(id)?.kind {
            ScopeKind::Budget(budget) => Some((id, budget)),
            ScopeKind::Timeout { .. } => None,
        };
        std::iter::successors(budget(id), move |it| budget(it.1.outer))
    }

    /// Whether the budget `id` and all around it allow `charge` on top, for a new call or one that has waited with a ticket. The
    /// innermost budget that does not allow it decides.
    #[must_use]
    pub fn admit(&self, id: ScopeId, charge: &Charge, ticket: Option<Ticket>) -> Admission {
        let mut admission = Admission::Now;
        for (id, budget) in self.budgets(id) {
            match budget.headroom(charge) {
                // What one budget can never allow is refused at once, whatever the others say: waiting would not help.
                Err(what) => return Admission::Refused(what),
                Ok(Headroom::Free) if !self.waits_before(id, ticket) => {}
                Ok(Headroom::Free | Headroom::SetAside) if admission == Admission::Now => {
                    admission = Admission::Later(id);
                }
                Ok(Headroom::Free | Headroom::SetAside) => {}
            }
        }
        admission
    }

    /// Reserves the room for a call, which is in flight if it may be made.
    pub fn reserve(&mut self, id: ScopeId, worst: &Charge, ticket: Option<Ticket>) -> Admission {
        let admission = self.admit(id, worst, ticket);
        if admission == Admission::Now {
            // In all of them or in none: `admit` has asked every one before.
            self.each_budget(id, |_, it| it.reserve(worst));
        }
        admission
    }

    fn waits_before(&self, id: ScopeId, ticket: Option<Ticket>) -> bool {
        let first = self.queues.get(&id).and_then(|it| it.first_key_value());
        first.is_some_and(|(first, _)| ticket.is_none_or(|it| *first < it))
    }

    /// A ticket for a call that is held back for the first time.
    pub fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    /// The call of a task waits for room in a budget.
    pub fn wait(&mut self, id: ScopeId, ticket: Ticket, task: TaskId) {
        self.queues.entry(id).or_default().insert(ticket, task);
    }

    /// The call does not wait any more.
    pub fn stop_waiting(&mut self, id: ScopeId, ticket: Ticket) {
        if let Some(queue) = self.queues.get_mut(&id) {
            queue.remove(&ticket);
            if queue.is_empty() {
                self.queues.remove(&id);
            }
        }
    }

    /// The task that has waited longest for room in a budget.
    #[must_use]
    pub fn first_waiting(&self, id: ScopeId) -> Option<(Ticket, TaskId)> {
        let first = self.queues.get(&id)?.first_key_value()?;
        Some((*first.0, *first.1))
    }

    /// The budgets of `id` and around it in which calls wait, from the outside in: outer ones hold for more.
    #[must_use]
    pub fn queues_around(&self, id: ScopeId) -> Vec<ScopeId> {
        if self.queues.is_empty() {
            return Vec::new();
        }
        let mut around: Vec<ScopeId> = self.budgets(id).map(|it| it.0).collect();
        around.retain(|it| self.queues.contains_key(it));
        around.reverse();
        around
    }

    /// What is used up in the budget `id` or one around it.
    #[must_use]
    pub fn overdrawn(&self, id: ScopeId) -> Option<String> {
        self.budgets(id).find_map(|it| it.1.overdrawn())
    }

    /// What the budget `id` and all around it leave to spend.
    #[must_use]
    pub fn left(&self, id: ScopeId) -> Limits {
        let budgets = self.budgets(id);
        budgets.fold(Limits::default(), |left, it| it.1.left(left))
    }

    /// What was spent of a budget and may still be; nothing where there is none.
    #[must_use]
    pub fn load(&self, id: ScopeId) -> Load {
        let budget = self.budgets(id).next();
        budget.map(|it| it.1.load()).unwrap_or_default()
    }

    /// Lets a budget that stands for others spend this much more.
    pub fn leave_room(&mut self, id: ScopeId, left: Limits) {
        if let Some(ScopeKind::Budget(budget)) = self.get_mut(id).map(|it| &mut it.kind) {
            budget.leave_room(left);
        }
    }

    /// Charges `id` and all around it for what a budget of another run has spent on their behalf.
    pub fn draw(&mut self, id: ScopeId, before: Load, after: Load) {
        self.each_budget(id, |_, it| it.draw(before, after));
    }

    /// Changes the budget `id` and all around it, from the inside out.
    pub fn each_budget(&mut self, mut id: ScopeId, mut change: impl FnMut(ScopeId, &mut Budget)) {
        while let Some(ScopeKind::Budget(budget)) = self.get_mut(id).map(|it| &mut it.kind) {
            change(id, budget);
            id = budget.outer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Scope, ScopeId, ScopeKind, Scopes};
    use crate::budget::{Admission, Budget, Charge, Limits};
    use crate::node::NodeId;
    use crate::task::TaskId;

    fn budget(outer: ScopeId, calls: u64) -> Scope {
        let limits = Limits {
            calls: Some(calls),
            ..Limits::default()
        };
        Scope {
            task: TaskId(0),
            node: NodeId::ROOT,
            clock: None,
            ends: None,
            doubts_before: None,
            kind: ScopeKind::Budget(Budget::new(outer, limits)),
        }
    }

    fn calls(calls: u64) -> Charge {
        Charge {
            calls,
            ..Charge::default()
        }
    }

    #[test]
    fn nested_budgets_all_hold() {
        let mut scopes = Scopes::default();
        let outer = scopes.open(budget(ScopeId::TASK, 2));
        let inner = scopes.open(budget(outer, 5));
        let call = calls(1);
        for _ in 0..2 {
            assert_eq!(scopes.admit(inner, &call, None), Admission::Now);
            scopes.each_budget(inner, |_, it| it.reserve(&call));
            scopes.each_budget(inner, |_, it| it.settle(&call, &call));
        }
        let refused = "calls: 2 of 2 used, 1 more asked".into();
        assert_eq!(
            scopes.admit(inner, &call, None),
            Admission::Refused(refused)
        );
    }

    #[test]
    fn nobody_passes_a_call_that_waits() {
        let mut scopes = Scopes::default();
        let only = scopes.open(budget(ScopeId::TASK, 3));
        let later = Admission::Later(only);
        scopes.each_budget(only, |_, it| it.reserve(&calls(1)));
        assert_eq!(scopes.admit(only, &calls(3), None), later);
        let large = scopes.ticket();
        scopes.wait(only, large, TaskId(1));
        // It would fit beside the one on its way, and the large one would wait for the next like it.
        assert_eq!(scopes.admit(only, &calls(1), None), later);
        let small = scopes.ticket();
        scopes.wait(only, small, TaskId(2));
        let nothing = calls(0);
        scopes.each_budget(only, |_, it| it.settle(&calls(1), &nothing));
        assert_eq!(scopes.first_waiting(only), Some((large, TaskId(1))));
        assert_eq!(scopes.admit(only, &calls(1), Some(small)), later);
        assert_eq!(scopes.admit(only, &calls(3), Some(large)), Admission::Now);
        scopes.stop_waiting(only, large);
        assert_eq!(scopes.admit(only, &calls(1), Some(small)), Admission::Now);
    }

    #[test]
    fn a_closed_budget_holds_for_what_was_begun_in_it() {
        let mut scopes = Scopes::default();
        let outer = scopes.open(budget(ScopeId::TASK, 1));
        let inner = scopes.open(budget(outer, 5));
        scopes.join(outer);
        scopes.join(inner);
        assert!(scopes.close(inner).is_some() && scopes.close(inner).is_none());
        assert!(scopes.close(outer).is_some());
        let two = calls(2);
        assert!(matches!(
            scopes.admit(inner, &two, None),
            Admission::Refused(_)
        ));
        scopes.leave(inner);
        assert!(scopes.get(inner).is_none() && scopes.get(outer).is_none());
    }
}
