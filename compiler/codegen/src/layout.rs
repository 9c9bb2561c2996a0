//! Reading and writing memory at the offsets that the ABI fixes.

use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use cranelift_frontend::FunctionBuilder;

/// Memory that changes: objects, frames, the stop flag.
const CHANGING: MemFlagsData = MemFlagsData::trusted();
/// Memory that stays as it is for the whole run, so that a read of it may be shared and moved out of loops.
const FIXED: MemFlagsData = MemFlagsData::trusted().with_readonly().with_can_move();

/// The word at `base + offset`.
pub(crate) fn load(builder: &mut FunctionBuilder<'_>, base: Value, offset: i32) -> Value {
    builder.ins().load(I64, CHANGING, base, offset)
}

/// The word at `base + offset`, which never changes during a run.
pub(crate) fn load_fixed(builder: &mut FunctionBuilder<'_>, base: Value, offset: i32) -> Value {
    builder.ins().load(I64, FIXED, base, offset)
}

/// The half word at `base + offset` as it is.
pub(crate) fn load_narrow(builder: &mut FunctionBuilder<'_>, base: Value, offset: i32) -> Value {
    builder.ins().load(I32, CHANGING, base, offset)
}

/// Writes the word at `base + offset`.
pub(crate) fn store(builder: &mut FunctionBuilder<'_>, value: Value, base: Value, offset: i32) {
    builder.ins().store(CHANGING, value, base, offset);
}

/// Writes the half word at `base + offset`.
pub(crate) fn store_half(builder: &mut FunctionBuilder<'_>, half: u32, base: Value, offset: i32) {
    let value = builder.ins().iconst(I32, i64::from(half));
    builder.ins().store(CHANGING, value, base, offset);
}
