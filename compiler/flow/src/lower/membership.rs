//! `x in xs`: of a list, a map, a string or a range, which is never built.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{ExpressionId, ExpressionKind, RangeEnd};
use gsw_names::types::Type;

use crate::family::Family;
use crate::ir::{Operand, Operation};
use crate::lower::builder::Builder;
use crate::lower::emitter::Emitter;

pub fn membership(
    builder: &mut Builder<'_, '_>,
    value: ExpressionId,
    container: ExpressionId,
) -> Operand {
    let body = Arc::clone(&builder.body);
    if let ExpressionKind::Range {
        start,
        end,
        range_end,
    } = body.expression(container).kind
    {
        return in_range(builder, value, start, end, range_end);
    }
    let ty = builder.type_of(container);
    let values = builder.operands(&[value, container]);
    builder.contained(values[0], values[1], &ty)
}

fn in_range(
    builder: &mut Builder<'_, '_>,
    value: ExpressionId,
    start: ExpressionId,
    end: ExpressionId,
    range_end: RangeEnd,
) -> Operand {
    let values = builder.operands(&[value, start, end]);
    let below = match range_end {
        RangeEnd::Exclusive => Operation::IntLess,
        RangeEnd::Inclusive => Operation::IntLessEqual,
    };
    let above = builder.operation(
        builtin::BOOL,
        Operation::IntGreaterEqual,
        values[0],
        values[1],
    );
    let below = builder.operation(builtin::BOOL, below, values[0], values[2]);
    builder.operation(builtin::BOOL, Operation::BoolAnd, above, below)
}

impl Emitter<'_, '_> {
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
}
