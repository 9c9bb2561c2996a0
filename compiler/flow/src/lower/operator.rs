//! Arithmetic and comparison, by the concrete types of both sides.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{
    ArithmeticOperator, BinaryOperator, EqualityOperator, ExpressionId, ExpressionKind,
    OperatorClass, OrderOperator, UnaryOperator,
};
use gsw_names::types::Type;

use crate::family::Family;
use crate::ir::{Checked, Operand, Operation};
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};

/// An operator whose sides are both evaluated before it, and which gives a bool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    Equality(EqualityOperator),
    /// `<`, `<=`, `>`, `>=`
    Order(OrderOperator),
}

impl Comparison {
    /// The comparison that an operator is, if it is one.
    pub fn of(operator: BinaryOperator) -> Option<Self> {
        match operator.class() {
            OperatorClass::Equality(operator) => Some(Self::Equality(operator)),
            OperatorClass::Order(operator) => Some(Self::Order(operator)),
            OperatorClass::Logic(_) | OperatorClass::Arithmetic(_) => None,
        }
    }
}

pub fn unary(
    builder: &mut Builder<'_, '_>,
    operator: UnaryOperator,
    operand: ExpressionId,
) -> Operand {
    let ty = builder.type_of(operand);
    let id = builder.type_id(&ty);
    let value = builder.expression(operand);
    let zero = Operand::Word(0);
    let value = match operator {
        UnaryOperator::Not => builder.operation(id, Operation::BoolNot, value, zero),
        UnaryOperator::Negate => match builder.program.family(&ty) {
            Family::Float => builder.operation(id, Operation::FloatNegate, value, zero),
            // Checked: the smallest int has no negative.
            Family::Int | Family::Duration => builder.checked(id, Checked::Negate, value, zero),
            Family::Nothing
            | Family::Bool
            | Family::Time
            | Family::Text
            | Family::Secret
            | Family::Media
            | Family::Json
            | Family::List(_)
            | Family::Map(..)
            | Family::Plain => builder.unreachable(),
        },
    };
    builder.admitted(value, &ty)
}

pub fn binary(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    operator: BinaryOperator,
    left: ExpressionId,
    right: ExpressionId,
) -> Operand {
    let comparison = match operator.class() {
        OperatorClass::Logic(_) => return logical(builder, id),
        OperatorClass::Arithmetic(operator) => {
            let left_type = builder.type_of(left);
            let result = builder.type_of(id);
            let values = builder.operands(&[left, right]);
            return builder.arithmetic(operator, &left_type, values[0], values[1], &result);
        }
        OperatorClass::Equality(operator) => Comparison::Equality(operator),
        OperatorClass::Order(operator) => Comparison::Order(operator),
    };
    let values = builder.operands(&[left, right]);
    let ty = compared_type(builder, left, right);
    builder.comparison(comparison, &ty, values[0], values[1])
}

/// Both sides of a comparison have one type, but a literal `none` or a union may leave it to the other side.
pub fn compared_type(builder: &Builder<'_, '_>, left: ExpressionId, right: ExpressionId) -> Type {
    // `none` itself has a type that fits every optional and compares nothing.
    if builder.body.expression(left).kind == ExpressionKind::None {
        builder.type_of(right)
    } else {
        builder.type_of(left)
    }
}

/// A condition as a value.
pub fn logical(builder: &mut Builder<'_, '_>, id: ExpressionId) -> Operand {
    let join = builder.join(builtin::BOOL);
    // Conditions are branches first; only where one is used as a value do the branches meet in a word.
    let (yes, no) = (builder.block(), builder.block());
    builder.branch_on(id, yes, no);
    builder.start(yes);
    builder.deliver(join, Operand::Word(1));
    builder.start(no);
    builder.deliver(join, Operand::Word(0));
    builder.joined_value(join)
}

impl Emitter<'_, '_> {
    /// `+ - * / %`; the type of the left side says of what. In a generic function the result may have a checked type, whose
    /// checks it passes.
    pub fn arithmetic(
        &mut self,
        operator: ArithmeticOperator,
        left_type: &Type,
        left: Operand,
        right: Operand,
        result: &Type,
    ) -> Operand {
        let id = self.type_id(result);
        let value = match self.program.family(left_type) {
            Family::Time => {
                let call = match operator {
                    ArithmeticOperator::Add => RuntimeCall::time_add,
                    ArithmeticOperator::Subtract => RuntimeCall::time_subtract,
                    ArithmeticOperator::Multiply
                    | ArithmeticOperator::Divide
                    | ArithmeticOperator::Remainder => return self.unreachable(),
                };
                self.runtime(id, call, vec![left, right])
            }
            Family::Duration
                if operator == ArithmeticOperator::Divide
                    && matches!(self.program.family(result), Family::Float) =>
            {
                let left = self.runtime(builtin::FLOAT, RuntimeCall::int_to_float, vec![left]);
                let right = self.runtime(builtin::FLOAT, RuntimeCall::int_to_float, vec![right]);
                self.operation(id, Operation::FloatDivide, left, right)
            }
            Family::Int | Family::Duration => {
                let operation = match operator {
                    ArithmeticOperator::Add => Checked::Add,
                    ArithmeticOperator::Subtract => Checked::Subtract,
                    ArithmeticOperator::Multiply => Checked::Multiply,
                    ArithmeticOperator::Divide => Checked::Divide,
                    ArithmeticOperator::Remainder => Checked::Remainder,
                };
                self.checked(id, operation, left, right)
            }
            Family::Float => float_arithmetic(self, operator, left, right),
            Family::Text => self.runtime(id, RuntimeCall::string_concat, vec![left, right]),
            // What a secret is joined with becomes part of it.
            Family::Secret => self.runtime(id, RuntimeCall::secret_join, vec![left, right]),
            Family::List(_) => self.runtime(id, RuntimeCall::list_concat, vec![left, right]),
            Family::Nothing
            | Family::Bool
            | Family::Media
            | Family::Json
            | Family::Map(..)
            | Family::Plain => self.unreachable(),
        };
        self.admitted(value, result)
    }

    /// `== != < <= > >=` on values of a concrete type.
    pub fn comparison(
        &mut self,
        comparison: Comparison,
        ty: &Type,
        left: Operand,
        right: Operand,
    ) -> Operand {
        match comparison {
            Comparison::Equality(EqualityOperator::Equal) => self.equal(ty, left, right),
            Comparison::Equality(EqualityOperator::NotEqual) => {
                let equal = self.equal(ty, left, right);
                self.operation(builtin::BOOL, Operation::BoolNot, equal, Operand::Word(0))
            }
            Comparison::Order(operator) => ordered(self, operator, ty, left, right),
        }
    }

    /// `left == right` for values of a concrete type.
    pub fn equal(&mut self, ty: &Type, left: Operand, right: Operand) -> Operand {
        let base = self.program.base_type(ty);
        let id = self.type_id(&base);
        // `none` is the word 0, and nothing else of an optional is.
        let is_none = matches!(base, Type::Optional(_))
            && (left == Operand::Word(0) || right == Operand::Word(0));
        match Family::of(&base) {
            Family::Float => self.operation(builtin::BOOL, Operation::FloatEqual, left, right),
            Family::Text => {
                self.runtime(builtin::BOOL, RuntimeCall::string_equal, vec![left, right])
            }
            Family::Nothing
            | Family::Bool
            | Family::Int
            | Family::Duration
            | Family::Time
            | Family::Secret
            | Family::Media
            | Family::Json
            | Family::List(_)
            | Family::Map(..)
            | Family::Plain => {
                // Comparing with `none` looks at the word alone, whatever the optional holds.
                if is_none || !self.program.is_reference(id) {
                    return self.operation(builtin::BOOL, Operation::IntEqual, left, right);
                }
                let arguments = vec![type_word(id), left, right];
                self.runtime(builtin::BOOL, RuntimeCall::value_equal, arguments)
            }
        }
    }
}

fn float_arithmetic(
    emitter: &mut Emitter,
    operator: ArithmeticOperator,
    left: Operand,
    right: Operand,
) -> Operand {
    let operation = match operator {
        ArithmeticOperator::Add => Operation::FloatAdd,
        ArithmeticOperator::Subtract => Operation::FloatSubtract,
        ArithmeticOperator::Multiply => Operation::FloatMultiply,
        ArithmeticOperator::Divide => Operation::FloatDivide,
        ArithmeticOperator::Remainder => {
            let arguments = vec![left, right];
            // The machine has no instruction for it.
            return emitter.runtime(builtin::FLOAT, RuntimeCall::float_remainder, arguments);
        }
    };
    emitter.operation(builtin::FLOAT, operation, left, right)
}

fn ordered(
    emitter: &mut Emitter,
    operator: OrderOperator,
    ty: &Type,
    left: Operand,
    right: Operand,
) -> Operand {
    let base = emitter.program.base_type(ty);
    let id = emitter.type_id(&base);
    if base == Type::Float {
        let operation = match operator {
            OrderOperator::Less => Operation::FloatLess,
            OrderOperator::LessEqual => Operation::FloatLessEqual,
            OrderOperator::Greater => Operation::FloatGreater,
            OrderOperator::GreaterEqual => Operation::FloatGreaterEqual,
        };
        return emitter.operation(builtin::BOOL, operation, left, right);
    }
    let operation = match operator {
        OrderOperator::Less => Operation::IntLess,
        OrderOperator::LessEqual => Operation::IntLessEqual,
        OrderOperator::Greater => Operation::IntGreater,
        OrderOperator::GreaterEqual => Operation::IntGreaterEqual,
    };
    // Bools, times, durations and enums without payload are ordered as the words that they are.
    if !emitter.program.is_reference(id) {
        return emitter.operation(builtin::BOOL, operation, left, right);
    }
    let arguments = vec![type_word(id), left, right];
    // Negative, 0 or positive, so the operator that was written compares that with 0.
    let order = emitter.runtime(builtin::INT, RuntimeCall::value_compare, arguments);
    emitter.operation(builtin::BOOL, operation, order, Operand::Word(0))
}
