//! Arithmetic and comparison, with and without checks.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use gsw_abi::builtin::BuiltinError;
use gsw_flow::ir::{Checked, Handler, LocalId, Operand, Operation};

use crate::function::Translator;

impl Translator<'_, '_> {
    pub(crate) fn operation(
        &mut self,
        to: LocalId,
        operation: Operation,
        left: Operand,
        right: Operand,
    ) {
        let left = self.operand(left);
        let result = match operation {
            Operation::FloatNegate => {
                let float = self.float(left);
                let negated = self.builder.ins().fneg(float);
                self.bits(negated)
            }
            Operation::BoolNot => {
                let one = self.number(1);
                self.builder.ins().bxor(left, one)
            }
            _ => {
                let right = self.operand(right);
                self.binary(operation, left, right)
            }
        };
        self.set(to, result);
    }

    fn binary(&mut self, operation: Operation, left: Value, right: Value) -> Value {
        match operation {
            Operation::IntEqual => self.compare(IntCC::Equal, left, right),
            Operation::IntNotEqual => self.compare(IntCC::NotEqual, left, right),
            Operation::IntLess => self.compare(IntCC::SignedLessThan, left, right),
            Operation::IntLessEqual => self.compare(IntCC::SignedLessThanOrEqual, left, right),
            Operation::IntGreater => self.compare(IntCC::SignedGreaterThan, left, right),
            Operation::IntGreaterEqual => {
                self.compare(IntCC::SignedGreaterThanOrEqual, left, right)
            }
            Operation::IntAddUnchecked => self.builder.ins().iadd(left, right),
            Operation::BoolAnd => self.builder.ins().band(left, right),
            Operation::BoolOr => self.builder.ins().bor(left, right),
            _ => self.float_binary(operation, left, right),
        }
    }

    fn float_binary(&mut self, operation: Operation, left: Value, right: Value) -> Value {
        let (left, right) = (self.float(left), self.float(right));
        let comparison = match operation {
            Operation::FloatEqual => FloatCC::Equal,
            Operation::FloatNotEqual => FloatCC::NotEqual,
            Operation::FloatLess => FloatCC::LessThan,
            Operation::FloatLessEqual => FloatCC::LessThanOrEqual,
            Operation::FloatGreater => FloatCC::GreaterThan,
            Operation::FloatGreaterEqual => FloatCC::GreaterThanOrEqual,
            _ => {
                let result = match operation {
                    Operation::FloatAdd => self.builder.ins().fadd(left, right),
                    Operation::FloatSubtract => self.builder.ins().fsub(left, right),
                    Operation::FloatMultiply => self.builder.ins().fmul(left, right),
                    _ => self.builder.ins().fdiv(left, right),
                };
                return self.bits(result);
            }
        };
        let holds = self.builder.ins().fcmp(comparison, left, right);
        self.builder.ins().uextend(I64, holds)
    }

    /// Leaves `to` written and the builder in a block where nothing was raised.
    pub(crate) fn checked(
        &mut self,
        to: LocalId,
        operation: Checked,
        (left, right): (Operand, Operand),
        handler: &Handler,
    ) {
        let result = match operation {
            Checked::Add => self.checked_add((left, right), handler),
            Checked::Subtract => self.checked_subtract((left, right), handler),
            Checked::Multiply => {
                let (left, right) = (self.operand(left), self.operand(right));
                let (result, overflow) = self.builder.ins().smul_overflow(left, right);
                self.fault_when(overflow, BuiltinError::Overflow, handler);
                result
            }
            Checked::Divide => self.checked_divide((left, right), handler),
            Checked::Remainder => {
                let left = self.operand(left);
                let divisor = self.divisor(right, handler);
                self.builder.ins().srem(left, divisor)
            }
            Checked::Negate => {
                let value = self.operand(left);
                let overflow = self.is_number(value, i64::MIN);
                self.fault_when(overflow, BuiltinError::Overflow, handler);
                self.builder.ins().ineg(value)
            }
        };
        self.set(to, result);
    }

    fn checked_add(&mut self, (left, right): (Operand, Operand), handler: &Handler) -> Value {
        let (left, right) = match (left, right) {
            (Operand::Word(_), Operand::Local(_)) => (right, left),
            _ => (left, right),
        };
        let left = self.operand(left);
        let amount = self.operand(right);
        if let Operand::Word(word) = right {
            // One comparison with the flags of its own is cheaper than the overflow flag, which has to be read out first.
            let result = self.builder.ins().iadd(left, amount);
            let wrapped = wrapped_up_or_down(word.cast_signed() >= 0);
            let overflow = self.builder.ins().icmp(wrapped, result, left);
            self.fault_when(overflow, BuiltinError::Overflow, handler);
            return result;
        }
        let (result, overflow) = self.builder.ins().sadd_overflow(left, amount);
        self.fault_when(overflow, BuiltinError::Overflow, handler);
        result
    }

    fn checked_subtract(&mut self, (left, right): (Operand, Operand), handler: &Handler) -> Value {
        let left = self.operand(left);
        let amount = self.operand(right);
        if let Operand::Word(word) = right {
            let result = self.builder.ins().isub(left, amount);
            let wrapped = wrapped_up_or_down(word.cast_signed() < 0);
            let overflow = self.builder.ins().icmp(wrapped, result, left);
            self.fault_when(overflow, BuiltinError::Overflow, handler);
            return result;
        }
        let (result, overflow) = self.builder.ins().ssub_overflow(left, amount);
        self.fault_when(overflow, BuiltinError::Overflow, handler);
        result
    }

    fn checked_divide(&mut self, (left, right): (Operand, Operand), handler: &Handler) -> Value {
        let left = self.operand(left);
        let divisor = self.divisor(right, handler);
        if matches!(right, Operand::Local(_) | Operand::Word(u64::MAX)) {
            let negates = self.is_number(divisor, -1);
            let least = self.is_number(left, i64::MIN);
            let overflow = self.builder.ins().band(negates, least);
            self.fault_when(overflow, BuiltinError::Overflow, handler);
        }
        self.builder.ins().sdiv(left, divisor)
    }

    /// The right side of a division, known not to be 0.
    fn divisor(&mut self, right: Operand, handler: &Handler) -> Value {
        let divisor = self.operand(right);
        if matches!(right, Operand::Local(_) | Operand::Word(0)) {
            let zero = self.is_number(divisor, 0);
            self.fault_when(zero, BuiltinError::DivisionByZero, handler);
        }
        divisor
    }

    /// Raises a fault when the condition holds, in one cold block that takes no arguments; goes on in a fresh block.
    fn fault_when(&mut self, condition: Value, fault: BuiltinError, handler: &Handler) {
        let cold = self.cold_block();
        let next = self.builder.create_block();
        self.builder.ins().brif(condition, cold, &[], next, &[]);
        self.enter(cold);
        self.raise_fault(fault, handler);
        self.enter(next);
    }

    fn is_number(&mut self, value: Value, number: i64) -> Value {
        self.builder.ins().icmp_imm_s(IntCC::Equal, value, number)
    }

    fn compare(&mut self, condition: IntCC, left: Value, right: Value) -> Value {
        let holds = self.builder.ins().icmp(condition, left, right);
        self.builder.ins().uextend(I64, holds)
    }

    fn float(&mut self, word: Value) -> Value {
        self.builder.ins().bitcast(F64, MemFlagsData::new(), word)
    }

    fn bits(&mut self, float: Value) -> Value {
        self.builder.ins().bitcast(I64, MemFlagsData::new(), float)
    }
}

/// How the result compares with the left side after an overflow, when the exact result is not smaller (`rises`) or smaller.
fn wrapped_up_or_down(rises: bool) -> IntCC {
    if rises {
        IntCC::SignedLessThan
    } else {
        IntCC::SignedGreaterThan
    }
}
