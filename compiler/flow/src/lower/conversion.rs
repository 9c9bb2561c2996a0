//! Conversions that the source does not write.

use gsw_infer::hir::{Coercion, ExpressionId};
use gsw_names::types::Type;

use crate::ir::Operand;
use crate::lower::builder::Builder;

/// The value of an expression as the type of the conversion around it.
pub fn coerce(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    value: ExpressionId,
    coercion: Coercion,
) -> Operand {
    let (from, to) = (builder.type_of(value), builder.type_of(id));
    let value = builder.expression(value);
    match coercion {
        Coercion::ToOptional => builder.wrapped(value, &from, &to),
        Coercion::ToJson => builder.json_form(value, &from),
        Coercion::ToArgument => builder.argument_form(value, &from),
        Coercion::ToSecret => builder.secret_of(value),
        Coercion::Widen => value,
        Coercion::Check => builder.admitted_from(value, &from, &to),
        Coercion::FromNever => {
            debug_assert!(matches!(from, Type::Never | Type::Invalid));
            builder.unreachable()
        }
    }
}
