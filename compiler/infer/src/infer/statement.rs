//! Blocks and statements.

use gsw_names::lower_type;
use gsw_names::types::Type;
use gsw_source::{Name, Span};
use gsw_syntax::ast;

use crate::errors::values as errors;
use crate::hir::{ExpressionId, ExpressionKind, LocalKind, Statement, StatementKind};
use crate::infer::context::{Context, Expected};
use crate::infer::pattern::Place;
use crate::infer::table::Side;

impl Context<'_> {
    /// `{ … }`, with a scope of its own.
    pub(super) fn block(&mut self, block: &ast::Block, expected: &Expected) -> ExpressionId {
        self.scoped(|this| this.open_block(block, expected))
    }

    fn open_block(&mut self, block: &ast::Block, expected: &Expected) -> ExpressionId {
        let mut statements = Vec::with_capacity(block.statements.len());
        let mut diverges = false;
        let (tail, before) = if let Some((last, before)) = block.statements.split_last()
            && let ast::StatementKind::Expression(tail) = &last.kind
        {
            (Some(tail), before)
        } else {
            (None, block.statements.as_slice())
        };
        for statement in before {
            diverges |= self.statement(statement, &mut statements);
        }
        let Some(tail) = tail else {
            return self.end_block(block, statements, diverges, expected);
        };
        if let Expected::Dropped = expected {
            let id = self.expression(tail, expected);
            diverges |= self.ty(id) == Type::Never;
            let kind = StatementKind::Expression(id);
            statements.push(Statement {
                kind,
                span: tail.span,
            });
            return self.end_block(block, statements, diverges, expected);
        }
        let tail = self.expression(tail, expected);
        let ty = self.ty(tail);
        self.push(
            ExpressionKind::Block {
                statements,
                tail: Some(tail),
            },
            ty,
            block.span,
        )
    }

    /// A block that ends without a value.
    fn end_block(
        &mut self,
        block: &ast::Block,
        statements: Vec<Statement>,
        diverges: bool,
        expected: &Expected,
    ) -> ExpressionId {
        let ty = if diverges { Type::Never } else { Type::Unit };
        let is_unit = !diverges;
        let id = self.push(
            ExpressionKind::Block {
                statements,
                tail: None,
            },
            ty,
            block.span,
        );
        match expected {
            Expected::Type(wanted) if is_unit => {
                if let Some(id) = self.try_coerce(id, wanted) {
                    return id;
                }
                let end = Span::new(block.span.end.saturating_sub(1), block.span.end);
                let (place, text) = (self.place(end), self.show(wanted));
                self.report(errors::no_value(place, &text));
                self.push(ExpressionKind::Invalid, wanted.clone(), block.span)
            }
            Expected::Anything | Expected::Dropped | Expected::Hint(_) | Expected::Type(_) => {
                self.settle(id, expected)
            }
        }
    }

    /// Adds what a statement does. True when nothing after it is reached.
    #[expect(
        clippy::too_many_lines,
        reason = "one arm a form: rustc names what a new form must join"
    )]
    fn statement(&mut self, statement: &ast::Statement, out: &mut Vec<Statement>) -> bool {
        let span = statement.span;
        let kind = match &statement.kind {
            ast::StatementKind::Let {
                pattern,
                ty,
                value,
                otherwise,
            } => match otherwise {
                Some(otherwise) => self.let_else(pattern, ty.as_ref(), value, otherwise, span),
                None => self.let_statement(pattern, ty.as_ref(), value, span),
            },
            ast::StatementKind::Var { pattern, ty, value } => {
                if let ast::PatternKind::Binding(name) = &pattern.kind {
                    self.variable(name, ty.as_ref(), value, LocalKind::Var)
                } else {
                    let kind = self.let_statement(pattern, ty.as_ref(), value, span);
                    out.push(Statement { kind, span });
                    return self.variables(out);
                }
            }
            ast::StatementKind::State { name, ty, value } => {
                self.variable(name, Some(ty), value, LocalKind::State)
            }
            ast::StatementKind::Assign {
                target,
                operator,
                value,
            } => match self.assign(target, *operator, value, span) {
                Some(kind) => kind,
                None => return false,
            },
            ast::StatementKind::Expression(value) => {
                StatementKind::Expression(self.expression(value, &Expected::Dropped))
            }
            ast::StatementKind::Defer(body) => {
                StatementKind::Defer(self.block(body, &Expected::Dropped))
            }
            ast::StatementKind::Assert {
                value,
                expectation,
                message,
            } => self.assert(value, expectation, message.as_ref()),
            ast::StatementKind::Mock {
                calls,
                target,
                arguments,
                rest,
                outcomes,
            } => match self.mock(calls.as_ref(), target, (arguments, *rest), outcomes, span) {
                Some(kind) => kind,
                None => return false,
            },
            ast::StatementKind::MockAgent {
                agent,
                script,
                braces: _,
            } => match self.mock_agent(agent, script) {
                Some(kind) => kind,
                None => return false,
            },
            ast::StatementKind::Invalid => return false,
        };
        let diverges = match &kind {
            StatementKind::Let { value, .. }
            | StatementKind::Var { value, .. }
            | StatementKind::Assign { value, .. }
            | StatementKind::Expression(value) => self.ty(*value) == Type::Never,
            StatementKind::Defer(_)
            | StatementKind::Assert { .. }
            | StatementKind::AssertFails { .. }
            | StatementKind::AssertSnapshot { .. }
            | StatementKind::Mock { .. }
            | StatementKind::MockAgent { .. } => false,
        };
        out.push(Statement { kind, span });
        diverges
    }

    /// A type written in the body.
    pub(super) fn written_type(&mut self, ty: &ast::TypeExpression) -> Type {
        lower_type(
            self.db,
            self.file,
            self.generics,
            ty,
            self.findings.diagnostics_mut(),
            self.item,
        )
    }

    fn let_statement(
        &mut self,
        pattern: &ast::Pattern,
        ty: Option<&ast::TypeExpression>,
        value: &ast::Expression,
        span: Span,
    ) -> StatementKind {
        let wanted = match ty {
            Some(ty) => Expected::Type(self.written_type(ty)),
            None => Expected::Anything,
        };
        let value = self.expression(value, &wanted);
        let ty = self.ty(value);
        let first = self.scopes.next();
        let pattern = self.pattern(pattern, &ty, Place::Binding);
        let word = Span::new(span.start, span.start + 3);
        self.scopes.add_let(first, word);
        StatementKind::Let { pattern, value }
    }

    /// The variables for the names that the `let` at the end of `out` has just bound. True when nothing after it is reached.
    fn variables(&mut self, out: &mut Vec<Statement>) -> bool {
        let bound = self.pattern_names.take_bound();
        self.findings
            .forget_locals(|local| bound.iter().any(|(_, it)| *it == local));
        for (name, local) in &bound {
            let span = self.scopes.local(*local).span;
            let value = self.local_value(*local, span);
            let ty = self.variable_type(value);
            let value = self.coerce(value, &ty);
            let local = self.declare(name, ty, LocalKind::Var, span);
            let kind = StatementKind::Var { local, value };
            out.push(Statement { kind, span });
        }
        let mut values = out.iter().rev().filter_map(|it| match &it.kind {
            StatementKind::Let { value, .. } => Some(*value),
            StatementKind::Var { .. }
            | StatementKind::Assign { .. }
            | StatementKind::Expression(_)
            | StatementKind::Defer(_)
            | StatementKind::Assert { .. }
            | StatementKind::AssertFails { .. }
            | StatementKind::AssertSnapshot { .. }
            | StatementKind::Mock { .. }
            | StatementKind::MockAgent { .. } => None,
        });
        values.next().is_some_and(|it| self.ty(it) == Type::Never)
    }

    fn variable(
        &mut self,
        name: &ast::Identifier,
        ty: Option<&ast::TypeExpression>,
        value: &ast::Expression,
        kind: LocalKind,
    ) -> StatementKind {
        let wanted = match ty {
            Some(ty) => Expected::Type(self.written_type(ty)),
            None => Expected::Anything,
        };
        let value = self.expression(value, &wanted);
        let ty = match wanted {
            Expected::Type(ty) => ty,
            Expected::Anything | Expected::Dropped | Expected::Hint(_) => self.variable_type(value),
        };
        let value = self.coerce(value, &ty);
        let local = self.declare(&name.name, ty, kind, name.span);
        StatementKind::Var { local, value }
    }

    /// The type of a variable that `value` is given to at first. What is assigned later need not pass the same check, and
    /// tells whether the variable holds more than literals of a union.
    fn variable_type(&mut self, value: ExpressionId) -> Type {
        let ty = self.ty(value);
        let plain = self.table.unchecked(&ty);
        if matches!(plain, Type::Literals(_) | Type::Text(_)) {
            return self.table.text_above(&plain);
        }
        self.table.loosened(&plain, Side::Above)
    }

    fn assert(
        &mut self,
        value: &ast::Expression,
        expectation: &ast::AssertExpectation,
        message: Option<&ast::Expression>,
    ) -> StatementKind {
        let source = self.source_text(value.span);
        match expectation {
            ast::AssertExpectation::Holds => {
                if let Some(shown) = self.snapshot(value) {
                    let shown = self.expression(shown, &Expected::Anything);
                    let value = self.as_json(shown);
                    return StatementKind::AssertSnapshot { value };
                }
                let condition = self.expression(value, &Expected::Type(Type::Bool));
                let message = message.map(|it| self.expression(it, &Expected::Type(Type::String)));
                StatementKind::Assert {
                    condition,
                    message,
                    source,
                }
            }
            ast::AssertExpectation::Fails(pattern) => {
                let value = self.expression(value, &Expected::Dropped);
                let pattern = self.scoped(|it| it.pattern(pattern, &Type::Error, Place::Top));
                StatementKind::AssertFails {
                    value,
                    pattern,
                    source,
                }
            }
        }
    }

    /// What is kept by `snapshot(e)`, which means that right after `assert` alone, and only where nothing else is called so.
    fn snapshot<'a>(&self, value: &'a ast::Expression) -> Option<&'a ast::Expression> {
        let ast::ExpressionKind::Call {
            callee, arguments, ..
        } = &value.kind
        else {
            return None;
        };
        let ast::ExpressionKind::Name(name) = &callee.kind else {
            return None;
        };
        let [ast::Argument { name: None, value }] = arguments.as_slice() else {
            return None;
        };
        let is_own = name == "snapshot"
            && self.scopes.find(name).is_none()
            && gsw_names::resolve_name(self.db, self.file, name).is_none();
        is_own.then_some(value)
    }

    /// The text of the program at a span of this item.
    fn source_text(&self, span: Span) -> Name {
        gsw_names::source_text(self.db, self.item, span)
    }
}
