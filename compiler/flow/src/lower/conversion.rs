//! Conversions that the source does not write.

use gsw_semantics::hir::{Coercion, ExpressionId};
use gsw_semantics::types::Type;

use crate::ir::{Operand, Terminator};
use crate::lower::builder::Builder;

impl Builder<'_, '_> {
    /// The value of an expression as the type of the conversion that stands around it.
    pub fn coerce(&mut self, id: ExpressionId, value: ExpressionId, coercion: Coercion) -> Operand {
        let (from, to) = (self.type_of(value), self.type_of(id));
        let value = self.expression(value);
        match coercion {
            Coercion::ToOptional => self.wrapped(value, &from, &to),
            Coercion::ToJson => self.json_form(value, &from),
            Coercion::ToSecret => self.secret_of(value),
            Coercion::Forget => value,
            Coercion::Check => self.admitted_from(value, &from, &to),
            Coercion::FromNever => {
                debug_assert!(matches!(from, Type::Never | Type::Invalid));
                self.end(Terminator::Unreachable);
                Operand::Word(0)
            }
        }
    }
}
