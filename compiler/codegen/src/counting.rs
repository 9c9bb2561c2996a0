//! Counts references in place; the runtime is called only for the last owner.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use gsw_abi::layout as abi;
use gsw_abi::types::Type;
use gsw_flow::ir::LocalId;

use crate::function::{Form, Translator};
use crate::layout;
use crate::routine::Routine;

/// Whether a reference can be 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Nullness {
    /// `none`, or a cell whose value was taken.
    MayBeNull,
    NeverNull,
}

impl Translator<'_, '_> {
    pub(crate) fn retain(&mut self, local: LocalId) {
        let value = self.get(local);
        let nullness = self.nullness(local);
        self.retain_value(value, nullness);
    }

    pub(crate) fn release(&mut self, local: LocalId) {
        let value = self.get(local);
        let nullness = self.nullness(local);
        self.release_value(value, nullness);
    }

    pub(crate) fn retain_value(&mut self, value: Value, nullness: Nullness) {
        // A call to a routine instead of the code in line: most functions run seldom, and counting is at thousands of places.
        if self.form == Form::Short {
            self.routine(Routine::Retain, &[value]);
            return;
        }
        let done = self.builder.create_block();
        let count = self.mortal_count(value, nullness, done);
        let more = self.builder.ins().iadd_imm_s(count, 1);
        layout::store(&mut self.builder, more, value, abi::COUNT);
        self.builder.ins().jump(done, &[]);
        self.enter(done);
    }

    pub(crate) fn release_value(&mut self, value: Value, nullness: Nullness) {
        if self.form == Form::Short {
            self.routine(Routine::Release, &[self.context, value]);
            return;
        }
        let done = self.builder.create_block();
        let count = self.mortal_count(value, nullness, done);
        let less = self.builder.ins().iadd_imm_s(count, -1);
        layout::store(&mut self.builder, less, value, abi::COUNT);
        // The last owner is rare next to all releases, and the call there would clobber registers on the straight way.
        let last = self.cold_block();
        self.builder.ins().brif(less, done, &[], last, &[]);
        self.enter(last);
        self.routine(Routine::Free, &[self.context, value]);
        self.builder.ins().jump(done, &[]);
        self.enter(done);
    }

    /// The count of an object that is counted; goes to `done` for all others.
    fn mortal_count(&mut self, value: Value, nullness: Nullness, done: Block) -> Value {
        if nullness == Nullness::MayBeNull {
            let present = self.builder.create_block();
            self.builder.ins().brif(value, present, &[], done, &[]);
            self.enter(present);
        }
        let count = layout::load(&mut self.builder, value, abi::COUNT);
        let mortal = self.builder.create_block();
        // The bit that marks the immortal is the sign.
        let immortal = self
            .builder
            .ins()
            .icmp_imm_s(IntCC::SignedLessThan, count, 0);
        self.builder.ins().brif(immortal, done, &[], mortal, &[]);
        self.enter(mortal);
        count
    }

    fn nullness(&self, local: LocalId) -> Nullness {
        let types = &self.shared.module.program.types;
        let ty = types.base(self.function.locals[local.0 as usize].ty);
        // In the check of a single value the word for the record is 0, whatever its type says.
        if self.nullable || matches!(types.get(ty), Type::Optional(_)) {
            Nullness::MayBeNull
        } else {
            Nullness::NeverNull
        }
    }
}
