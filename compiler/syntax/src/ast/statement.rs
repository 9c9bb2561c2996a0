//! Blocks and statements.

use gsw_source::Span;

use crate::ast::{
    AssignOperator, Expression, Identifier, Pattern, PatternField, Rest, TypeExpression,
};

/// `{ … }`; its value is its last expression statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StatementKind {
    /// `let p: T = e`
    Let {
        pattern: Pattern,
        /// After `:`.
        ty: Option<TypeExpression>,
        value: Expression,
    },
    /// `var p: T = e`
    Var {
        /// What is bound: the names in it may be assigned.
        pattern: Pattern,
        /// After `:`.
        ty: Option<TypeExpression>,
        value: Expression,
    },
    /// `state x: T = e`
    State {
        name: Identifier,
        /// After `:`.
        ty: TypeExpression,
        value: Expression,
    },
    /// `x = e`, `x.f[i] += e`
    Assign {
        /// What is assigned; anything but a variable and its parts is reported later.
        target: Expression,
        operator: AssignOperator,
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

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MockOutcome {
    /// `-> value`; `-> fail E` is a value whose expression is `fail`.
    Value(Expression),
}
