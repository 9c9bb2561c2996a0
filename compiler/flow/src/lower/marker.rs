//! Statements of a program for a debugger: each says where it is and what the names in scope hold.

use std::sync::Arc;

use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{self, ExpressionId, ExpressionKind, Statement, StatementKind};
use gsw_source::{ItemId, Span};

use crate::ir::{LocalId, Operand};
use crate::lower::builder::Builder;
use crate::lower::emitter::type_word;
use crate::lower::variable::Variable;

impl Builder<'_, '_> {
    /// A statement, or what takes the place of one, begins.
    pub fn mark(&mut self, span: Span) {
        if !self.program.has_markers(self.owner.item) {
            return;
        }
        let body = Arc::clone(&self.body);
        let in_scope = self.variables.in_scope().to_vec();
        for (index, &variable) in in_scope.iter().enumerate() {
            let name = &body.local(variable).name;
            let is_hidden = in_scope[index + 1..]
                .iter()
                .any(|it| body.local(*it).name == *name);
            if name.is_empty() || *name == "_" || is_hidden {
                continue;
            }
            // A cell is shown as what it holds when the debugger looks, so that what a closure assigns is seen.
            let (Variable::Local(local) | Variable::Cell(local)) = self.variables.place(variable);
            self.show(name, local);
        }
        self.mark_statement(span);
    }

    /// Like [`Self::mark`], for a statement in what has the span `around`. One that the compiler has made of another, or for a
    /// variable of its own, is no place to stop at.
    pub fn mark_written(&mut self, statement: &Statement, around: Span) {
        let is_own =
            matches!(statement.kind, StatementKind::Var { local, .. } if self.is_unnamed(local));
        if !is_own && statement.span != around {
            self.mark(statement.span);
        }
    }

    /// A prompt begins to ask, with these arguments; it stands at its text.
    pub fn mark_prompt(&mut self, item: ItemId, arguments: &[Operand]) {
        if !self.program.has_markers(item) {
            return;
        }
        let signature = self.program.view.signature(item);
        for (parameter, argument) in signature.parameters.iter().zip(arguments) {
            if let Operand::Local(local) = *argument {
                self.show(&parameter.name, local);
            }
        }
        let text = self.body.expression(self.body.root).span;
        self.mark_statement(text);
    }

    fn show(&mut self, name: &str, local: LocalId) {
        let ty = type_word(self.local_type(local));
        let name = self.text(name);
        let arguments = vec![ty, name, Operand::Local(local)];
        self.perform(RuntimeCall::debug_variable, arguments);
    }

    fn mark_statement(&mut self, span: Span) {
        let span = self.span_index(span);
        let place = Operand::Word(u64::from(span.0));
        self.perform(RuntimeCall::debug_statement, vec![place]);
    }

    /// Like [`Self::mark`], for an expression that is a body by itself; in a block its statements are marked.
    pub fn mark_expression(&mut self, id: ExpressionId) {
        let body = Arc::clone(&self.body);
        let expression = body.expression(id);
        let is_place = !matches!(expression.kind, ExpressionKind::Block { .. })
            && !matches!(expression.kind, ExpressionKind::Local(it) if self.is_unnamed(it));
        if is_place {
            self.mark(expression.span);
        }
    }

    /// Whether a variable is the compiler's own.
    fn is_unnamed(&self, local: hir::LocalId) -> bool {
        self.body.local(local).name.is_empty()
    }
}
