//! Objects, closures and cells: making them, reading them, replacing what a cell holds.

use gsw_abi::call::RuntimeCall;
use gsw_abi::layout as abi;
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::{Type, TypeId};
use gsw_flow::ir::{LocalId, Operand};

use cranelift_codegen::ir::Value;

use crate::counting::Nullness;
use crate::function::Translator;
use crate::layout;

impl Translator<'_, '_> {
    pub(crate) fn object(&mut self, to: LocalId, ty: TypeId, extra: u32, fields: &[Operand]) {
        let fields = self.operands(fields);
        let object = self.new_object(ty, extra, &fields);
        self.set(to, object);
    }

    pub(crate) fn closure(
        &mut self,
        to: LocalId,
        ty: TypeId,
        function: FunctionIndex,
        captures: &[Operand],
    ) {
        let mut words = vec![self.number(u64::from(function.0))];
        words.extend(self.operands(captures));
        let closure = self.new_object(ty, 0, &words);
        self.set(to, closure);
    }

    /// A fresh object with these words after its header.
    pub(crate) fn new_object(&mut self, ty: TypeId, extra: u32, words: &[Value]) -> Value {
        let arguments =
            [u64::from(ty.0), u64::from(extra), words.len() as u64].map(|word| self.number(word));
        // Nothing can fail or suspend between the allocation and the stores, so an object with unwritten words is never
        // observed.
        let object = self.runtime_word(RuntimeCall::object_new, &arguments);
        for (index, &word) in words.iter().enumerate() {
            layout::store(&mut self.builder, word, object, abi::field(index));
        }
        object
    }

    /// Reads a word of an object and owns it.
    pub(crate) fn load_counted(&mut self, to: LocalId, from: LocalId, offset: i32) {
        let object = self.get(from);
        let value = layout::load(&mut self.builder, object, offset);
        self.set(to, value);
        if self.is_reference(to) {
            self.retain(to);
        }
    }

    pub(crate) fn cell_take(&mut self, to: LocalId, cell: LocalId) {
        let cell = self.get(cell);
        let value = layout::load(&mut self.builder, cell, abi::field(0));
        // Emptied, so that a cell which is dropped while its value is out does not release it.
        let nothing = self.number(0);
        layout::store(&mut self.builder, nothing, cell, abi::field(0));
        self.set(to, value);
    }

    pub(crate) fn cell_set(&mut self, cell: LocalId, value: Operand) {
        let counted = self.cell_is_counted(cell);
        let cell = self.get(cell);
        let value = self.operand(value);
        let old = layout::load(&mut self.builder, cell, abi::field(0));
        // The new value is in place before the old one is released: freeing may run far, and must find the cell whole.
        layout::store(&mut self.builder, value, cell, abi::field(0));
        if counted {
            // A cell whose value was taken holds 0 whatever its type is.
            self.release_value(old, Nullness::MayBeNull);
        }
    }

    fn cell_is_counted(&self, cell: LocalId) -> bool {
        let types = &self.shared.module.program.types;
        let Type::Cell(inner) = types.get(self.function.locals[cell.0 as usize].ty) else {
            unreachable!("lowering gives each cell the type of its contents");
        };
        types.is_reference(*inner)
    }
}
