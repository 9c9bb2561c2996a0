//! Short functions that every image contains once, for what would otherwise be repeated at thousands of sites.
//!
//! Most of them leave all registers as they are, so that a call of one costs its caller next to nothing. What such a routine
//! does seldom, it does in another routine: a function saves at its start whatever any path through it may change.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{
    AbiParam, ExtFuncData, ExternalName, FuncRef, Function, InstBuilder, Signature,
    UserExternalName, Value,
};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use gsw_abi::call::RuntimeCall;
use gsw_abi::layout as abi;

use crate::layout;
use crate::signature::Shape;

/// The namespace of routines in Cranelift's names; the module's functions are in 0.
pub(crate) const NAMESPACE: u32 = 1;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub(crate) enum Routine {
    /// `(context, kind, span) -> error`: a fresh fault with its first place.
    Fault,
    /// `(context, error, span)`: one more place; leaves all registers as they are.
    Trace,
    /// `(object)`: one more owner, unless it is 0 or immortal; leaves all registers as they are.
    Retain,
    /// `(context, object)`: one owner less, unless it is 0 or immortal; leaves all registers as they are.
    Release,
    /// `(context, object)`: frees an object.
    Free,
    /// Like `Free`, but leaves all registers as they are.
    FreeQuietly,
}

impl Routine {
    /// All of them, in the order in which they follow the module's functions.
    pub(crate) const ALL: [Self; 6] = [
        Self::Fault,
        Self::Trace,
        Self::Retain,
        Self::Release,
        Self::Free,
        Self::FreeQuietly,
    ];

    /// Its name in messages and texts.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Fault => "routine fault",
            Self::Trace => "routine trace",
            Self::Retain => "routine retain",
            Self::Release => "routine release",
            Self::Free => "routine free",
            Self::FreeQuietly => "routine free quietly",
        }
    }

    /// Imports it into a function.
    pub(crate) fn import(self, builder: &mut FunctionBuilder<'_>, native: CallConv) -> FuncRef {
        let signature = builder.import_signature(self.signature(native));
        let name = UserExternalName::new(NAMESPACE, self as u32);
        let name = builder.func.declare_imported_user_function(name);
        builder.import_function(ExtFuncData {
            name: ExternalName::user(name),
            signature,
            // In the same section, so the call is a distance that `link` can fill in.
            colocated: true,
            patchable: false,
        })
    }

    fn signature(self, native: CallConv) -> Signature {
        let (convention, parameters, returns) = match self {
            Self::Fault => (native, 3, 1),
            // `PreserveAll` moves the saving of registers from thousands of callers into the routine.
            Self::Trace => (CallConv::PreserveAll, 3, 0),
            Self::Retain => (CallConv::PreserveAll, 1, 0),
            Self::Release | Self::FreeQuietly => (CallConv::PreserveAll, 2, 0),
            Self::Free => (native, 2, 0),
        };
        let mut signature = Signature::new(convention);
        signature.params = vec![AbiParam::new(I64); parameters];
        signature.returns = vec![AbiParam::new(I64); returns];
        signature
    }
}

/// Writes a routine into `target`, which is empty.
pub(crate) fn translate(
    routine: Routine,
    isa: &dyn TargetIsa,
    target: &mut Function,
    builders: &mut FunctionBuilderContext,
) {
    let native = isa.default_call_conv();
    target.signature = routine.signature(native);
    let mut builder = FunctionBuilder::new(target, builders);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let words = builder.block_params(entry).to_vec();
    match routine {
        Routine::Fault => {
            let [context, kind, span] = exactly(&words);
            let error = table_call(&mut builder, native, RuntimeCall::fault, &[context, kind]);
            let all = [context, error, span];
            table_call(&mut builder, native, RuntimeCall::error_trace, &all);
            builder.ins().return_(&[error]);
        }
        Routine::Trace => {
            table_call(&mut builder, native, RuntimeCall::error_trace, &words);
            builder.ins().return_(&[]);
        }
        Routine::Free | Routine::FreeQuietly => {
            table_call(&mut builder, native, RuntimeCall::object_free, &words);
            builder.ins().return_(&[]);
        }
        Routine::Retain => {
            let [object] = exactly(&words);
            retain(&mut builder, object);
        }
        Routine::Release => {
            let [context, object] = exactly(&words);
            release(&mut builder, native, context, object);
        }
    }
    builder.seal_all_blocks();
    builder.finalize(isa.frontend_config());
}

/// The parameters of a routine by name.
fn exactly<const COUNT: usize>(words: &[Value]) -> [Value; COUNT] {
    <[Value; COUNT]>::try_from(words).expect("every routine has the parameters of its signature")
}

fn table_call(
    builder: &mut FunctionBuilder<'_>,
    native: CallConv,
    call: RuntimeCall,
    words: &[Value],
) -> Value {
    let shape = Shape::of_runtime(call.kind(), words.len() - 1);
    let signature = builder.import_signature(shape.signature(native));
    let table = layout::load_fixed(builder, words[0], abi::CONTEXT_TABLE);
    // By way of the table: the image knows no address of the runtime, which differs from process to process.
    let address = layout::load_fixed(builder, table, call.offset());
    let called = builder.ins().call_indirect(signature, address, words);
    builder.inst_results(called)[0]
}

fn retain(builder: &mut FunctionBuilder<'_>, object: Value) {
    let count = mortal_count(builder, object);
    let more = builder.ins().iadd_imm_s(count, 1);
    layout::store(builder, more, object, abi::COUNT);
    builder.ins().return_(&[]);
}

fn release(builder: &mut FunctionBuilder<'_>, native: CallConv, context: Value, object: Value) {
    let count = mortal_count(builder, object);
    let less = builder.ins().iadd_imm_s(count, -1);
    layout::store(builder, less, object, abi::COUNT);
    let shared = builder.create_block();
    let last = builder.create_block();
    // Counts are of one thread, so the decrement and the test need not be one step.
    builder.ins().brif(less, shared, &[], last, &[]);
    builder.switch_to_block(shared);
    builder.ins().return_(&[]);
    builder.switch_to_block(last);
    // Not the runtime's function directly: with that call in it, this routine would save all registers on its usual path too.
    let free = Routine::FreeQuietly.import(builder, native);
    builder.ins().call(free, &[context, object]);
    builder.ins().return_(&[]);
}

/// The count of an object that is counted; returns for all others.
fn mortal_count(builder: &mut FunctionBuilder<'_>, object: Value) -> Value {
    let present = builder.create_block();
    let mortal = builder.create_block();
    let nothing = builder.create_block();
    builder.ins().brif(object, present, &[], nothing, &[]);
    builder.switch_to_block(nothing);
    builder.ins().return_(&[]);
    builder.switch_to_block(present);
    let count = layout::load(builder, object, abi::COUNT);
    // The sign bit marks objects of the image, which may be mapped read-only and must not be written to.
    let immortal = builder.ins().icmp_imm_s(IntCC::SignedLessThan, count, 0);
    builder.ins().brif(immortal, nothing, &[], mortal, &[]);
    builder.switch_to_block(mortal);
    count
}
