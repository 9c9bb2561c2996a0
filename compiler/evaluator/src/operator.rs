//! Operators.

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{
    ArithmeticOperator, BinaryOperator, EqualityOperator, ExpressionId, LogicOperator,
    OperatorClass, OrderOperator, UnaryOperator,
};

use crate::equal::{compare, equal};
use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, raise, unsupported};
use crate::value::Value;

impl Machine<'_> {
    pub fn unary(&mut self, operator: UnaryOperator, operand: &Value) -> Flow<Value> {
        match operator {
            UnaryOperator::Not => {
                if let Value::Bool(it) = operand {
                    return Ok(Value::Bool(!it));
                }
            }
            UnaryOperator::Negate => {
                if let Value::Int(it) = operand {
                    return self.int(it.checked_neg());
                }
                if let Value::Duration(it) = operand {
                    return self.duration(it.checked_neg());
                }
                if let Value::Float(it) = operand {
                    return Ok(Value::Float(-it));
                }
            }
        }
        unsupported(format!("{operator:?} of {operand:?}"))
    }

    pub fn binary(
        &mut self,
        frame: &mut Frame,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
    ) -> Flow<Value> {
        let left = self.evaluate(frame, left)?;
        if let OperatorClass::Logic(operator) = operator.class() {
            let decides = match operator {
                LogicOperator::And => matches!(left, Value::Bool(false)),
                LogicOperator::Or => matches!(left, Value::Bool(true)),
            };
            return if decides {
                Ok(left)
            } else {
                self.evaluate(frame, right)
            };
        }
        let right = self.evaluate(frame, right)?;
        self.apply(operator, &left, &right)
    }

    /// An infix operator on values.
    pub fn apply(&mut self, operator: BinaryOperator, left: &Value, right: &Value) -> Flow<Value> {
        match operator.class() {
            OperatorClass::Logic(_) => unsupported(format!("{operator:?} of values")),
            OperatorClass::Equality(EqualityOperator::Equal) => Ok(Value::Bool(equal(left, right))),
            OperatorClass::Equality(EqualityOperator::NotEqual) => {
                Ok(Value::Bool(!equal(left, right)))
            }
            OperatorClass::Order(operator) => Ok(Value::Bool(ordered(operator, left, right))),
            OperatorClass::Arithmetic(operator) => arithmetic(self, operator, left, right),
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

fn arithmetic(
    machine: &mut Machine<'_>,
    operator: ArithmeticOperator,
    left: &Value,
    right: &Value,
) -> Flow<Value> {
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        int_arithmetic(machine, operator, *a, *b)
    } else if let (Value::Float(a), Value::Float(b)) = (left, right) {
        Ok(Value::Float(float_arithmetic(operator, *a, *b)))
    } else {
        other_arithmetic(machine, operator, left, right)
    }
}

fn int_arithmetic(
    machine: &mut Machine<'_>,
    operator: ArithmeticOperator,
    a: i64,
    b: i64,
) -> Flow<Value> {
    use ArithmeticOperator as Op;
    match operator {
        Op::Add => machine.int(a.checked_add(b)),
        Op::Subtract => machine.int(a.checked_sub(b)),
        Op::Multiply => machine.int(a.checked_mul(b)),
        Op::Divide | Op::Remainder if b == 0 => {
            raise(machine.db, BuiltinError::DivisionByZero, Vec::new())
        }
        Op::Divide => machine.int(a.checked_div(b)),
        Op::Remainder => Ok(Value::Int(a.wrapping_rem(b))),
    }
}

fn other_arithmetic(
    machine: &mut Machine<'_>,
    operator: ArithmeticOperator,
    left: &Value,
    right: &Value,
) -> Flow<Value> {
    use ArithmeticOperator as Op;
    if let (Value::Duration(a), Value::Duration(b)) = (left, right) {
        match operator {
            Op::Add => return machine.duration(a.checked_add(*b)),
            Op::Subtract => return machine.duration(a.checked_sub(*b)),
            Op::Divide => return Ok(Value::Float(*a as f64 / *b as f64)),
            Op::Multiply | Op::Remainder => {}
        }
    } else if let (Value::Duration(a), Value::Int(b)) = (left, right) {
        match operator {
            Op::Multiply => return machine.duration(a.checked_mul(*b)),
            Op::Divide if *b == 0 => {
                return raise(machine.db, BuiltinError::DivisionByZero, Vec::new());
            }
            Op::Divide => return machine.duration(a.checked_div(*b)),
            Op::Add | Op::Subtract | Op::Remainder => {}
        }
    } else if let (Value::Int(a), Value::Duration(b)) = (left, right) {
        if operator == Op::Multiply {
            return machine.duration(a.checked_mul(*b));
        }
    } else if operator == Op::Add {
        if let (Value::Text(a), Value::Text(b)) = (left, right) {
            machine.spend(a.len() / 16)?;
            return Ok(Value::text(format!("{a}{b}")));
        }
        if let (Value::List(a), Value::List(b)) = (left, right) {
            machine.spend(a.len() + b.len())?;
            return Ok(Value::list(a.iter().chain(b.iter()).cloned().collect()));
        }
    }
    unsupported(format!("{operator:?} of {left:?} and {right:?}"))
}

fn ordered(operator: OrderOperator, left: &Value, right: &Value) -> bool {
    if let (Value::Float(a), Value::Float(b)) = (left, right) {
        return match operator {
            OrderOperator::Less => a < b,
            OrderOperator::LessEqual => a <= b,
            OrderOperator::Greater => a > b,
            OrderOperator::GreaterEqual => a >= b,
        };
    }
    let order = compare(left, right);
    match operator {
        OrderOperator::Less => order.is_lt(),
        OrderOperator::LessEqual => order.is_le(),
        OrderOperator::Greater => order.is_gt(),
        OrderOperator::GreaterEqual => order.is_ge(),
    }
}

fn float_arithmetic(operator: ArithmeticOperator, a: f64, b: f64) -> f64 {
    match operator {
        ArithmeticOperator::Add => a + b,
        ArithmeticOperator::Subtract => a - b,
        ArithmeticOperator::Multiply => a * b,
        ArithmeticOperator::Divide => a / b,
        ArithmeticOperator::Remainder => a % b,
    }
}
