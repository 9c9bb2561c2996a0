//! Translates the instructions that touch only locals; objects and calls are in `object` and `call`.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::types::I64;
use gsw_abi::layout as abi;
use gsw_abi::program::FunctionIndex;
use gsw_flow::ir::{ConstantIndex, Instruction, LocalId, Operand};

use crate::function::Translator;
use crate::layout;

impl Translator<'_, '_> {
    pub(crate) fn instruction(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::Word { to, word } => {
                let value = self.number(*word);
                self.set(*to, value);
            }
            Instruction::Constant { to, constant } => self.constant(*to, *constant),
            Instruction::Move { to, from } => {
                let value = self.get(*from);
                self.set(*to, value);
            }
            Instruction::Operation {
                to,
                operation,
                left,
                right,
            } => self.operation(*to, *operation, *left, *right),
            Instruction::Object {
                to,
                ty,
                extra,
                fields,
            } => self.object(*to, *ty, *extra, fields),
            Instruction::Closure {
                to,
                ty,
                function,
                captures,
            } => self.closure(*to, *ty, *function, captures),
            Instruction::Load { to, from, index } => {
                self.load_counted(*to, *from, abi::field(*index as usize));
            }
            Instruction::Capture { to, from, index } => {
                self.load_counted(*to, *from, abi::capture(*index as usize));
            }
            Instruction::LoadExtra { to, from } => self.load_tag(*to, *from, abi::EXTRA),
            Instruction::LoadType { to, from } => self.load_tag(*to, *from, abi::TYPE),
            Instruction::CellNew { to, ty, value } => self.object(*to, *ty, 0, &[*value]),
            Instruction::CellGet { to, cell } => self.load_counted(*to, *cell, abi::field(0)),
            Instruction::CellTake { to, cell } => self.cell_take(*to, *cell),
            Instruction::CellSet { cell, value } => self.cell_set(*cell, *value),
            Instruction::Runtime {
                to,
                call,
                arguments,
            } => {
                let arguments = self.operands(arguments);
                self.plain_call(*to, *call, &arguments);
            }
            Instruction::Frame {
                to,
                function,
                arguments,
            } => self.fresh_frame(*to, *function, arguments),
            Instruction::Retain(local) => self.retain(*local),
            Instruction::Release(local) => self.release(*local),
        }
    }

    fn constant(&mut self, to: LocalId, constant: ConstantIndex) {
        // Relative to the section: code without addresses needs no relocation, and one mapping serves all runs.
        let section = layout::load_fixed(&mut self.builder, self.context, abi::CONTEXT_CONSTANTS);
        let offset = self.number(self.shared.constants[constant.0 as usize]);
        let address = self.builder.ins().iadd(section, offset);
        self.set(to, address);
    }

    fn load_tag(&mut self, to: LocalId, from: LocalId, offset: i32) {
        let object = self.get(from);
        let narrow = layout::load_narrow(&mut self.builder, object, offset);
        let tag = self.builder.ins().uextend(I64, narrow);
        self.set(to, tag);
    }

    fn fresh_frame(&mut self, to: LocalId, function: FunctionIndex, arguments: &[Operand]) {
        let arguments = self.operands(arguments);
        let frame = self.new_frame(function);
        self.fill_frame(frame, &arguments);
        self.set(to, frame);
    }
}
