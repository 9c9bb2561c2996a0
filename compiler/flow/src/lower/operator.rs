//! Arithmetic and comparison, by the concrete types of both sides.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_semantics::hir::{BinaryOperator, ExpressionId, ExpressionKind, UnaryOperator};
use gsw_semantics::types::Type;

use crate::ir::{Checked, Operand, Operation};
use crate::lower::builder::{Builder, type_word};

impl Builder<'_, '_> {
    /// `-x`, `not b`
    pub fn unary(&mut self, operator: UnaryOperator, operand: ExpressionId) -> Operand {
        let ty = self.type_of(operand);
        let id = self.type_id(&ty);
        let value = self.expression(operand);
        let zero = Operand::Word(0);
        let value = match (operator, self.program.base_type(&ty)) {
            (UnaryOperator::Not, _) => self.operation(id, Operation::BoolNot, value, zero),
            (UnaryOperator::Negate, Type::Float) => {
                self.operation(id, Operation::FloatNegate, value, zero)
            }
            (UnaryOperator::Negate, _) => self.checked(id, Checked::Negate, value, zero),
        };
        self.admitted(value, &ty)
    }

    /// An infix operator.
    pub fn binary(
        &mut self,
        id: ExpressionId,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
    ) -> Operand {
        use BinaryOperator as Op;
        match operator {
            Op::And | Op::Or => self.logical(id),
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder => {
                let (left_type, right_type) = (self.type_of(left), self.type_of(right));
                let result = self.type_of(id);
                let values = self.operands(&[left, right]);
                let (left, right) = ((values[0], &left_type), (values[1], &right_type));
                self.arithmetic(operator, left, right, &result)
            }
            _ => {
                let values = self.operands(&[left, right]);
                let ty = self.compared_type(left, right);
                self.comparison(operator, &ty, values[0], values[1])
            }
        }
    }

    /// Both sides of a comparison have one type, but a literal `none` or a union may leave it to the other side.
    pub fn compared_type(&self, left: ExpressionId, right: ExpressionId) -> Type {
        let ty = self.type_of(left);
        match self.body.expression(left).kind {
            ExpressionKind::None => self.type_of(right),
            _ => ty,
        }
    }

    fn logical(&mut self, id: ExpressionId) -> Operand {
        let join = self.join(builtin::BOOL);
        let (yes, no) = (self.block(), self.block());
        self.branch_on(id, yes, no);
        self.start(yes);
        self.deliver(join, Operand::Word(1));
        self.start(no);
        self.deliver(join, Operand::Word(0));
        self.joined_value(join)
    }

    /// `+ - * / %`. In a generic function the result may have a checked type, whose checks it passes.
    pub fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        (left, left_type): (Operand, &Type),
        (right, _): (Operand, &Type),
        result: &Type,
    ) -> Operand {
        let id = self.type_id(result);
        let value = match self.program.base_type(left_type) {
            Type::Float => self.float_arithmetic(operator, left, right),
            Type::String | Type::Literals(_) => {
                self.runtime(id, RuntimeCall::string_concat, vec![left, right])
            }
            Type::Secret => self.runtime(id, RuntimeCall::secret_join, vec![left, right]),
            Type::List(_) => self.runtime(id, RuntimeCall::list_concat, vec![left, right]),
            _ => {
                let operation = match operator {
                    BinaryOperator::Subtract => Checked::Subtract,
                    BinaryOperator::Multiply => Checked::Multiply,
                    BinaryOperator::Divide => Checked::Divide,
                    BinaryOperator::Remainder => Checked::Remainder,
                    _ => Checked::Add,
                };
                self.checked(id, operation, left, right)
            }
        };
        self.admitted(value, result)
    }

    fn float_arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let operation = match operator {
            BinaryOperator::Subtract => Operation::FloatSubtract,
            BinaryOperator::Multiply => Operation::FloatMultiply,
            BinaryOperator::Divide => Operation::FloatDivide,
            BinaryOperator::Remainder => {
                let arguments = vec![left, right];
                return self.runtime(builtin::FLOAT, RuntimeCall::float_remainder, arguments);
            }
            _ => Operation::FloatAdd,
        };
        self.operation(builtin::FLOAT, operation, left, right)
    }

    /// `== != < <= > >=` on values of a concrete type.
    pub fn comparison(
        &mut self,
        operator: BinaryOperator,
        ty: &Type,
        left: Operand,
        right: Operand,
    ) -> Operand {
        match operator {
            BinaryOperator::Equal => return self.equal(ty, left, right),
            BinaryOperator::NotEqual => {
                let equal = self.equal(ty, left, right);
                return self.operation(builtin::BOOL, Operation::BoolNot, equal, Operand::Word(0));
            }
            _ => {}
        }
        let base = self.program.base_type(ty);
        let id = self.type_id(&base);
        if base == Type::Float {
            let operation = match operator {
                BinaryOperator::Less => Operation::FloatLess,
                BinaryOperator::LessEqual => Operation::FloatLessEqual,
                BinaryOperator::Greater => Operation::FloatGreater,
                _ => Operation::FloatGreaterEqual,
            };
            return self.operation(builtin::BOOL, operation, left, right);
        }
        let operation = match operator {
            BinaryOperator::Less => Operation::IntLess,
            BinaryOperator::LessEqual => Operation::IntLessEqual,
            BinaryOperator::Greater => Operation::IntGreater,
            _ => Operation::IntGreaterEqual,
        };
        if !self.program.is_reference(id) {
            return self.operation(builtin::BOOL, operation, left, right);
        }
        let arguments = vec![type_word(id), left, right];
        let order = self.runtime(builtin::INT, RuntimeCall::value_compare, arguments);
        self.operation(builtin::BOOL, operation, order, Operand::Word(0))
    }

    /// `left == right` for values of a concrete type.
    pub fn equal(&mut self, ty: &Type, left: Operand, right: Operand) -> Operand {
        let base = self.program.base_type(ty);
        let id = self.type_id(&base);
        // `none` is the word 0, and nothing else of an optional is.
        let is_none = matches!(base, Type::Optional(_))
            && (left == Operand::Word(0) || right == Operand::Word(0));
        match base {
            Type::Float => self.operation(builtin::BOOL, Operation::FloatEqual, left, right),
            Type::String | Type::Literals(_) => {
                self.runtime(builtin::BOOL, RuntimeCall::string_equal, vec![left, right])
            }
            _ if is_none || !self.program.is_reference(id) => {
                self.operation(builtin::BOOL, Operation::IntEqual, left, right)
            }
            _ => {
                let arguments = vec![type_word(id), left, right];
                self.runtime(builtin::BOOL, RuntimeCall::value_equal, arguments)
            }
        }
    }
}
