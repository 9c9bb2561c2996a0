//! What is kept of the condition of an `assert`, to be shown when it does not hold.

use gsw_semantics::hir::ExpressionId;
use gsw_semantics::types::Type;

use crate::ir::LocalId;

/// A part of a condition with its value.
pub(crate) struct Witness {
    pub part: ExpressionId,
    pub value: LocalId,
    /// The concrete type of the value.
    pub ty: Type,
}
