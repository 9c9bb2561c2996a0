//! What is kept of the condition of an `assert`, to be shown when it does not hold.

use gsw_infer::hir::ExpressionId;
use gsw_names::types::Type;

use crate::ir::LocalId;

/// A part of a condition with its value.
pub(crate) struct Witness {
    pub part: ExpressionId,
    pub value: LocalId,
    /// The concrete type of the value.
    pub ty: Type,
}
