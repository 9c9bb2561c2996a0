//! Constants: a plain value stands where it is used, everything else is a plain function that is called there.

use gsw_abi::builtin;
use gsw_semantics::hir::BodyPart;
use gsw_semantics::types::Type;
use gsw_semantics::{ConstantValue, constant_value};
use gsw_source::ItemId;

use crate::instance::{BodyInstance, Instance};
use crate::ir::{Constant, Operand};
use crate::lower::builder::Builder;
use crate::waiting::ArgumentsWait;

impl Builder<'_, '_> {
    /// The value of a constant.
    pub fn constant_value(&mut self, item: ItemId) -> Operand {
        let Some(body) = self.program.view.body(item, BodyPart::Main) else {
            return Operand::Word(0);
        };
        let base = self.program.base_type(&body.result);
        if let Some(value) = constant_value(self.program.view.db(), item)
            && let Some(value) = self.plain_value(&value, &base)
        {
            return value;
        }
        let ty = self.type_id(&body.result);
        let function = self.program.instance(Instance::Body(BodyInstance {
            item,
            part: BodyPart::Main,
            type_arguments: Vec::new(),
            arguments: ArgumentsWait::No,
        }));
        self.call(ty, function, Vec::new())
    }

    /// A value that needs no code, where the constant's type is that of the value itself.
    fn plain_value(&mut self, value: &ConstantValue, ty: &Type) -> Option<Operand> {
        Some(match (value, ty) {
            (ConstantValue::Int(it), Type::Int) | (ConstantValue::Duration(it), Type::Duration) => {
                Operand::Word(it.cast_unsigned())
            }
            (ConstantValue::Float(it), Type::Float) => Operand::Word(it.to_bits()),
            (ConstantValue::Bool(it), Type::Bool) => Operand::Word(u64::from(*it)),
            (ConstantValue::Text(text), Type::String | Type::Literals(_)) => {
                let ty = match ty {
                    Type::Literals(_) => self.type_id(ty),
                    _ => builtin::STRING,
                };
                let text = text.to_string();
                self.constant(ty, Constant::String { ty, text })
            }
            _ => return None,
        })
    }
}
