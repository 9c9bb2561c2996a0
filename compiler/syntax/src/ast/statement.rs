//! Blocks and statements.

use gsw_source::Span;

use crate::ast::{
    AssignOperator, Expression, Identifier, Pattern, PatternField, Rest, TypeExpression,
};

/// `{ … }`; its value is its last expression statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StatementKind {
    /// `let p: T = e`, `let p = e else { … }`
    Let {
        pattern: Pattern,
        ty: Option<TypeExpression>,
        value: Expression,
        /// Where control goes when the value does not match.
        otherwise: Option<Block>,
    },
    /// `var p: T = e`
    Var {
        /// What is bound: the names in it may be assigned.
        pattern: Pattern,
        ty: Option<TypeExpression>,
        value: Expression,
    },
    /// `state x: T = e`
    State {
        name: Identifier,
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
    Expression(Expression),
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
    /// `mock p(patterns) -> value then value`, `let calls = mock p(patterns) -> value`
    Mock {
        /// The name after `let`, which counts the calls.
        calls: Option<Identifier>,
        /// The name of what is mocked, dotted for std effects.
        target: Vec<Identifier>,
        arguments: Vec<PatternField>,
        /// Whether `..` is at the end.
        rest: Rest,
        /// One value per call, the last one again and again; `fail E` is a value as well. Never empty.
        outcomes: Vec<Expression>,
    },
    /// `mock agent a { call t(…)  answer e }`
    MockAgent {
        /// The name of the agent, dotted after a module.
        agent: Vec<Identifier>,
        /// What its model does, in order.
        script: Vec<ScriptTurn>,
        braces: Span,
    },
    /// Text that is no statement; already reported.
    Invalid,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AssertExpectation {
    /// That the condition is true.
    Holds,
    /// `fails P`: that evaluating raises an error that matches.
    Fails(Pattern),
}

/// What a scripted model does in one turn.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ScriptTurn {
    pub kind: ScriptTurnKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ScriptTurnKind {
    /// `call t(…), call u(…)`: what is after each `call`, which anything but the call of a tool is reported for later.
    Calls(Vec<Expression>),
    Answer(Expression),
    /// `fail e`
    Fail(Expression),
}
