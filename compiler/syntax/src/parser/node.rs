//! Expressions as nodes of the tree.

use crate::ast::{Block, Expression, ExpressionKind};
use crate::parser::input::{Context, State, span_of};

/// An expression of that form, over what was just parsed.
pub(crate) fn node(kind: ExpressionKind, context: &mut Context<'_>) -> Expression {
    Expression {
        kind,
        span: span_of(context),
    }
}

/// A block as an expression.
pub(crate) fn block_expression(block: Block) -> Expression {
    Expression {
        span: block.span,
        kind: ExpressionKind::Do(block),
    }
}

impl State {
    /// What is in the tree for an expression that could not be parsed.
    pub(crate) fn expression_hole(&self, index: usize) -> Expression {
        Expression {
            kind: ExpressionKind::Invalid,
            span: self.span(index, index),
        }
    }
}
