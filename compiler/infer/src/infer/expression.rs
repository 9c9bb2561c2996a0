//! Expressions: which rule is in charge of which form.

use gsw_names::types::{Type, TypeVariable};
use gsw_source::Span;
use gsw_syntax::ast;

use crate::hir::{ExpressionId, ExpressionKind};
use crate::infer::call::Call;
use crate::infer::context::{Context, Expected};
use crate::infer::operator::Infix;
use crate::infer::prompt::Override;
use crate::infer::table::Table;
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
            && let Some(variable) = self.table.unknown(ty)
        {
            let near = self.table.near(variable);
            let id = self.form(expression, &near);
            return self.coerce(id, ty);
        }
        self.form(expression, expected)
    }

    /// What is expected of a form without branches is a hint, settled in the end; one with branches expects it of each of them.
    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    fn form(&mut self, expression: &ast::Expression, expected: &Expected) -> ExpressionId {
        use ast::ExpressionKind as Kind;
        let span = expression.span;
        let hint = expected.hint();
        let id = match &expression.kind {
            Kind::Parenthesized(inner) => return self.expression(inner, expected),
            Kind::If {
                condition,
                then,
                otherwise,
            } => {
                let otherwise = otherwise.as_deref();
                return self.if_expression(condition, then, otherwise, span, expected);
            }
            Kind::Let { pattern, value } => self.misplaced_let(pattern, value, span),
            Kind::Match { value, arms } => {
                return self.match_expression(value, arms, span, expected);
            }
            Kind::Catch {
                value,
                arms,
                form: _,
            } => return self.catch(value, arms, span, expected),
            Kind::Do(block) => return self.block(block, expected),
            Kind::Step {
                name,
                modifiers,
                body,
            } => return self.step(name, modifiers, body, span, expected),
            Kind::Modified { modifiers, body } => {
                return self.modified(modifiers, body, span, expected);
            }
            Kind::Literal(literal) => self.literal(literal, span, expected),
            Kind::Interpolation(parts) => self.interpolation(parts, span),
            Kind::Name(name) => self.name(name, span, hint),
            Kind::Field { base, name, chain } => match chain {
                ast::Chain::Plain => self.field(base, name, span, hint),
                ast::Chain::Optional => self.chained_field(base, name, span),
            },
            Kind::TupleField {
                base,
                index,
                index_span,
            } => self.tuple_field(base, *index, *index_span, span),
            Kind::AllOf(base) => self.unsupported(base, Missing::AllOf, span),
            Kind::Index { base, index } => self.index(base, index, span),
            Kind::Call {
                callee,
                arguments,
                arguments_span,
            } => {
                let call = Call {
                    arguments,
                    arguments_span: *arguments_span,
                    span,
                };
                self.call(callee, call, hint)
            }
            Kind::Record { path, fields, base } => {
                self.record(path, fields, base.as_deref(), span, hint)
            }
            Kind::List(elements) => self.list(elements, span, expected),
            Kind::Map(entries) => self.map(entries, span, expected),
            Kind::Unit => self.push(ExpressionKind::Unit, Type::Unit, span),
            Kind::Tuple(elements) => self.tuple(elements, span, expected),
            Kind::Lambda { parameters, body } => self.lambda(parameters, body, span, hint),
            Kind::Range {
                start,
                end,
                range_end,
            } => self.range(start, end, *range_end, span),
            Kind::Unary { operator, operand } => self.unary(*operator, operand, span),
            Kind::Binary {
                operator,
                operator_span,
                left,
                right,
            } => {
                let infix = Infix {
                    operator_span: *operator_span,
                    left,
                    right,
                    span,
                };
                self.binary(*operator, infix, expected)
            }
            Kind::As { value, ty, form } => match form {
                ast::Conversion::Raising => self.conversion(value, ty, span),
                ast::Conversion::Optional => self.optional_conversion(value, ty, span),
            },
            Kind::For {
                pattern,
                iterable,
                body,
            } => self.for_loop(pattern, iterable, body, span),
            Kind::While { condition, body } => self.while_loop(condition, body, span),
            Kind::Return(value) => self.return_expression(value.as_deref(), span),
            Kind::Break => self.break_expression(span),
            Kind::Continue => self.push(ExpressionKind::Continue, Type::Never, span),
            Kind::Fail(value) => self.fail(value, span),
            Kind::Emit(value) => self.emit(value, span),
            Kind::Text { role, text } => self.said_text(*role, text, span),
            Kind::Spawn(value) => self.spawn(value, span, hint),
            Kind::SpawnDetached(call) => self.spawn_detached(call, span),
            Kind::Await(value) => self.await_expression(value, span),
            Kind::Race(value) => self.race(value, span),
            Kind::ParallelFor {
                pattern,
                iterable,
                modifiers,
                body,
            } => self.parallel_for(pattern, iterable, modifiers, body, span),
            Kind::Parallel(parts) => self.parallel(parts, span),
            Kind::Revise(call) => self.overridden(call, Override::Revise, span),
            Kind::By { call, agent } => self.overridden(call, Override::By(agent), span),
            Kind::With { call, settings } => self.overridden(call, Override::With(settings), span),
            Kind::Reflect { .. } => self.reflection(expression),
            Kind::Invalid => self.invalid(span),
        };
        self.settle(id, expected)
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
}

impl Table<'_> {
    /// What is expected of a part when `ty` is what is wanted of it.
    pub(super) fn part_of(&self, expected: &Expected, ty: &Type) -> Expected {
        let has_default = |it| self.default_type(it).is_some();
        match (expected, self.unknown(ty)) {
            (Expected::Type(_), None) => Expected::Type(ty.clone()),
            (Expected::Type(_), Some(variable)) if has_default(variable) => {
                Expected::Type(ty.clone())
            }
            (Expected::Hint(_), None) => Expected::Hint(ty.clone()),
            (Expected::Type(_) | Expected::Hint(_), Some(_))
            | (Expected::Anything | Expected::Dropped, _) => Expected::Anything,
        }
    }

    /// What is expected of the first value that an unbound variable stands for.
    pub(super) fn near(&self, variable: TypeVariable) -> Expected {
        match self.default_type(variable) {
            // Branches of different types have nothing in common but this.
            Some(Type::Json) => Expected::Type(Type::Json),
            Some(ty) => Expected::Hint(ty.clone()),
            None => Expected::Anything,
        }
    }
}
