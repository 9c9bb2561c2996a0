//! Scopes of modifiers: `timeout` and `budget`. A scope that ends early unwinds its task with its own number.

use rustc_hash::FxHashMap;

use crate::budget::{Admission, Budget, Charge};
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

/// One open scope.
#[derive(Debug)]
pub struct Scope {
    /// Whose it is.
    pub task: TaskId,
    /// The node that it was opened in.
    pub node: NodeId,
    /// The clock that ends it.
    pub clock: Option<OperationId>,
    /// When that is, in nanoseconds since 1970, while the clock runs.
    pub ends: Option<i64>,
    /// What it is.
    pub kind: ScopeKind,
}

/// What a scope is.
#[derive(Debug)]
pub enum ScopeKind {
    /// `timeout`, after so many nanoseconds.
    Timeout {
        /// As written.
        after: i64,
    },
    /// `budget`
    Budget(Budget),
}

/// All open scopes of a run.
#[derive(Debug, Default)]
pub struct Scopes {
    open: FxHashMap<ScopeId, Scope>,
    last: u64,
}

impl Scopes {
    /// Opens a scope.
    pub fn open(&mut self, scope: Scope) -> ScopeId {
        self.last += 1;
        let id = ScopeId(self.last);
        self.open.insert(id, scope);
        id
    }

    /// Closes it.
    pub fn close(&mut self, id: ScopeId) -> Option<Scope> {
        self.open.remove(&id)
    }

    /// An open scope.
    #[must_use]
    pub fn get(&self, id: ScopeId) -> Option<&Scope> {
        self.open.get(&id)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, id: ScopeId) -> Option<&mut Scope> {
        self.open.get_mut(&id)
    }

    /// The budgets that hold inside `id`, from the inside out.
    fn budgets(&self, id: ScopeId) -> impl Iterator<Item = &Budget> {
        let budget = |id: ScopeId| match self.get(id).map(|it| &it.kind) {
            Some(ScopeKind::Budget(budget)) => Some(budget),
            _ => None,
        };
        std::iter::successors(budget(id), move |it| budget(it.outer))
    }

    /// Whether the budget `id` and all around it allow `charge` on top; the innermost that does not is the one that says so.
    #[must_use]
    pub fn admit(&self, id: ScopeId, charge: &Charge) -> Admission {
        let mut admission = Admission::Now;
        for budget in self.budgets(id) {
            match budget.admit(charge) {
                Admission::Now => {}
                Admission::Later => admission = Admission::Later,
                refused @ Admission::Refused(_) => return refused,
            }
        }
        admission
    }

    /// What is used up in the budget `id` or one around it.
    #[must_use]
    pub fn overdrawn(&self, id: ScopeId) -> Option<String> {
        self.budgets(id).find_map(Budget::overdrawn)
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
            kind: ScopeKind::Budget(Budget::new(outer, limits)),
        }
    }

    #[test]
    fn nested_budgets_all_hold() {
        let mut scopes = Scopes::default();
        let outer = scopes.open(budget(ScopeId::TASK, 2));
        let inner = scopes.open(budget(outer, 5));
        let call = Charge {
            calls: 1,
            ..Charge::default()
        };
        for _ in 0..2 {
            assert_eq!(scopes.admit(inner, &call), Admission::Now);
            scopes.each_budget(inner, |_, it| it.reserve(&call));
            scopes.each_budget(inner, |_, it| it.settle(&call, &call));
        }
        let refused = "calls: 2 of 2 used, 1 more asked".into();
        assert_eq!(scopes.admit(inner, &call), Admission::Refused(refused));
    }
}
