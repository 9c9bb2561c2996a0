//! The expressions of a body while they are made.

use gsw_names::types::Type;
use gsw_source::Span;

use crate::hir::{Expression, ExpressionId, ExpressionKind};

/// Expressions in the order in which they were finished: children before their parents.
#[derive(Default)]
pub(super) struct Arena {
    expressions: Vec<Expression>,
}

impl Arena {
    pub(super) fn push(&mut self, kind: ExpressionKind, ty: Type, span: Span) -> ExpressionId {
        let id = ExpressionId(u32::try_from(self.expressions.len()).unwrap_or(u32::MAX));
        self.expressions.push(Expression { kind, ty, span });
        id
    }

    pub(super) fn get(&self, id: ExpressionId) -> &Expression {
        &self.expressions[id.0 as usize]
    }

    pub(super) fn get_mut(&mut self, id: ExpressionId) -> &mut Expression {
        &mut self.expressions[id.0 as usize]
    }

    /// Takes back the expression made last; nothing may name it.
    pub(super) fn pop(&mut self) {
        self.expressions.pop();
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        self.expressions.iter_mut()
    }

    pub(super) fn finish(self) -> Vec<Expression> {
        self.expressions
    }
}
