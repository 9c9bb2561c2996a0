//! Calls that give back a value or an error at once: of plain functions, of function values, of the runtime.

use cranelift_codegen::ir::{Inst, InstBuilder, Value};
use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::RuntimeCall;
use gsw_abi::layout as abi;
use gsw_abi::program::{Colour, FunctionIndex};
use gsw_flow::ir::{BlockId, Handler, LocalId, Operand};

use crate::counting::Nullness;
use crate::function::{Form, Translator};
use crate::layout;
use crate::signature::Shape;

/// What a call does with its result.
#[derive(Clone, Copy)]
pub(crate) struct Then<'a> {
    pub(crate) to: LocalId,
    pub(crate) next: BlockId,
    pub(crate) handler: &'a Handler,
}

impl<'a> Then<'a> {
    pub(crate) const fn of(to: LocalId, next: BlockId, handler: &'a Handler) -> Self {
        Self { to, next, handler }
    }
}

impl Translator<'_, '_> {
    /// A call of a known function.
    pub(crate) fn call_function(
        &mut self,
        block: BlockId,
        function: FunctionIndex,
        arguments: &[Operand],
        then: Then<'_>,
    ) {
        let arguments = self.operands(arguments);
        match self.colour(function) {
            Colour::Plain => self.call_plain(function, &arguments, then),
            Colour::Resumable => self.call_resumable(block, function, &arguments, then),
        }
    }

    /// A runtime call that can raise.
    pub(crate) fn call_runtime(
        &mut self,
        call: RuntimeCall,
        arguments: &[Operand],
        then: Then<'_>,
    ) {
        let arguments = self.operands(arguments);
        if let (Form::Fast, RuntimeCall::list_index, &[list, index]) =
            // Only where the code is hot: in line it takes several times the space of a call.
            (self.form, call, &arguments[..])
        {
            self.list_index(list, index, then);
            return;
        }
        let called = self.runtime(call, &arguments);
        self.finish_call(called, then);
    }

    fn call_plain(&mut self, function: FunctionIndex, arguments: &[Value], then: Then<'_>) {
        let callee = self.callee(function);
        let words = self.with_context(arguments);
        let called = self.builder.ins().call(callee, &words);
        self.finish_call(called, then);
    }

    /// Calls the code of a function value: native when its entry says so, otherwise on a frame of its own.
    pub(crate) fn call_value(
        &mut self,
        block: BlockId,
        closure: LocalId,
        arguments: &[Operand],
        then: Then<'_>,
    ) {
        let closure = self.get(closure);
        let index = layout::load(&mut self.builder, closure, abi::CLOSURE_FUNCTION);
        let entry = self.function_entry(index);
        let plain = layout::load_fixed(&mut self.builder, entry, abi::ENTRY_PLAIN);
        if self.frame.is_none() {
            self.require_plain(plain, then.handler);
        }
        let mut words = vec![closure];
        words.extend(self.operands(arguments));
        // The callee owns its parameters, the closure among them.
        self.retain_value(closure, Nullness::NeverNull);
        if self.frame.is_none() {
            self.call_plain_value(plain, &words, then);
            return;
        }
        // In a resumable function the value decides: a plain lambda given where a waiting one may be is called natively.
        let native = self.builder.create_block();
        let framed = self.builder.create_block();
        self.builder.ins().brif(plain, native, &[], framed, &[]);
        self.enter(native);
        self.call_plain_value(plain, &words, then);
        self.enter(framed);
        self.call_resumable_value(block, index, entry, &words, then);
    }

    /// Continues where a function value has native code. A plain function calls only function values that cannot wait: the checker
    /// gave it that colour because of it. Should that be wrong, the run gets a fault instead of a jump to address 0.
    fn require_plain(&mut self, code: Value, handler: &Handler) {
        let native = self.builder.create_block();
        let refused = self.cold_block();
        self.builder.ins().brif(code, native, &[], refused, &[]);
        self.enter(refused);
        self.raise_fault(BuiltinError::Internal, handler);
        self.enter(native);
    }

    fn call_plain_value(&mut self, code: Value, arguments: &[Value], then: Then<'_>) {
        let shape = Shape::of_function(Colour::Plain, arguments.len());
        let signature = self.shape(shape);
        let words = self.with_context(arguments);
        let called = self.builder.ins().call_indirect(signature, code, &words);
        self.finish_call(called, then);
    }

    /// The address of the function's entry in the context's table.
    fn function_entry(&mut self, index: Value) -> Value {
        let entries = layout::load_fixed(&mut self.builder, self.context, abi::CONTEXT_FUNCTIONS);
        let offset = self
            .builder
            .ins()
            .imul_imm_s(index, i64::from(abi::FUNCTION_ENTRY));
        self.builder.ins().iadd(entries, offset)
    }

    /// Continues with the value of a call, or with its error at the handler.
    pub(crate) fn finish_call(&mut self, called: Inst, then: Then<'_>) {
        let results = self.builder.inst_results(called);
        // Both are always there, in two registers. An error is never 0, so it is the test and the value at once.
        let (value, error) = (results[0], results[1]);
        let raised = self.cold_block();
        let done = self.builder.create_block();
        self.builder.ins().brif(error, raised, &[], done, &[]);
        self.enter(raised);
        self.raise_to(error, then.handler);
        self.enter(done);
        self.set(then.to, value);
        self.jump(then.next);
    }

    fn with_context(&self, arguments: &[Value]) -> Vec<Value> {
        let mut words = vec![self.context];
        words.extend_from_slice(arguments);
        words
    }
}
