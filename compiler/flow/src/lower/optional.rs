//! Optionals: `??`, `?.`, and the way into and out of the box that an inline value needs.

use gsw_abi::builtin;
use gsw_infer::hir::{self, ExpressionId};
use gsw_names::types::Type;

use crate::ir::{Constant, Operand};
use crate::lower::builder::Builder;

impl Builder<'_, '_> {
    /// `value ?? fallback`
    pub fn otherwise(
        &mut self,
        id: ExpressionId,
        value: ExpressionId,
        fallback: ExpressionId,
    ) -> Operand {
        let ty = self.type_of(id);
        let result = self.type_id(&ty);
        let optional = self.type_id_of(value);
        let value = self.expression(value);
        let value = Operand::Local(self.held(value, optional));
        let join = self.join(result);
        let (some, none) = (self.block(), self.block());
        self.branch(value, some, none);
        self.start(some);
        let inside = if matches!(ty, Type::Optional(_)) {
            value
        } else {
            self.unwrapped(value, &ty)
        };
        self.deliver(join, inside);
        self.start(none);
        let fallback = self.expression(fallback);
        self.deliver(join, fallback);
        self.joined_value(join)
    }

    /// `base?.…`
    pub fn chain(
        &mut self,
        id: ExpressionId,
        base: ExpressionId,
        local: hir::LocalId,
        body: ExpressionId,
    ) -> Operand {
        let result = self.type_of(id);
        let result_id = self.type_id(&result);
        let optional = self.type_id_of(base);
        let base = self.expression(base);
        let base = Operand::Local(self.held(base, optional));
        let join = self.join(result_id);
        let (some, none) = (self.block(), self.block());
        self.branch(base, some, none);
        self.start(some);
        let inside_type = {
            let declared = std::sync::Arc::clone(&self.body);
            self.concrete(&declared.local(local).ty)
        };
        let inside = self.unwrapped(base, &inside_type);
        self.bind(local, inside);
        let value = self.expression(body);
        let from = self.type_of(body);
        let value = self.wrapped(value, &from, &result);
        self.deliver(join, value);
        self.start(none);
        self.deliver(join, Operand::Word(0));
        self.joined_value(join)
    }

    /// The inside, of type `inner`, of an optional that is there.
    pub fn unwrapped(&mut self, value: Operand, inner: &Type) -> Operand {
        let id = self.type_id(inner);
        if matches!(inner, Type::Optional(_)) || self.program.is_reference(id) {
            return value;
        }
        let object = self.held(value, builtin::ERROR);
        self.load(id, object, 0)
    }

    /// A value of type `from` as the optional `to`.
    pub fn wrapped(&mut self, value: Operand, from: &Type, to: &Type) -> Operand {
        let inner = self.type_id(from);
        if matches!(from, Type::Optional(_) | Type::Never) || self.program.is_reference(inner) {
            return value;
        }
        let ty = self.type_id(to);
        match value {
            Operand::Word(word) => self.constant(ty, Constant::Word { ty, extra: 0, word }),
            Operand::Local(_) => self.object(ty, 0, vec![value]),
        }
    }
}
