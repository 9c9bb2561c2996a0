//! Constants: a literal stands where it is used, everything else is a plain function that is called there.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_semantics::hir::{BodyPart, ExpressionKind};
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
        match &body.expression(body.root).kind {
            ExpressionKind::Int(value) | ExpressionKind::Duration(value) => {
                return Operand::Word(value.cast_unsigned());
            }
            ExpressionKind::Float(bits) => return Operand::Word(*bits),
            ExpressionKind::Bool(value) => return Operand::Word(u64::from(*value)),
            ExpressionKind::String(text) => {
                let ty = self.program.base_type(&body.result);
                let ty = match ty {
                    gsw_semantics::types::Type::Literals(_) => self.type_id(&ty),
                    _ => builtin::STRING,
                };
                let text = text.to_string();
                return self.constant(ty, Constant::String { ty, text });
            }
            _ => {}
        }
        let ty = self.type_id(&Arc::clone(&body).result);
        let function = self.program.instance(Instance::Body(BodyInstance {
            item,
            part: BodyPart::Main,
            type_arguments: Vec::new(),
            arguments: ArgumentsWait::No,
        }));
        self.call(ty, function, Vec::new())
    }
}
