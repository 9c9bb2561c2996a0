//! Statements.

use gsw_source::{ItemId, Name, Span};

use crate::hir::{BinaryOperator, ExpressionId, Lambda, LocalId, Pattern};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    /// Where it stands, relative to the item.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `let p = e`; the pattern always matches.
    Let {
        pattern: Pattern,
        value: ExpressionId,
    },
    /// `var x = e`, `state x = e`
    Var {
        local: LocalId,
        value: ExpressionId,
    },
    /// `x = e`, `x += e`: the value is evaluated first, then the variable is taken, changed and stored, with no wait between.
    Assign {
        local: LocalId,
        /// For `+=` and its kin.
        operator: Option<BinaryOperator>,
        value: ExpressionId,
    },
    Expression(ExpressionId),
    /// Runs when the block is left in any way.
    Defer(ExpressionId),
    /// `assert c, "why"`; its text for the message.
    Assert {
        condition: ExpressionId,
        /// After the comma.
        message: Option<ExpressionId>,
        /// The condition as source text.
        source: Name,
    },
    /// `assert e fails P`
    AssertFails {
        value: ExpressionId,
        pattern: Pattern,
        /// The expression as source text.
        source: Name,
    },
    /// `mock p(patterns) -> value`, only in tests.
    Mock {
        item: ItemId,
        /// One per parameter.
        patterns: Vec<Pattern>,
        /// The value; its lambda has one parameter per parameter of the mocked.
        outcome: Lambda,
    },
}
