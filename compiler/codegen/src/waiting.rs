//! Calls that may wait: what lives on is put into the frame first, and every way on leads through the block that resumes.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use gsw_abi::call::RuntimeCall;
use gsw_abi::layout::{self as abi, status};
use gsw_abi::program::{Colour, FunctionIndex};
use gsw_flow::ir::BlockId;

use crate::call::Then;
use crate::function::Translator;
use crate::layout;
use crate::signature::Shape;

impl Translator<'_, '_> {
    pub(crate) fn suspend(
        &mut self,
        block: BlockId,
        call: RuntimeCall,
        arguments: &[Value],
        then: Then<'_>,
    ) {
        let frame = self.own_frame();
        // Before the call, which may wait: the way out is then one block for all waits, which stores nothing.
        self.keep(block);
        // A call that is done at once sets the value and leaves the error alone.
        let no_error = self.number(0);
        layout::store(&mut self.builder, no_error, frame, abi::FRAME_ERROR);
        let mut words = vec![frame];
        words.extend_from_slice(arguments);
        let status = self.runtime_word(call, &words);
        let resume = self.resume_blocks[&block];
        self.leave_when_waiting(status, resume);
        self.go_on(block, then);
    }

    /// A call of a known function that can wait.
    pub(crate) fn call_resumable(
        &mut self,
        block: BlockId,
        function: FunctionIndex,
        arguments: &[Value],
        then: Then<'_>,
    ) {
        let child = self.new_frame(function);
        self.enter_child(block, child, arguments);
        let callee = self.callee(function);
        let called = self.builder.ins().call(callee, &[self.context, child]);
        let status = self.builder.inst_results(called)[0];
        self.finish_child(block, child, status);
        self.go_on(block, then);
    }

    /// A call of a function value whose code can wait: its index, the address of its entry.
    pub(crate) fn call_resumable_value(
        &mut self,
        block: BlockId,
        index: Value,
        entry: Value,
        arguments: &[Value],
        then: Then<'_>,
    ) {
        let code = layout::load_fixed(&mut self.builder, entry, abi::ENTRY_RESUME);
        let child = self.runtime_word(RuntimeCall::frame_new, &[index]);
        self.enter_child(block, child, arguments);
        let signature = self.shape(Shape::of_function(Colour::Resumable, arguments.len()));
        let words = [self.context, child];
        let called = self.builder.ins().call_indirect(signature, code, &words);
        let status = self.builder.inst_results(called)[0];
        self.finish_child(block, child, status);
        self.go_on(block, then);
    }

    /// A fresh frame of a known function.
    pub(crate) fn new_frame(&mut self, function: FunctionIndex) -> Value {
        let index = self.number(u64::from(function.0));
        self.runtime_word(RuntimeCall::frame_new, &[index])
    }

    /// Puts the parameters into a fresh frame.
    pub(crate) fn fill_frame(&mut self, frame: Value, arguments: &[Value]) {
        for (index, &argument) in arguments.iter().enumerate() {
            layout::store(&mut self.builder, argument, frame, abi::slot(index));
        }
    }

    fn enter_child(&mut self, block: BlockId, child: Value, arguments: &[Value]) {
        let frame = self.own_frame();
        self.fill_frame(child, arguments);
        layout::store(&mut self.builder, frame, child, abi::FRAME_PARENT);
        self.keep(block);
    }

    /// Leaves while the child waits; otherwise takes over its value or error just as the run loop would, and continues.
    fn finish_child(&mut self, block: BlockId, child: Value, status: Value) {
        let frame = self.own_frame();
        let ended = self.builder.create_block();
        self.leave_when_waiting(status, ended);
        self.enter(ended);
        let value = layout::load(&mut self.builder, child, abi::FRAME_VALUE);
        let error = layout::load(&mut self.builder, child, abi::FRAME_ERROR);
        let no_error = self.number(0);
        // A child that is done does not write its error field, so only the status says whether to read it.
        let raised = status_is(self, status, status::RAISED);
        let error = self.builder.ins().select(raised, error, no_error);
        layout::store(&mut self.builder, value, frame, abi::FRAME_VALUE);
        layout::store(&mut self.builder, error, frame, abi::FRAME_ERROR);
        self.runtime_word(RuntimeCall::frame_free, &[child]);
        let resume = self.resume_blocks[&block];
        self.builder.ins().jump(resume, &[]);
    }

    /// Stores what lives across the wait at the end of `block`, and its state.
    fn keep(&mut self, block: BlockId) {
        let (frame, plan) = self.frame.expect("only a function with a frame waits");
        let wait = &plan.waits[&block];
        for &local in &wait.moved {
            let value = self.get(local);
            let offset = abi::slot(plan.slot(local));
            layout::store(&mut self.builder, value, frame, offset);
        }
        layout::store_half(&mut self.builder, wait.state, frame, abi::FRAME_STATE);
    }

    /// The block where the wait at the end of `block` ends: loads the saved locals, and branches on how the wait ended.
    fn go_on(&mut self, block: BlockId, then: Then<'_>) {
        let (frame, plan) = self.frame.expect("only a function with a frame waits");
        // One block for both ways, so everything is read from the frame again even where registers still hold it: that keeps
        // translation simple, and the loads are cheap next to a call.
        self.enter(self.resume_blocks[&block]);
        for &local in &plan.waits[&block].moved {
            let value = layout::load(&mut self.builder, frame, abi::slot(plan.slot(local)));
            self.set(local, value);
        }
        let error = layout::load(&mut self.builder, frame, abi::FRAME_ERROR);
        let raised = self.cold_block();
        let done = self.builder.create_block();
        self.builder.ins().brif(error, raised, &[], done, &[]);
        self.enter(raised);
        self.raise_to(error, then.handler);
        self.enter(done);
        let value = layout::load(&mut self.builder, frame, abi::FRAME_VALUE);
        self.set(then.to, value);
        self.jump(then.next);
    }

    fn leave_when_waiting(&mut self, status: Value, otherwise: Block) {
        let waiting = status_is(self, status, status::WAITING);
        let builder = &mut self.builder;
        let leave = *self.leave.get_or_insert_with(|| builder.create_block());
        self.builder.ins().brif(waiting, leave, &[], otherwise, &[]);
    }

    /// Fills the block that all waits leave through.
    pub(crate) fn fill_leave_block(&mut self) {
        if let Some(leave) = self.leave {
            self.enter(leave);
            let waiting = self.number(status::WAITING);
            self.builder.ins().return_(&[waiting]);
        }
    }

    pub(crate) fn own_frame(&self) -> Value {
        self.frame.expect("only a function with a frame waits").0
    }
}

fn status_is(translator: &mut Translator<'_, '_>, status: Value, wanted: u64) -> Value {
    translator
        .builder
        .ins()
        .icmp_imm_s(IntCC::Equal, status, wanted.cast_signed())
}
