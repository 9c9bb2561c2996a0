//! `x in xs`: of a list, a map, a string or a range, which is never built.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{ExpressionId, ExpressionKind, RangeEnd};
use gsw_names::types::Type;

use crate::family::Family;
use crate::ir::{Operand, Operation};
use crate::lower::builder::Builder;

impl Builder<'_, '_> {
    /// `value in container`
    pub fn membership(&mut self, value: ExpressionId, container: ExpressionId) -> Operand {
        let body = Arc::clone(&self.body);
        if let ExpressionKind::Range {
            start,
            end,
            range_end,
        } = body.expression(container).kind
        {
            return self.in_range(value, start, end, range_end);
        }
        let ty = self.type_of(container);
        let values = self.operands(&[value, container]);
        self.contained(values[0], values[1], &ty)
    }

    /// Whether a value is in a container of type `ty`.
    pub fn contained(&mut self, value: Operand, container: Operand, ty: &Type) -> Operand {
        let arguments = vec![container, value];
        let call = match self.program.family(ty) {
            Family::List(_) => RuntimeCall::list_contains,
            Family::Map(..) => RuntimeCall::map_has,
            Family::Text => RuntimeCall::string_contains,
            Family::Nothing
            | Family::Bool
            | Family::Int
            | Family::Duration
            | Family::Time
            | Family::Float
            | Family::Secret
            | Family::Media
            | Family::Json
            | Family::Plain => return self.unreachable(),
        };
        self.runtime(builtin::BOOL, call, arguments)
    }

    fn in_range(
        &mut self,
        value: ExpressionId,
        start: ExpressionId,
        end: ExpressionId,
        range_end: RangeEnd,
    ) -> Operand {
        let values = self.operands(&[value, start, end]);
        let below = match range_end {
            RangeEnd::Exclusive => Operation::IntLess,
            RangeEnd::Inclusive => Operation::IntLessEqual,
        };
        let above = self.operation(
            builtin::BOOL,
            Operation::IntGreaterEqual,
            values[0],
            values[1],
        );
        let below = self.operation(builtin::BOOL, below, values[0], values[2]);
        self.operation(builtin::BOOL, Operation::BoolAnd, above, below)
    }
}
