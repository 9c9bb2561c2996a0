//! Operators.

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `not`
    Not,
}

/// Whether a range holds its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RangeEnd {
    /// `..`
    Exclusive,
    /// `..=`
    Inclusive,
}

/// An infix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are the operators")]
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
