//! Expressions: which rule is in charge of which form.

use gsw_names::KnownItem;
use gsw_names::types::Type;
use gsw_source::Span;
use gsw_syntax::ast;

use crate::errors::records;
use crate::hir::{ExpressionId, ExpressionKind};
use crate::infer::argument::Call;
use crate::infer::awaiting;
use crate::infer::call;
use crate::infer::collection;
use crate::infer::context::Context;
use crate::infer::control;
use crate::infer::conversation;
use crate::infer::conversion;
use crate::infer::expected::Expected;
use crate::infer::lambda;
use crate::infer::literal;
use crate::infer::method;
use crate::infer::name;
use crate::infer::operator::{self, Infix};
use crate::infer::parallel;
use crate::infer::prompt::{self, Override};
use crate::infer::record;
use crate::infer::reflection;
use crate::infer::workflow::{self, StepNames};

impl Context<'_> {
    /// Infers an expression. With `Expected::Type` the result has that type, or it was reported.
    pub(super) fn expression(
        &mut self,
        expression: &ast::Expression,
        expected: &Expected,
    ) -> ExpressionId {
        // Nothing is known of an unbound variable, so branches must agree first.
        if let Expected::Type(ty) = expected
            && let Some(variable) = self.hir.table.unknown(ty)
        {
            // Checking branches against the variable would bind it to the first branch's type and report the second; with no more than
            // a hint they are joined, and the join is what the variable is bound to.
            let near = self.hir.table.near(variable);
            let id = infer_form(self, expression, &near);
            return self.hir.coerce(id, ty);
        }
        // The parts of a literal become JSON one by one.
        if let (Expected::Type(ty), ast::ExpressionKind::Map(_) | ast::ExpressionKind::List(_)) =
            (expected, &expression.kind)
            && let Type::Enum(item, _) = self.hir.table.resolve(ty)
            && KnownItem::HttpBody.is(self.db, item)
        {
            let id = infer_form(self, expression, &Expected::Type(Type::Json));
            return self.hir.coerce(id, ty);
        }
        infer_form(self, expression, expected)
    }
}

/// What is expected of a form without branches is a hint, settled in the end; one with branches expects it of each of them.
#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
fn infer_form(cx: &mut Context, expression: &ast::Expression, expected: &Expected) -> ExpressionId {
    use ast::ExpressionKind as Kind;
    let span = expression.span;
    let hint = expected.hint();
    let id = match &expression.kind {
        // Arms that `return` pass `expected` on to their parts, which settle it; the others are settled below, once.
        Kind::Parenthesized(inner) => return cx.expression(inner, expected),
        Kind::If {
            condition,
            then,
            otherwise,
        } => {
            let otherwise = otherwise.as_deref();
            return control::infer_if(cx, condition, then, otherwise, span, expected);
        }
        Kind::Let { pattern, value } => control::misplaced_let(cx, pattern, value, span),
        Kind::Match { value, arms } => {
            return control::infer_match(cx, value, arms, span, expected);
        }
        Kind::Catch {
            value,
            arms,
            form: _,
        } => return control::infer_catch(cx, value, arms, span, expected),
        Kind::Do(block) => return cx.block(block, expected),
        Kind::Step {
            was,
            name,
            modifiers,
            body,
        } => {
            let names = StepNames {
                was: was.as_deref(),
                name,
            };
            return workflow::infer_step(cx, names, modifiers, body, span, expected);
        }
        Kind::Modified { modifiers, body } => {
            return workflow::infer_modified(cx, modifiers, body, span, expected);
        }
        Kind::Literal(literal) => literal::infer_literal(&mut cx.hir, literal, span, expected),
        Kind::Interpolation(parts) => literal::infer_interpolation(cx, parts, span),
        Kind::Name(name) => name::infer_name(cx, name, span, hint),
        Kind::Field { base, name, chain } => match chain {
            ast::Chain::Plain => method::infer_field(cx, base, name, span, hint),
            ast::Chain::Optional => method::infer_chained_field(cx, base, name, span),
        },
        Kind::TupleField {
            base,
            index,
            index_span,
        } => collection::infer_tuple_field(cx, base, *index, *index_span, span),
        Kind::AllOf(base) => infer_all_of(cx, base, span),
        Kind::Index { base, index } => collection::infer_index(cx, base, index, span),
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
            call::infer_call(cx, callee, call, hint)
        }
        Kind::Record { path, fields, base } => {
            record::infer_record(cx, path, fields, base.as_deref(), span, hint)
        }
        Kind::List(elements) => collection::infer_list(cx, elements, span, expected),
        Kind::Map(entries) => collection::infer_map(cx, entries, span, expected),
        Kind::Unit => cx.hir.push(ExpressionKind::Unit, Type::Unit, span),
        Kind::Tuple(elements) => collection::infer_tuple(cx, elements, span, expected),
        Kind::Lambda { parameters, body } => lambda::infer_lambda(cx, parameters, body, span, hint),
        Kind::Range {
            start,
            end,
            range_end,
        } => collection::infer_range(cx, start, end, *range_end, span),
        Kind::Unary { operator, operand } => operator::infer_unary(cx, *operator, operand, span),
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
            operator::infer_binary(cx, *operator, infix, expected)
        }
        Kind::As { value, ty, form } => match form {
            ast::Conversion::Raising => conversion::infer_conversion(cx, value, ty, span),
            ast::Conversion::Optional => conversion::infer_optional_conversion(cx, value, ty, span),
        },
        Kind::For {
            pattern,
            iterable,
            body,
        } => control::infer_for(cx, pattern, iterable, body, span),
        Kind::While { condition, body } => control::infer_while(cx, condition, body, span),
        Kind::Return(value) => control::infer_return(cx, value.as_deref(), span),
        Kind::Break => control::infer_break(cx, span),
        Kind::Continue => cx.hir.push(ExpressionKind::Continue, Type::Never, span),
        Kind::Fail(value) => control::infer_fail(cx, value, span),
        Kind::Emit(value) => control::infer_emit(cx, value, span),
        Kind::Text { role, text } => conversation::infer_text(cx, *role, text, span),
        Kind::Spawn(value) => workflow::infer_spawn(cx, value, span, hint),
        Kind::Undo { modifiers, body } => workflow::infer_undo(cx, modifiers, body, span),
        Kind::SpawnDetached(call) => workflow::infer_spawn_detached(cx, call, span),
        Kind::Await(value) => awaiting::infer_await(cx, value, span),
        Kind::Race { tasks, errors } => awaiting::infer_race(cx, tasks, errors.as_ref(), span),
        Kind::ParallelFor {
            pattern,
            iterable,
            modifiers,
            body,
        } => parallel::infer_parallel_for(cx, pattern, iterable, modifiers, body, (span, hint)),
        Kind::Parallel {
            branches,
            branches_span: _,
            errors,
        } => parallel::infer_parallel(cx, branches, errors.as_ref(), (span, hint)),
        Kind::Revise(call) => prompt::overridden(cx, call, Override::Revise, span),
        Kind::By { call, agent } => prompt::overridden(cx, call, Override::By(agent), span),
        Kind::With { call, settings } => {
            prompt::overridden(cx, call, Override::With(settings), span)
        }
        Kind::Reflect { .. } => reflection::infer_reflection(cx, expression),
        Kind::Invalid => cx.hir.invalid(span),
    };
    cx.hir.settle(id, expected)
}

/// `m.*` where no tools are listed.
fn infer_all_of(cx: &mut Context, base: &ast::Expression, span: Span) -> ExpressionId {
    let is_scope = cx.names().path(base).is_some();
    if !is_scope {
        // For the errors inside of it, and so that its names count as used.
        cx.expression(base, &Expected::Anything);
    }
    let text = gsw_names::source_text(cx.db, cx.hir.item, span);
    let place = cx.hir.place(span);
    cx.hir.report(records::all_of(place, &text));
    cx.hir.invalid(span)
}
