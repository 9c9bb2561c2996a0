//! Blocks and statements.

use gsw_source::Span;

use crate::ast::{
    AssignOperator, Expression, Identifier, Pattern, PatternField, Rest, TypeExpression,
};

/// `{ … }`; its value is its last expression statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// One statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// All of it.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StatementKind {
    /// `let p: T = e`, `let p = e else { … }`
    Let {
        /// What is bound.
        pattern: Pattern,
        /// After `:`.
        ty: Option<TypeExpression>,
        /// The value.
        value: Expression,
        /// Where control goes when the value does not match.
        otherwise: Option<Block>,
    },
    /// `var p: T = e`
    Var {
        /// What is bound: the names in it may be assigned.
        pattern: Pattern,
        /// After `:`.
        ty: Option<TypeExpression>,
        /// The first value.
        value: Expression,
    },
    /// `state x: T = e`
    State {
        /// The variable.
        name: Identifier,
        /// After `:`.
        ty: TypeExpression,
        /// The first value.
        value: Expression,
    },
    /// `x = e`, `x += e`
    Assign {
        /// What is assigned; anything but a name is reported later.
        target: Expression,
        /// Which assignment.
        operator: AssignOperator,
        /// The right side.
        value: Expression,
    },
    /// `e`
    Expression(Expression),
    /// `defer { … }`
    Defer(Block),
    /// `assert c, "why"` and `assert e fails P`
    Assert {
        /// The condition, or the expression that must fail.
        value: Expression,
        /// What is asserted of it.
        expectation: AssertExpectation,
        /// The text after the comma.
        message: Option<Expression>,
    },
    /// `mock p(patterns) -> value`
    Mock {
        /// The name of what is mocked, dotted for std effects.
        target: Vec<Identifier>,
        /// Patterns of the arguments.
        arguments: Vec<PatternField>,
        /// Whether `..` stands at the end.
        rest: Rest,
        /// What it does instead.
        outcome: MockOutcome,
    },
    /// Text that is no statement; already reported.
    Invalid,
}

/// What `assert` asserts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AssertExpectation {
    /// That the condition is true.
    Holds,
    /// `fails P`: that evaluating raises an error that matches.
    Fails(Pattern),
}

/// What a mock does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MockOutcome {
    /// `-> value`; `-> fail E` is a value whose expression is `fail`.
    Value(Expression),
}
