//! Expressions: which rule is in charge of which form.

use gsw_names::types::{Type, TypeVariable};
use gsw_source::Span;
use gsw_syntax::ast;

use crate::hir::{ExpressionId, ExpressionKind};
use crate::infer::context::{Context, Expected};
use crate::not_yet_supported::Missing;

impl Context<'_> {
    /// Infers an expression. With `Expected::Type` the result has that type, or it was reported.
    pub(super) fn expression(
        &mut self,
        expression: &ast::Expression,
        expected: &Expected,
    ) -> ExpressionId {
        // Nothing is known of an unbound variable, so branches had better agree first.
        if let Expected::Type(ty) = expected
            && let Some(variable) = self.unknown(ty)
        {
            let near = self.near(variable);
            let id = self.expression(expression, &near);
            return self.coerce(id, ty);
        }
        match &expression.kind {
            ast::ExpressionKind::Parenthesized(inner) => self.expression(inner, expected),
            ast::ExpressionKind::If {
                condition,
                then,
                otherwise,
            } => self.if_expression(
                condition,
                then,
                otherwise.as_deref(),
                expression.span,
                expected,
            ),
            ast::ExpressionKind::IfLet {
                pattern,
                value,
                then,
                otherwise,
            } => {
                let parts = (&**pattern, &**value, then, otherwise.as_deref());
                self.if_let(parts, expression.span, expected)
            }
            ast::ExpressionKind::Match { value, arms } => {
                self.match_expression(value, arms, expression.span, expected)
            }
            ast::ExpressionKind::Catch { value, arms } => {
                self.catch(value, arms, expression.span, expected)
            }
            ast::ExpressionKind::Do(block) => self.block(block, expected),
            ast::ExpressionKind::Step {
                name,
                modifiers,
                body,
            } => self.step(name, modifiers, body, expression.span, expected),
            ast::ExpressionKind::Modified { modifiers, body } => {
                self.modified(modifiers, body, expression.span, expected)
            }
            _ => {
                let id = self.plain(expression, expected);
                self.settle(id, expected)
            }
        }
    }

    /// The forms that have no branches; what is expected of them is a hint.
    fn plain(&mut self, expression: &ast::Expression, expected: &Expected) -> ExpressionId {
        let span = expression.span;
        match &expression.kind {
            ast::ExpressionKind::Literal(literal) => self.literal(literal, span, expected),
            ast::ExpressionKind::Interpolation(parts) => self.interpolation(parts, span),
            ast::ExpressionKind::Name(name) => self.name(name, span, expected.hint()),
            ast::ExpressionKind::Field { base, name, chain } => match chain {
                ast::Chain::Plain => self.field(base, name, span, expected.hint()),
                ast::Chain::Optional => self.chained_field(base, name, span),
            },
            ast::ExpressionKind::TupleField {
                base,
                index,
                index_span,
            } => self.tuple_field(base, *index, *index_span, span),
            ast::ExpressionKind::Index { base, index } => self.index(base, index, span),
            ast::ExpressionKind::Call {
                callee,
                arguments,
                arguments_span,
            } => {
                let call = crate::infer::call::Call {
                    arguments,
                    arguments_span: *arguments_span,
                    span,
                };
                self.call(callee, call, expected.hint())
            }
            ast::ExpressionKind::Record { path, fields, base } => {
                self.record(path, fields, base.as_deref(), span, expected.hint())
            }
            ast::ExpressionKind::List(elements) => self.list(elements, span, expected),
            ast::ExpressionKind::Map(entries) => self.map(entries, span, expected),
            ast::ExpressionKind::Unit => self.push(ExpressionKind::Unit, Type::Unit, span),
            ast::ExpressionKind::Tuple(elements) => self.tuple(elements, span, expected),
            ast::ExpressionKind::Lambda { parameters, body } => {
                self.lambda(parameters, body, span, expected.hint())
            }
            _ => self.operator_or_task(expression, expected),
        }
    }

    fn operator_or_task(
        &mut self,
        expression: &ast::Expression,
        expected: &Expected,
    ) -> ExpressionId {
        let span = expression.span;
        match &expression.kind {
            ast::ExpressionKind::Range {
                start,
                end,
                range_end,
            } => self.range(start, end, *range_end, span),
            ast::ExpressionKind::Unary { operator, operand } => {
                self.unary(*operator, operand, span)
            }
            ast::ExpressionKind::Binary {
                operator,
                operator_span,
                left,
                right,
            } => self.binary((*operator, *operator_span), left, right, span, expected),
            ast::ExpressionKind::As { value, ty } => self.conversion(value, ty, span),
            ast::ExpressionKind::For {
                pattern,
                iterable,
                body,
            } => self.for_loop(pattern, iterable, body, span),
            ast::ExpressionKind::While { condition, body } => {
                self.while_loop(condition, body, span)
            }
            ast::ExpressionKind::Return(value) => self.return_expression(value.as_deref(), span),
            ast::ExpressionKind::Break => self.break_expression(span),
            ast::ExpressionKind::Continue => self.push(ExpressionKind::Continue, Type::Never, span),
            ast::ExpressionKind::Fail(value) => self.fail(value, span),
            ast::ExpressionKind::Emit(value) => self.emit(value, span),
            _ => self.task_or_prompt(expression, expected),
        }
    }

    fn task_or_prompt(
        &mut self,
        expression: &ast::Expression,
        expected: &Expected,
    ) -> ExpressionId {
        let span = expression.span;
        match &expression.kind {
            ast::ExpressionKind::Spawn(value) => self.spawn(value, span, expected.hint()),
            ast::ExpressionKind::SpawnDetached(call) => self.spawn_detached(call, span),
            ast::ExpressionKind::Await(value) => self.await_expression(value, span),
            ast::ExpressionKind::Race(value) => self.race(value, span),
            ast::ExpressionKind::ParallelFor {
                pattern,
                iterable,
                modifiers,
                body,
            } => self.parallel_for((&**pattern, &**iterable), modifiers, body, span),
            ast::ExpressionKind::Parallel(parts) => self.parallel(parts, span),
            ast::ExpressionKind::Revise(_)
            | ast::ExpressionKind::By { .. }
            | ast::ExpressionKind::With { .. } => self.prompt_expression(expression, span),
            ast::ExpressionKind::Reflect { .. } => self.reflection(expression),
            ast::ExpressionKind::AllOf(base) => self.unsupported(base, Missing::AllOf, span),
            _ => self.invalid(span),
        }
    }

    fn unsupported(
        &mut self,
        inner: &ast::Expression,
        missing: Missing<'_>,
        span: Span,
    ) -> ExpressionId {
        self.expression(inner, &Expected::Anything);
        let place = self.place(span);
        self.report(missing.at(place));
        self.invalid(span)
    }

    /// What is expected of a part when `ty` is what is wanted of it.
    pub(super) fn part_of(&self, expected: &Expected, ty: &Type) -> Expected {
        let leans = |it| self.table.leaning(it).is_some();
        match (expected, self.unknown(ty)) {
            (Expected::Type(_), None) => Expected::Type(ty.clone()),
            (Expected::Type(_), Some(variable)) if leans(variable) => Expected::Type(ty.clone()),
            (Expected::Hint(_), None) => Expected::Hint(ty.clone()),
            _ => Expected::Anything,
        }
    }

    /// What is expected of the first value that an unbound variable stands for.
    pub(super) fn near(&self, variable: TypeVariable) -> Expected {
        match self.table.leaning(variable) {
            // Branches of different types have nothing in common but this.
            Some(Type::Json) => Expected::Type(Type::Json),
            Some(ty) => Expected::Hint(ty.clone()),
            None => Expected::Anything,
        }
    }
}
