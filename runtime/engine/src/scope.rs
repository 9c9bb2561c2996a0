//! Scopes of modifiers: `timeout` and `budget`. A scope that ends early unwinds its task with its own number.

use rustc_hash::FxHashMap;

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
    /// The clock that ends it.
    pub clock: Option<OperationId>,
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

/// What may be spent, and what was.
#[derive(Debug)]
pub struct Budget {
    /// The budget around it.
    pub outer: ScopeId,
    /// Dollars.
    pub usd: Option<f64>,
    /// Tokens.
    pub tokens: Option<u64>,
    /// Requests to models.
    pub calls: Option<u64>,
    /// Dollars so far, where the price is known.
    pub spent_usd: f64,
    /// Tokens so far.
    pub spent_tokens: u64,
    /// Requests so far.
    pub spent_calls: u64,
    /// Whether its time ran out.
    pub is_out_of_time: bool,
}

/// Something that a budget is charged or asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Charge {
    /// Dollars.
    pub usd: f64,
    /// Tokens.
    pub tokens: u64,
    /// Requests.
    pub calls: u64,
}

impl Budget {
    /// What is used up if `charge` comes on top.
    #[must_use]
    pub fn exceeded_by(&self, charge: Charge) -> Option<&'static str> {
        let over = |limit: Option<u64>, spent: u64| limit.is_some_and(|limit| spent > limit);
        if over(self.calls, self.spent_calls.saturating_add(charge.calls)) {
            Some("calls")
        } else if over(self.tokens, self.spent_tokens.saturating_add(charge.tokens)) {
            Some("tokens")
        } else if self
            .usd
            .is_some_and(|limit| self.spent_usd + charge.usd > limit)
        {
            Some("usd")
        } else {
            None
        }
    }
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

    /// What would be used up by `charge` in the budget `id` or one around it.
    #[must_use]
    pub fn exceeded_by(&self, mut id: ScopeId, charge: Charge) -> Option<&'static str> {
        while let Some(ScopeKind::Budget(budget)) = self.get(id).map(|it| &it.kind) {
            if let Some(what) = budget.exceeded_by(charge) {
                return Some(what);
            }
            id = budget.outer;
        }
        None
    }

    /// Charges the budget `id` and all around it.
    pub fn charge(&mut self, mut id: ScopeId, charge: Charge) {
        while let Some(ScopeKind::Budget(budget)) = self.get_mut(id).map(|it| &mut it.kind) {
            budget.spent_calls = budget.spent_calls.saturating_add(charge.calls);
            budget.spent_tokens = budget.spent_tokens.saturating_add(charge.tokens);
            budget.spent_usd += charge.usd;
            id = budget.outer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Charge, Scope, ScopeId, ScopeKind, Scopes};
    use crate::task::TaskId;

    fn budget(outer: ScopeId, calls: u64) -> Scope {
        Scope {
            task: TaskId(0),
            clock: None,
            kind: ScopeKind::Budget(Budget {
                outer,
                usd: None,
                tokens: None,
                calls: Some(calls),
                spent_usd: 0.0,
                spent_tokens: 0,
                spent_calls: 0,
                is_out_of_time: false,
            }),
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
            assert_eq!(scopes.exceeded_by(inner, call), None);
            scopes.charge(inner, call);
        }
        assert_eq!(scopes.exceeded_by(inner, call), Some("calls"));
    }
}
