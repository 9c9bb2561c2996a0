//! Blocks and statements.

use gsw_names::types::Type;
use gsw_names::{Definition, lower_type, source_text};
use gsw_source::{Name, Span};
use gsw_syntax::ast;

use crate::errors::values as errors;
use crate::hir::{
    ArithmeticOperator, ExpressionId, ExpressionKind, LocalId, LocalKind, Statement, StatementKind,
};
use crate::infer::context::{Context, Expected};
use crate::infer::operator::Operation;
use crate::infer::pattern::Place;
use crate::infer::table::Side;
use crate::item_bodies::Reference;

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
                target,
                arguments,
                rest,
                outcome,
            } => match self.mock(target, (arguments, *rest), outcome, span) {
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
            | StatementKind::Mock { .. } => false,
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
            | StatementKind::Mock { .. } => None,
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

    fn assign(
        &mut self,
        target: &ast::Expression,
        operator: ast::AssignOperator,
        value: &ast::Expression,
        span: Span,
    ) -> Option<StatementKind> {
        let Some(local) = self.assigned_local(target) else {
            self.expression(value, &Expected::Anything);
            return None;
        };
        let ty = self.scopes.local(local).ty.clone();
        let operator = match operator {
            ast::AssignOperator::Set => {
                let value = self.expression(value, &Expected::Type(ty));
                self.scopes.touch(local);
                return Some(StatementKind::Assign {
                    local,
                    operator: None,
                    value,
                });
            }
            ast::AssignOperator::Add => ArithmeticOperator::Add,
            ast::AssignOperator::Subtract => ArithmeticOperator::Subtract,
            ast::AssignOperator::Multiply => ArithmeticOperator::Multiply,
        };
        let is_sum = operator == ArithmeticOperator::Add;
        if is_sum && let Type::Text(text) = self.table.resolve(&ty) {
            self.table.texts.reach_any(text);
        }
        // A list grows only by lists of its own type.
        let is_list = matches!(self.table.resolve(&ty), Type::List(_));
        let near = if is_list && is_sum && !self.table.is_open(&ty) {
            Expected::Type(ty.clone())
        } else {
            Expected::Hint(ty.clone())
        };
        let value = self.expression(value, &near);
        let left = self.local_value(local, target.span);
        let before = self.findings.reported();
        let operation = Operation {
            operator_span: target.span.to(span),
            left,
            right: value,
            span,
        };
        let whole = self.arithmetic(operator, operation);
        let target = self.place(target.span);
        if let Some(report) = self.findings.first_since(before) {
            report
                .fixes
                .retain(|fix| fix.edits.iter().all(|it| !touches(it.place, target)));
        }
        let whole = self.coerce(whole, &ty);
        // `x += e` is one step where `x + e` needs no conversion; otherwise it is written out.
        let (operator, value) = match self.added_to(left, whole) {
            Some(value) => (Some(operator.into()), value),
            None => (None, whole),
        };
        Some(StatementKind::Assign {
            local,
            operator,
            value,
        })
    }

    /// The right side of `whole`, when it is `left` with an operator and that.
    fn added_to(&self, left: ExpressionId, whole: ExpressionId) -> Option<ExpressionId> {
        let kind = &self.hir.get(self.below_widening(whole)).kind;
        let ExpressionKind::Binary {
            left: kept, right, ..
        } = kind
        else {
            return None;
        };
        (self.below_widening(*kept) == left).then_some(*right)
    }

    /// The variable that an assignment means; what cannot be assigned is reported.
    fn assigned_local(&mut self, target: &ast::Expression) -> Option<LocalId> {
        let place = self.place(target.span);
        let ast::ExpressionKind::Name(name) = &target.kind else {
            self.expression(target, &Expected::Anything);
            let report = errors::not_assignable(place, "this expression");
            let text = |of: &ast::Expression| source_text(self.db, self.item, of.span);
            self.report(
                if let ast::ExpressionKind::Field { base, name, .. } = &target.kind {
                    errors::assigned_field(report, &text(base), &name.name)
                } else if let ast::ExpressionKind::Index { base, .. } = &target.kind {
                    errors::assigned_element(report, &text(base))
                } else {
                    errors::assigned_value(report)
                },
            );
            return None;
        };
        let Some(local) = self.scopes.find(name) else {
            match gsw_names::resolve_name(self.db, self.file, name) {
                Some(definition) => {
                    let kind = match definition {
                        Definition::Item(item) => crate::infer::name::kind_text(item.kind(self.db)),
                        Definition::Variant { .. } => "variant",
                        Definition::Module(_) => "module",
                    };
                    let what = format!("the {kind} `{name}`");
                    self.report(errors::not_assignable(place, &what));
                }
                None => self.unknown_name(name, target.span),
            }
            return None;
        };
        self.refer(
            target.span,
            Reference::Local {
                part: self.part,
                local,
            },
        );
        let what = match self.scopes.local(local).kind {
            LocalKind::Var | LocalKind::State => return Some(local),
            LocalKind::Let => format!("`{name}`, which `let` binds once"),
            LocalKind::Parameter => format!("the parameter `{name}`"),
        };
        let mut report = errors::not_assignable(place, &what);
        if let Some(word) = self.scopes.let_word(local) {
            report = report.fix("declare it with `var`", self.place(word), "var");
        }
        let declared = self.place(self.scopes.local(local).span);
        self.report(report.label(declared, "bound here"));
        None
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

    /// The text of the program at a span of this item.
    fn source_text(&self, span: Span) -> Name {
        gsw_names::source_text(self.db, self.item, span)
    }
}

/// Whether an edit changes or stands at the edge of what is assigned to.
fn touches(edit: gsw_source::Place, target: gsw_source::Place) -> bool {
    let gsw_source::Place::Item { span: edit, .. } = edit else {
        return false;
    };
    let gsw_source::Place::Item { span: target, .. } = target else {
        return false;
    };
    edit.start <= target.end && edit.end >= target.start
}
