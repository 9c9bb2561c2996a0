//! The result of a run as a whole.

use gsw_abi::builtin::UNIT;
use gsw_abi::types::TypeId;

use crate::run::RunResult;
use crate::task::TaskId;

/// The run's root task and its result.
#[derive(Debug)]
pub(crate) struct Completion {
    root: TaskId,
    /// The type of the run's value.
    ty: TypeId,
    result: Option<RunResult>,
}

impl Default for Completion {
    fn default() -> Self {
        Self {
            root: TaskId::NONE,
            ty: UNIT,
            result: None,
        }
    }
}

impl Completion {
    /// Sets the root task and the type of its value.
    pub(crate) fn expect(&mut self, root: TaskId, ty: TypeId) {
        self.root = root;
        self.ty = ty;
    }

    /// The run's own task; `NONE` until the run has begun.
    pub(crate) fn root(&self) -> TaskId {
        self.root
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.root != TaskId::NONE
    }

    pub(crate) fn ty(&self) -> TypeId {
        self.ty
    }

    /// Sets how the run has ended; a later end replaces an earlier one that was not taken.
    pub(crate) fn set(&mut self, result: RunResult) {
        self.result = Some(result);
    }

    pub(crate) fn is_known(&self) -> bool {
        self.result.is_some()
    }

    pub(crate) fn take(&mut self) -> Option<RunResult> {
        self.result.take()
    }
}
