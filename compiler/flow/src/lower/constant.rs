//! Constants: a plain value is repeated where it is used, everything else is a plain function that is called there. It makes the
//! value once in a run, where the value is an object that nothing can be added to.

use gsw_abi::call::RuntimeCall;
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::{self as abi, TypeId, TypeTable};
use gsw_analysis::{ConstantValue, constant_value};
use gsw_infer::hir::BodyPart;
use gsw_names::types::Type;
use gsw_source::{ItemId, ItemKind};
use rustc_hash::FxHashSet;

use crate::instance::{BodyInstance, Instance};
use crate::ir::{Constant, Operand, Terminator};
use crate::lower::builder::Builder;
use crate::lower::emitter::Emitter;
use crate::waiting::ArgumentsWait;

impl Builder<'_, '_> {
    /// The code of the function that makes a constant: what it made before, or the value of the body.
    pub fn constant_body(&mut self, function: FunctionIndex) {
        let result = self.body.result.clone();
        let ty = self.type_id(&result);
        let table = &self.program.types.table;
        // Only objects are worth keeping: a word is nearly always known at compile time.
        if !table.is_reference(ty) || may_change(table, ty, &mut FxHashSet::default()) {
            return self.whole_body();
        }
        let function = Operand::Word(u64::from(function.0));
        let maybe = self.type_id(&result.optional());
        // The first use makes it. A constant that depends on another finds that one made; cycles were reported by the checker.
        let kept = self.runtime(maybe, RuntimeCall::constant_kept, vec![function]);
        let (known, new) = (self.block(), self.block());
        self.branch(kept, known, new);
        self.start(known);
        self.end(Terminator::Return(kept));
        self.start(new);
        let root = self.body.root;
        let value = self.expression(root);
        // Only a value that came out: a constant that raises is evaluated again at its next use, and raises again.
        self.perform(RuntimeCall::constant_keep, vec![function, value]);
        self.end(Terminator::Return(value));
    }
}

impl Emitter<'_, '_> {
    /// The value of a constant.
    pub fn constant_value(&mut self, item: ItemId) -> Operand {
        // An agent as a value is its index.
        if item.kind(self.program.view.db()) == ItemKind::Agent {
            return Operand::Word(u64::from(self.program.agent(item)));
        }
        let Some(body) = self.program.view.body(item, BodyPart::Main) else {
            return Operand::Word(0);
        };
        let base = self.program.base_type(&body.result);
        // The checker has evaluated it; what has no plain form is left to code.
        if let Some(value) = constant_value(self.program.view.db(), item)
            && let Some(value) = plain_value(self, &value, &base)
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
}

/// A value that needs no code, where the constant's type is that of the value itself.
fn plain_value(emitter: &mut Emitter, value: &ConstantValue, ty: &Type) -> Option<Operand> {
    match value {
        ConstantValue::Int(it) if *ty == Type::Int => Some(Operand::Word(it.cast_unsigned())),
        ConstantValue::Duration(it) if *ty == Type::Duration => {
            Some(Operand::Word(it.cast_unsigned()))
        }
        ConstantValue::Float(it) if *ty == Type::Float => Some(Operand::Word(it.to_bits())),
        ConstantValue::Bool(it) if *ty == Type::Bool => Some(Operand::Word(u64::from(*it))),
        ConstantValue::Text(text) if matches!(ty, Type::String | Type::Literals(_)) => {
            let ty = emitter.type_id(ty);
            let text = text.to_string();
            Some(emitter.constant(ty, Constant::String { ty, text }))
        }
        ConstantValue::List(elements) => plain_list(emitter, elements, ty),
        ConstantValue::Int(_)
        | ConstantValue::Duration(_)
        | ConstantValue::Float(_)
        | ConstantValue::Bool(_)
        | ConstantValue::Text(_) => None,
    }
}

fn plain_list(emitter: &mut Emitter, elements: &[ConstantValue], ty: &Type) -> Option<Operand> {
    let Type::List(element) = ty else {
        return None;
    };
    let list = emitter.type_id(ty);
    let element = emitter.program.base_type(element);
    let inside = emitter.type_id(&element);
    // An address in the image would have to be relocated at each start, as for literals of lists.
    if emitter.program.is_reference(inside) {
        return None;
    }
    let words: Option<Vec<u64>> = elements
        .iter()
        .map(|it| match plain_value(emitter, it, &element)? {
            Operand::Word(word) => Some(word),
            Operand::Local(_) => None,
        })
        .collect();
    let words = words?;
    Some(emitter.constant(list, Constant::List { ty: list, words }))
}

/// Whether a value of this type holds what changes in use: an error gathers the places that it passes, and what a function
/// value or a handle holds is not known.
fn may_change(table: &TypeTable, ty: TypeId, seen: &mut FxHashSet<TypeId>) -> bool {
    if !seen.insert(ty) {
        return false;
    }
    let mut any = |parts: &[TypeId]| parts.iter().any(|it| may_change(table, *it, seen));
    let types = |fields: &[abi::Field]| fields.iter().map(|it| it.ty).collect::<Vec<_>>();
    match table.get(ty) {
        abi::Type::Unit
        | abi::Type::Bool
        | abi::Type::Int
        | abi::Type::Float
        | abi::Type::String
        | abi::Type::Bytes
        | abi::Type::Time
        | abi::Type::Duration
        | abi::Type::Json
        | abi::Type::Literals(_)
        // Made once, so that all uses of the constant share it.
        | abi::Type::Queue(_)
        | abi::Type::Session => false,
        abi::Type::Optional(inner) | abi::Type::List(inner) | abi::Type::Set { of: inner, .. } => {
            any(&[*inner])
        }
        abi::Type::Checked { base, .. } => any(&[*base]),
        abi::Type::Map { key, value } => any(&[*key, *value]),
        abi::Type::Tuple(parts) => any(parts),
        abi::Type::Record(it) => any(&types(&it.fields)),
        abi::Type::Enum(it) => it.variants.iter().any(|it| any(&types(&it.fields))),
        abi::Type::Secret
        | abi::Type::Media
        | abi::Type::Error
        | abi::Type::ErrorKind(_)
        | abi::Type::Closure(_)
        | abi::Type::Function
        | abi::Type::Cell(_)
        | abi::Type::Task(_)
        | abi::Type::Stream(_) => true,
    }
}
