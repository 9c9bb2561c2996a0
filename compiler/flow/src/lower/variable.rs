//! Where the variables of a body live in its function.

use gsw_infer::hir;
use rustc_hash::FxHashMap;

use crate::ir::LocalId;

/// Where a variable of the source lives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Variable {
    Local(LocalId),
    /// In a cell that this local holds.
    Cell(LocalId),
}

/// The variables that are bound so far.
#[derive(Default)]
pub(crate) struct Variables {
    places: FxHashMap<hir::LocalId, Variable>,
    /// Locals that hold a variable that may be assigned.
    assignable: FxHashMap<LocalId, hir::LocalId>,
    /// Locals that the alternatives of a pattern share, while that pattern is written.
    shared: FxHashMap<hir::LocalId, LocalId>,
    /// What is in scope, in order of declaration.
    in_scope: Vec<hir::LocalId>,
}

impl Variables {
    pub fn place(&self, variable: hir::LocalId) -> Variable {
        *self
            .places
            .get(&variable)
            .expect("the checker resolved the name to a local that is bound before it is read")
    }

    /// Says where a variable lives that is bound here.
    pub fn bind(&mut self, variable: hir::LocalId, place: Variable) {
        self.in_scope.push(variable);
        self.places.insert(variable, place);
    }

    pub fn is_bound(&self, variable: hir::LocalId) -> bool {
        self.places.contains_key(&variable)
    }

    /// What is in scope, in order of declaration.
    pub fn in_scope(&self) -> &[hir::LocalId] {
        &self.in_scope
    }

    /// What has come into scope after the first so many has left it.
    pub fn leave_scope(&mut self, count: usize) {
        self.in_scope.truncate(count);
    }

    /// Binds a variable that may be assigned to a local of its own.
    pub fn bind_assignable(&mut self, variable: hir::LocalId, local: LocalId) {
        self.bind(variable, Variable::Local(local));
        self.assignable.insert(local, variable);
    }

    /// The variable that `local` holds, when it may be assigned: what was read of it is then not settled.
    pub fn assignable(&self, local: LocalId) -> Option<hir::LocalId> {
        self.assignable.get(&local).copied()
    }

    /// The local that all alternatives of the pattern that is being written bind a variable to.
    pub fn shared(&self, variable: hir::LocalId) -> Option<LocalId> {
        self.shared.get(&variable).copied()
    }

    /// Lets the alternatives that follow bind a variable to `local`.
    pub fn share(&mut self, variable: hir::LocalId, local: LocalId) {
        self.shared.insert(variable, local);
        self.bind(variable, Variable::Local(local));
    }

    /// Ends what [`Self::share`] began for these.
    pub fn unshare(&mut self, variables: &[hir::LocalId]) {
        for variable in variables {
            self.shared.remove(variable);
        }
    }
}
