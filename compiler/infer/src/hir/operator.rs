//! Operators.

use gsw_syntax::ast;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOperator {
    Negate,
    Not,
}

/// Whether a range holds its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RangeEnd {
    Exclusive,
    Inclusive,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOperator {
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// What the operands and the result of an infix operator have to do with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperatorClass {
    /// Of bools; the right side is evaluated only when needed.
    Logic(LogicOperator),
    /// Of two values of one type that has `==`, to a bool.
    Equality(EqualityOperator),
    /// Of two values of one type that has an order, to a bool.
    Order(OrderOperator),
    /// Of numbers, times, texts and lists, to one of these.
    Arithmetic(ArithmeticOperator),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogicOperator {
    And,
    Or,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EqualityOperator {
    Equal,
    NotEqual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderOperator {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArithmeticOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOperator {
    /// Which of the classes it belongs to, and which it is in there.
    #[must_use]
    pub const fn class(self) -> OperatorClass {
        match self {
            Self::And => OperatorClass::Logic(LogicOperator::And),
            Self::Or => OperatorClass::Logic(LogicOperator::Or),
            Self::Equal => OperatorClass::Equality(EqualityOperator::Equal),
            Self::NotEqual => OperatorClass::Equality(EqualityOperator::NotEqual),
            Self::Less => OperatorClass::Order(OrderOperator::Less),
            Self::LessEqual => OperatorClass::Order(OrderOperator::LessEqual),
            Self::Greater => OperatorClass::Order(OrderOperator::Greater),
            Self::GreaterEqual => OperatorClass::Order(OrderOperator::GreaterEqual),
            Self::Add => OperatorClass::Arithmetic(ArithmeticOperator::Add),
            Self::Subtract => OperatorClass::Arithmetic(ArithmeticOperator::Subtract),
            Self::Multiply => OperatorClass::Arithmetic(ArithmeticOperator::Multiply),
            Self::Divide => OperatorClass::Arithmetic(ArithmeticOperator::Divide),
            Self::Remainder => OperatorClass::Arithmetic(ArithmeticOperator::Remainder),
        }
    }

    #[must_use]
    pub const fn symbol(self) -> &'static str {
        let written = match self {
            Self::And => ast::BinaryOperator::And,
            Self::Or => ast::BinaryOperator::Or,
            Self::Equal => ast::BinaryOperator::Equal,
            Self::NotEqual => ast::BinaryOperator::NotEqual,
            Self::Less => ast::BinaryOperator::Less,
            Self::LessEqual => ast::BinaryOperator::LessEqual,
            Self::Greater => ast::BinaryOperator::Greater,
            Self::GreaterEqual => ast::BinaryOperator::GreaterEqual,
            Self::Add => ast::BinaryOperator::Add,
            Self::Subtract => ast::BinaryOperator::Subtract,
            Self::Multiply => ast::BinaryOperator::Multiply,
            Self::Divide => ast::BinaryOperator::Divide,
            Self::Remainder => ast::BinaryOperator::Remainder,
        };
        written.symbol()
    }
}

impl From<ArithmeticOperator> for BinaryOperator {
    fn from(operator: ArithmeticOperator) -> Self {
        match operator {
            ArithmeticOperator::Add => Self::Add,
            ArithmeticOperator::Subtract => Self::Subtract,
            ArithmeticOperator::Multiply => Self::Multiply,
            ArithmeticOperator::Divide => Self::Divide,
            ArithmeticOperator::Remainder => Self::Remainder,
        }
    }
}
