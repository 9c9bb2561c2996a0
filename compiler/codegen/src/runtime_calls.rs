//! Calls into the runtime, through the table and no other way.

use cranelift_codegen::ir::{Inst, InstBuilder, Value};
use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::RuntimeCall;
use gsw_abi::layout as abi;
use gsw_abi::program::SpanIndex;

use crate::function::Translator;
use crate::layout;
use crate::routine::Routine;
use crate::signature::Shape;

impl Translator<'_, '_> {
    /// Calls a row of the table; of a waiting one the frame is the first argument.
    pub(crate) fn runtime(&mut self, call: RuntimeCall, arguments: &[Value]) -> Inst {
        let table = layout::load_fixed(&mut self.builder, self.context, abi::CONTEXT_TABLE);
        // Indirect through the context: the image holds no address of the runtime, so it runs in every process of the same ABI.
        let address = layout::load_fixed(&mut self.builder, table, call.offset());
        let signature = self.shape(Shape::of_runtime(call.kind(), arguments.len()));
        let mut words = vec![self.context];
        words.extend_from_slice(arguments);
        self.builder.ins().call_indirect(signature, address, &words)
    }

    /// Calls a plain or waiting row and returns its word.
    pub(crate) fn runtime_word(&mut self, call: RuntimeCall, arguments: &[Value]) -> Value {
        let called = self.runtime(call, arguments);
        self.builder.inst_results(called)[0]
    }

    /// A fresh fault without fields, with the span as its first place.
    pub(crate) fn fault(&mut self, fault: BuiltinError, span: SpanIndex) -> Value {
        let kind = self.number(fault as u64);
        let span = self.number(u64::from(span.0));
        let called = self.routine(Routine::Fault, &[self.context, kind, span]);
        self.builder.inst_results(called)[0]
    }

    /// The error for which the stop flag was set, or 0 when the code continues.
    pub(crate) fn interruption(&mut self) -> Value {
        self.runtime_word(RuntimeCall::interrupted, &[])
    }

    /// Appends a span to an error's trace.
    pub(crate) fn trace(&mut self, error: Value, span: SpanIndex) {
        let span = self.number(u64::from(span.0));
        self.routine(Routine::Trace, &[self.context, error, span]);
    }

    pub(crate) fn routine(&mut self, routine: Routine, arguments: &[Value]) -> Inst {
        let (builder, native) = (&mut self.builder, self.convention);
        let callee = *self
            .routines
            .entry(routine)
            .or_insert_with(|| routine.import(builder, native));
        self.builder.ins().call(callee, arguments)
    }
}
