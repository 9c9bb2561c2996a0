//! Optionals: `??`, `?.`, and the way into and out of the box that an inline value needs.

use gsw_abi::builtin;
use gsw_infer::hir::{self, ExpressionId};
use gsw_names::types::Type;

use crate::ir::{Constant, Operand};
use crate::lower::builder::Builder;
use crate::lower::emitter::Emitter;

pub fn otherwise(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    value: ExpressionId,
    fallback: ExpressionId,
) -> Operand {
    let ty = builder.type_of(id);
    let result = builder.type_id(&ty);
    let optional = builder.type_id_of(value);
    let value = builder.expression(value);
    // A literal `none` is a word, and what follows reads a local.
    let value = Operand::Local(builder.held(value, optional));
    let join = builder.join(result);
    let (some, none) = (builder.block(), builder.block());
    builder.branch(value, some, none);
    builder.start(some);
    // `a ?? b` with an optional `b` gives the optional as it is.
    let inside = if matches!(ty, Type::Optional(_)) {
        value
    } else {
        builder.unwrapped(value, &ty)
    };
    builder.deliver(join, inside);
    builder.start(none);
    let fallback = builder.expression(fallback);
    builder.deliver(join, fallback);
    builder.joined_value(join)
}

pub fn chain(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    base: ExpressionId,
    local: hir::LocalId,
    body: ExpressionId,
) -> Operand {
    let result = builder.type_of(id);
    let result_id = builder.type_id(&result);
    let optional = builder.type_id_of(base);
    let base = builder.expression(base);
    let base = Operand::Local(builder.held(base, optional));
    let join = builder.join(result_id);
    let (some, none) = (builder.block(), builder.block());
    builder.branch(base, some, none);
    builder.start(some);
    let inside_type = {
        let declared = std::sync::Arc::clone(&builder.body);
        builder.concrete(&declared.local(local).ty)
    };
    let inside = builder.unwrapped(base, &inside_type);
    // The rest of the chain reads this local, so the base is evaluated once.
    builder.bind(local, inside);
    let value = builder.expression(body);
    let from = builder.type_of(body);
    let value = builder.wrapped(value, &from, &result);
    builder.deliver(join, value);
    builder.start(none);
    builder.deliver(join, Operand::Word(0));
    builder.joined_value(join)
}

impl Emitter<'_, '_> {
    /// The inside, of type `inner`, of an optional that is there.
    pub fn unwrapped(&mut self, value: Operand, inner: &Type) -> Operand {
        let id = self.type_id(inner);
        if matches!(inner, Type::Optional(_)) || self.program.is_reference(id) {
            return value;
        }
        // An optional of an inline value is a box of one word; any counted type serves as the type of the local.
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
            // A box around a constant is one object of the image, instead of an allocation at each use.
            Operand::Word(word) => self.constant(ty, Constant::Word { ty, extra: 0, word }),
            Operand::Local(_) => self.object(ty, 0, vec![value]),
        }
    }
}
