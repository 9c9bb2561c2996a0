//! Statements.

use gsw_source::{ItemId, Name, Span};

use crate::hir::{BinaryOperator, ExpressionId, Lambda, LocalId, Pattern};

/// One statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands, relative to the item.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `let p = e`; the pattern always matches.
    Let {
        /// What is bound.
        pattern: Pattern,
        /// The value.
        value: ExpressionId,
    },
    /// `var x = e`, `state x = e`
    Var {
        /// The variable.
        local: LocalId,
        /// Its first value.
        value: ExpressionId,
    },
    /// `x = e`, `x += e`: the value is evaluated first, then the variable is taken, changed and stored, with no wait between.
    Assign {
        /// The variable.
        local: LocalId,
        /// For `+=` and its kin.
        operator: Option<BinaryOperator>,
        /// The right side.
        value: ExpressionId,
    },
    /// The value is dropped.
    Expression(ExpressionId),
    /// Runs when the block is left in any way.
    Defer(ExpressionId),
    /// `assert c, "why"`; its text for the message.
    Assert {
        /// Of type bool.
        condition: ExpressionId,
        /// After the comma.
        message: Option<ExpressionId>,
        /// The condition as source text.
        source: Name,
    },
    /// `assert e fails P`
    AssertFails {
        /// What must raise.
        value: ExpressionId,
        /// Over `Error`.
        pattern: Pattern,
        /// The expression as source text.
        source: Name,
    },
    /// `mock p(patterns) -> value`, only in tests.
    Mock {
        /// What is mocked.
        item: ItemId,
        /// One per parameter.
        patterns: Vec<Pattern>,
        /// The value; its lambda has one parameter per parameter of the mocked.
        outcome: Lambda,
    },
}
