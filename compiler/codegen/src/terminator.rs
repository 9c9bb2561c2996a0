//! Translates the ends of blocks; calls and waits are in `call` and `waiting`.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, TrapCode, Value};
use cranelift_frontend::Switch;
use gsw_abi::layout::{self as abi, status};
use gsw_flow::ir::{BlockId, Handler, Operand, Terminator};

use crate::call::Then;
use crate::function::Translator;
use crate::layout;

/// The code of the trap that is emitted where the compiler says control cannot come.
const UNREACHABLE: u8 = 1;

impl Translator<'_, '_> {
    #[expect(
        clippy::too_many_lines,
        reason = "one arm a form: rustc names what a new form must join"
    )]
    pub(crate) fn terminator(&mut self, block: BlockId, terminator: &Terminator) {
        match terminator {
            Terminator::Jump(target) => self.jump(*target),
            Terminator::Loop { head, stop } => self.loop_back(*head, stop),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.operand(*condition);
                let (then, otherwise) = (self.block(*then), self.block(*otherwise));
                self.builder
                    .ins()
                    .brif(condition, then, &[], otherwise, &[]);
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => self.switch(*value, cases, *default),
            Terminator::Return(value) => {
                let value = self.operand(*value);
                self.finish_done(value);
            }
            Terminator::Raise(error) => {
                let error = self.get(*error);
                self.finish_raised(error);
            }
            Terminator::Checked {
                to,
                operation,
                left,
                right,
                next,
                handler,
            } => {
                self.checked(*to, *operation, *left, *right, handler);
                self.jump(*next);
            }
            Terminator::Fault { fault, handler } => self.raise_fault(*fault, handler),
            Terminator::Call {
                to,
                function,
                arguments,
                next,
                handler,
            } => {
                let then = Then::of(*to, *next, handler);
                self.call_function(block, *function, arguments, then);
            }
            Terminator::CallValue {
                to,
                closure,
                arguments,
                next,
                handler,
            } => {
                let then = Then::of(*to, *next, handler);
                self.call_value(block, *closure, arguments, then);
            }
            Terminator::Runtime {
                to,
                call,
                arguments,
                next,
                handler,
            } => {
                let then = Then::of(*to, *next, handler);
                self.call_runtime(*call, arguments, then);
            }
            Terminator::Suspend {
                to,
                call,
                arguments,
                next,
                handler,
            } => {
                let then = Then::of(*to, *next, handler);
                let arguments = self.operands(arguments);
                self.suspend(block, *call, &arguments, then);
            }
            Terminator::Unreachable => {
                self.builder.ins().trap(TrapCode::unwrap_user(UNREACHABLE));
            }
        }
    }

    fn loop_back(&mut self, head: BlockId, stop: &Handler) {
        // A load and a branch that is never taken: what a loop pays for being stoppable.
        let stopping = layout::load_narrow(&mut self.builder, self.context, abi::CONTEXT_STOP);
        let cold = self.cold_block();
        let raised = self.cold_block();
        let head = self.block(head);
        self.builder.ins().brif(stopping, cold, &[], head, &[]);
        self.enter(cold);
        // Out of line and with a second look: the flag is also set for reasons that do not concern this task.
        let error = self.interruption();
        self.builder.ins().brif(error, raised, &[], head, &[]);
        self.enter(raised);
        self.raise_to(error, stop);
    }

    fn switch(&mut self, value: Operand, cases: &[(u64, BlockId)], default: BlockId) {
        let value = self.operand(value);
        let default = self.block(default);
        // One comparison; `Switch` would emit the same with more blocks.
        if let [(word, block)] = cases {
            let equal = self
                .builder
                .ins()
                .icmp_imm_s(IntCC::Equal, value, word.cast_signed());
            let block = self.block(*block);
            self.builder.ins().brif(equal, block, &[], default, &[]);
            return;
        }
        let mut switch = Switch::new();
        for (word, block) in cases {
            switch.set_entry(u128::from(*word), self.block(*block));
        }
        switch.emit(&mut self.builder, value, default);
    }

    /// Ends the function with a value.
    fn finish_done(&mut self, value: Value) {
        if let Some((frame, _)) = self.frame {
            // The scheduler reads it there: the task that waits for the function may not be its native caller.
            layout::store(&mut self.builder, value, frame, abi::FRAME_VALUE);
            let done = self.number(status::DONE);
            self.builder.ins().return_(&[done]);
        } else {
            let no_error = self.number(0);
            self.builder.ins().return_(&[value, no_error]);
        }
    }

    /// Ends the function with an error.
    pub(crate) fn finish_raised(&mut self, error: Value) {
        if let Some((frame, _)) = self.frame {
            layout::store(&mut self.builder, error, frame, abi::FRAME_ERROR);
            let raised = self.number(status::RAISED);
            self.builder.ins().return_(&[raised]);
        } else {
            let no_value = self.number(0);
            self.builder.ins().return_(&[no_value, error]);
        }
    }
}
