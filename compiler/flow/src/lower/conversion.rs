//! Conversions that the source does not write.

use gsw_infer::hir::{Coercion, ExpressionId};
use gsw_names::types::Type;

use crate::ir::Operand;
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
            Coercion::Widen => value,
            Coercion::Check => {
                let id = self.type_id(&from);
                // The check's function owns what it is given, and a constant word needs no local.
                let value = if self.program.is_reference(id) {
                    Operand::Local(self.held(value, id))
                } else {
                    value
                };
                self.check_into(value, &from, &to);
                value
            }
            Coercion::FromNever => {
                debug_assert!(matches!(from, Type::Never | Type::Invalid));
                self.unreachable()
            }
        }
    }
}
