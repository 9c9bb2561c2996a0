//! Operators.

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{BinaryOperator, ExpressionId, UnaryOperator};

use crate::equal::{compare, equal};
use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, give_up, raise};
use crate::value::Value;

impl Machine<'_> {
    /// `-x`, `not b`
    pub fn unary(&mut self, operator: UnaryOperator, operand: &Value) -> Flow<Value> {
        match (operator, operand) {
            (UnaryOperator::Not, Value::Bool(it)) => Ok(Value::Bool(!it)),
            (UnaryOperator::Negate, Value::Int(it)) => self.int(it.checked_neg()),
            (UnaryOperator::Negate, Value::Duration(it)) => self.duration(it.checked_neg()),
            (UnaryOperator::Negate, Value::Float(it)) => Ok(Value::Float(-it)),
            _ => give_up(format!("{operator:?} of {operand:?}")),
        }
    }

    /// An infix operator.
    pub fn binary(
        &mut self,
        frame: &mut Frame,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
    ) -> Flow<Value> {
        let left = self.evaluate(frame, left)?;
        match (operator, &left) {
            (BinaryOperator::And, Value::Bool(false)) | (BinaryOperator::Or, Value::Bool(true)) => {
                return Ok(left);
            }
            (BinaryOperator::And | BinaryOperator::Or, _) => return self.evaluate(frame, right),
            _ => {}
        }
        let right = self.evaluate(frame, right)?;
        self.apply(operator, &left, &right)
    }

    /// An infix operator on values.
    pub fn apply(&mut self, operator: BinaryOperator, left: &Value, right: &Value) -> Flow<Value> {
        use BinaryOperator as Op;
        match operator {
            Op::Equal => Ok(Value::Bool(equal(left, right))),
            Op::NotEqual => Ok(Value::Bool(!equal(left, right))),
            Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
                Ok(Value::Bool(ordered(operator, left, right)))
            }
            _ => match (left, right) {
                (Value::Int(a), Value::Int(b)) => self.int_arithmetic(operator, *a, *b),
                (Value::Float(a), Value::Float(b)) => float_arithmetic(operator, *a, *b),
                _ => self.other_arithmetic(operator, left, right),
            },
        }
    }

    fn int_arithmetic(&mut self, operator: BinaryOperator, a: i64, b: i64) -> Flow<Value> {
        use BinaryOperator as Op;
        match operator {
            Op::Add => self.int(a.checked_add(b)),
            Op::Subtract => self.int(a.checked_sub(b)),
            Op::Multiply => self.int(a.checked_mul(b)),
            Op::Divide | Op::Remainder if b == 0 => {
                raise(self.db, BuiltinError::DivisionByZero, Vec::new())
            }
            Op::Divide => self.int(a.checked_div(b)),
            Op::Remainder => Ok(Value::Int(a.wrapping_rem(b))),
            _ => give_up(format!("{operator:?} of ints")),
        }
    }

    fn other_arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
    ) -> Flow<Value> {
        use BinaryOperator as Op;
        match (operator, left, right) {
            (Op::Add, Value::Text(a), Value::Text(b)) => {
                self.spend(a.len() / 16)?;
                Ok(Value::text(format!("{a}{b}")))
            }
            (Op::Add, Value::List(a), Value::List(b)) => {
                self.spend(a.len() + b.len())?;
                Ok(Value::list(a.iter().chain(b.iter()).cloned().collect()))
            }
            (Op::Add, Value::Duration(a), Value::Duration(b)) => self.duration(a.checked_add(*b)),
            (Op::Subtract, Value::Duration(a), Value::Duration(b)) => {
                self.duration(a.checked_sub(*b))
            }
            (Op::Multiply, Value::Duration(a), Value::Int(b)) => self.duration(a.checked_mul(*b)),
            _ => give_up(format!("{operator:?} of {left:?} and {right:?}")),
        }
    }

    /// An int, or `Overflow`.
    pub fn int(&mut self, value: Option<i64>) -> Flow<Value> {
        match value {
            Some(value) => Ok(Value::Int(value)),
            None => raise(self.db, BuiltinError::Overflow, Vec::new()),
        }
    }

    /// A duration, or `Overflow`.
    pub fn duration(&mut self, value: Option<i64>) -> Flow<Value> {
        match value {
            Some(value) => Ok(Value::Duration(value)),
            None => raise(self.db, BuiltinError::Overflow, Vec::new()),
        }
    }
}

fn ordered(operator: BinaryOperator, left: &Value, right: &Value) -> bool {
    use std::cmp::Ordering;
    if let (Value::Float(a), Value::Float(b)) = (left, right) {
        return match operator {
            BinaryOperator::Less => a < b,
            BinaryOperator::LessEqual => a <= b,
            BinaryOperator::Greater => a > b,
            _ => a >= b,
        };
    }
    let order = compare(left, right);
    match operator {
        BinaryOperator::Less => order == Ordering::Less,
        BinaryOperator::LessEqual => order != Ordering::Greater,
        BinaryOperator::Greater => order == Ordering::Greater,
        _ => order != Ordering::Less,
    }
}

fn float_arithmetic(operator: BinaryOperator, a: f64, b: f64) -> Flow<Value> {
    use BinaryOperator as Op;
    Ok(Value::Float(match operator {
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => a * b,
        Op::Divide => a / b,
        Op::Remainder => a % b,
        _ => return give_up(format!("{operator:?} of floats")),
    }))
}
