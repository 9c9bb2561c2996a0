//! Blocks and statements.

use gsw_names::lower_type;
use gsw_names::types::Type;
use gsw_source::{Name, Span};
use gsw_syntax::ast;

use crate::errors::testing;
use crate::errors::values as errors;
use crate::hir::{ExpressionId, ExpressionKind, LocalKind, Statement, StatementKind};
use crate::infer::assignment;
use crate::infer::context::Context;
use crate::infer::control;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::mismatch;
use crate::infer::mock;
use crate::infer::pattern::Place;
use crate::infer::script;
use crate::infer::table::Side;

impl Context<'_> {
    /// `{ … }`, with a scope of its own.
    pub(super) fn block(&mut self, block: &ast::Block, expected: &Expected) -> ExpressionId {
        self.scoped(|cx| open_block(cx, block, expected))
    }
}

fn open_block(cx: &mut Context, block: &ast::Block, expected: &Expected) -> ExpressionId {
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
        diverges |= infer_statement(cx, statement, &mut statements);
    }
    // A block that is left before its end gives no value, so it fits whatever is wanted.
    let without_value = |diverges| if diverges { Type::Never } else { Type::Unit };
    let Some(tail) = tail else {
        let ty = without_value(diverges);
        return end_block(&mut cx.hir, block, statements, ty, expected);
    };
    // A dropped tail is a statement like the others, so `if` and `match` at the end of a loop's body need not agree on a type.
    if let Expected::Dropped = expected {
        let id = cx.expression(tail, expected);
        diverges |= cx.hir.ty(id) == Type::Never;
        let kind = StatementKind::Expression(id);
        statements.push(Statement {
            kind,
            span: tail.span,
        });
        let ty = without_value(diverges);
        return end_block(&mut cx.hir, block, statements, ty, expected);
    }
    let tail = cx.expression(tail, expected);
    let ty = cx.hir.ty(tail);
    cx.hir.push(
        ExpressionKind::Block {
            statements,
            tail: Some(tail),
        },
        ty,
        block.span,
    )
}

/// A block that ends without a value, and has the type `ty` then.
fn end_block(
    hir: &mut HirBuilder,
    block: &ast::Block,
    statements: Vec<Statement>,
    ty: Type,
    expected: &Expected,
) -> ExpressionId {
    let is_unit = ty == Type::Unit;
    let id = hir.push(
        ExpressionKind::Block {
            statements,
            tail: None,
        },
        ty,
        block.span,
    );
    match expected {
        Expected::Type(wanted) if is_unit => {
            if let Some(id) = hir.try_coerce(id, wanted) {
                return id;
            }
            let end = Span::new(block.span.end.saturating_sub(1), block.span.end);
            let (place, text) = (hir.place(end), hir.show(wanted));
            let report = errors::no_value(place, &text);
            let is_map = matches!(hir.table.operand(wanted), Type::Map(..) | Type::Json);
            hir.report(if is_map && mismatch::is_empty_block(hir, block.span) {
                let text = mismatch::empty_map_for(hir, block.span);
                errors::empty_map(report, hir.place(block.span), text)
            } else {
                report
            });
            hir.push(ExpressionKind::Invalid, wanted.clone(), block.span)
        }
        Expected::Anything | Expected::Dropped | Expected::Hint(_) | Expected::Type(_) => {
            hir.settle(id, expected)
        }
    }
}

/// Adds what a statement does. True when nothing after it is reached.
#[expect(
    clippy::too_many_lines,
    reason = "one arm a form: rustc names what a new form must join"
)]
pub(super) fn infer_statement(
    cx: &mut Context,
    statement: &ast::Statement,
    out: &mut Vec<Statement>,
) -> bool {
    let span = statement.span;
    let kind = match &statement.kind {
        ast::StatementKind::Let {
            pattern,
            ty,
            value,
            otherwise,
        } => match otherwise {
            Some(otherwise) => {
                control::infer_let_else(cx, pattern, ty.as_ref(), value, otherwise, span)
            }
            None => infer_let(cx, pattern, ty.as_ref(), value, span),
        },
        ast::StatementKind::Var { pattern, ty, value } => {
            if let ast::PatternKind::Binding(name) = &pattern.kind {
                infer_variable(cx, name, ty.as_ref(), value, LocalKind::Var)
            } else {
                let kind = infer_let(cx, pattern, ty.as_ref(), value, span);
                out.push(Statement { kind, span });
                // `var (a, b) = …` binds hidden names by `let` and gives each to a variable, since patterns bind once.
                return infer_variables(cx, out, ty.as_ref());
            }
        }
        ast::StatementKind::State { name, ty, value } => {
            infer_variable(cx, name, Some(ty), value, LocalKind::State)
        }
        ast::StatementKind::Assign {
            target,
            operator,
            value,
        } => {
            if *operator == ast::AssignOperator::Set
                && let ast::ExpressionKind::Tuple(_) = &target.kind
            {
                return assignment::assign_tuple(cx, target, value, span, out);
            }
            match assignment::assign(cx, target, *operator, value, span) {
                Some(kind) => kind,
                None => return false,
            }
        }
        ast::StatementKind::Expression(value) => {
            StatementKind::Expression(cx.expression(value, &Expected::Dropped))
        }
        ast::StatementKind::Defer(body) => StatementKind::Defer(cx.block(body, &Expected::Dropped)),
        ast::StatementKind::Assert {
            value,
            expectation,
            message,
        } => infer_assert(cx, value, expectation, message.as_ref()),
        ast::StatementKind::Mock {
            calls,
            target,
            arguments,
            rest,
            outcomes,
        } => {
            let arguments = (arguments.as_slice(), *rest);
            match mock::infer_mock(cx, calls.as_ref(), target, arguments, outcomes, span) {
                Some(kind) => kind,
                None => return false,
            }
        }
        ast::StatementKind::MockAgent {
            agent,
            script,
            braces: _,
        } => match script::infer_script(cx, agent, script) {
            Some(kind) => kind,
            None => return false,
        },
        ast::StatementKind::Invalid => return false,
    };
    let diverges = match &kind {
        StatementKind::Let { value, .. }
        | StatementKind::Var { value, .. }
        | StatementKind::Assign { value, .. }
        | StatementKind::Expression(value) => cx.hir.ty(*value) == Type::Never,
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

impl Context<'_> {
    /// A type written in the body.
    pub(super) fn written_type(&mut self, ty: &ast::TypeExpression) -> Type {
        lower_type(
            self.db,
            self.file,
            self.generics,
            ty,
            self.hir.findings.diagnostics_mut(),
            self.hir.item,
        )
    }
}

fn infer_let(
    cx: &mut Context,
    pattern: &ast::Pattern,
    ty: Option<&ast::TypeExpression>,
    value: &ast::Expression,
    span: Span,
) -> StatementKind {
    let wanted = match ty {
        Some(ty) => Expected::Type(cx.written_type(ty)),
        None => Expected::Anything,
    };
    let mut id = cx.expression(value, &wanted);
    if let ast::ExpressionKind::If {
        otherwise: None, ..
    } = &value.kind
        && ty.is_none()
    {
        let start = value.span.start;
        let place = cx.hir.place(Span::new(start, start + 2));
        cx.hir.report(errors::named_without_else(place));
        id = cx.hir.invalid(value.span);
    }
    let value = id;
    let ty = match (cx.hir.ty(value), wanted) {
        // What is wrong with the value says nothing against the type that is written.
        (Type::Invalid, Expected::Type(written)) => written,
        // What is wrong with the type that is written says nothing of how the name is used.
        (_, Expected::Type(Type::Invalid)) => Type::Invalid,
        (ty, _) => ty,
    };
    // All locals from here on are those of the pattern: the value has been inferred and added its own.
    let first = cx.hir.locals.next();
    let pattern = cx.pattern(pattern, &ty, Place::Binding);
    let word = Span::new(span.start, span.start + 3);
    cx.scopes.add_let(first, cx.hir.locals.next(), word);
    StatementKind::Let { pattern, value }
}

/// The variables for the names that the `let` at the end of `out` has just bound. True when nothing after it is reached.
/// With a type that is written they are of what it says, as a single variable is.
fn infer_variables(
    cx: &mut Context,
    out: &mut Vec<Statement>,
    written: Option<&ast::TypeExpression>,
) -> bool {
    let bound = cx.pattern_names.take_bound();
    cx.hir
        .findings
        // Otherwise renaming `a` would find two locals at one place.
        .forget_locals(|local| bound.iter().any(|(_, it)| *it == local));
    for (name, local) in &bound {
        let span = cx.hir.locals.local(*local).span;
        let value = cx.hir.local_value(*local, span);
        let ty = match written {
            Some(_) => cx.hir.ty(value),
            None => variable_type(&mut cx.hir, value),
        };
        let value = cx.hir.coerce(value, &ty);
        let local = cx.declare(name, ty, LocalKind::Var, span);
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
    values.next().is_some_and(|it| cx.hir.ty(it) == Type::Never)
}

fn infer_variable(
    cx: &mut Context,
    name: &ast::Identifier,
    ty: Option<&ast::TypeExpression>,
    value: &ast::Expression,
    kind: LocalKind,
) -> StatementKind {
    let wanted = match ty {
        Some(ty) => Expected::Type(cx.written_type(ty)),
        None => Expected::Anything,
    };
    let value = cx.expression(value, &wanted);
    let ty = match wanted {
        Expected::Type(ty) => ty,
        Expected::Anything | Expected::Dropped | Expected::Hint(_) => {
            variable_type(&mut cx.hir, value)
        }
    };
    let value = cx.hir.coerce(value, &ty);
    let local = cx.declare(&name.name, ty, kind, name.span);
    StatementKind::Var { local, value }
}

/// The type of a variable that `value` is given to at first. What is assigned later need not pass the same check, and
/// says whether the variable holds more than literals of a union.
fn variable_type(hir: &mut HirBuilder, value: ExpressionId) -> Type {
    let ty = hir.ty(value);
    let plain = hir.table.unchecked(&ty);
    if matches!(plain, Type::Literals(_) | Type::Text(_)) {
        return hir.table.text_above(&plain);
    }
    hir.table.loosened(&plain, Side::Above)
}

/// The parts of `assert(condition, "why")`, as it is called in other languages, which is reported.
fn called<'a>(
    cx: &mut Context,
    value: &'a ast::Expression,
) -> Option<(&'a ast::Expression, &'a ast::Expression)> {
    let ast::ExpressionKind::Tuple(parts) = &value.kind else {
        return None;
    };
    let [condition, why] = &parts[..] else {
        return None;
    };
    let text = |it: &ast::Expression| source_text(&cx.hir, it.span);
    let better = format!("{}, {}", text(condition), text(why));
    let report = testing::assert_as_call(cx.hir.place(value.span), &better);
    cx.hir.report(report);
    Some((condition, why))
}

fn infer_assert(
    cx: &mut Context,
    value: &ast::Expression,
    expectation: &ast::AssertExpectation,
    message: Option<&ast::Expression>,
) -> StatementKind {
    let source = source_text(&cx.hir, value.span);
    match expectation {
        ast::AssertExpectation::Holds => {
            if let Some(shown) = snapshot(cx, value) {
                let value = cx.expression(shown, &Expected::Type(Type::Json));
                return StatementKind::AssertSnapshot { value };
            }
            let (value, message) = match called(cx, value).filter(|_| message.is_none()) {
                Some((condition, why)) => (condition, Some(why)),
                None => (value, message),
            };
            let condition = cx.expression(value, &Expected::Type(Type::Bool));
            let message = message.map(|it| cx.expression(it, &Expected::Type(Type::String)));
            StatementKind::Assert {
                condition,
                message,
                source,
            }
        }
        ast::AssertExpectation::Fails(pattern) => {
            let value = cx.expression(value, &Expected::Dropped);
            let pattern = cx.scoped(|it| it.pattern(pattern, &Type::Error, Place::Top));
            StatementKind::AssertFails {
                value,
                pattern,
                source,
            }
        }
    }
}

/// What is kept by `snapshot(e)`, which means that right after `assert` alone, and only where nothing else is called so.
fn snapshot<'a>(cx: &Context, value: &'a ast::Expression) -> Option<&'a ast::Expression> {
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
        && cx.scopes.find(name).is_none()
        && gsw_names::resolve_name(cx.db, cx.file, name).is_none();
    is_own.then_some(value)
}

/// The text of the program at a span of this item.
fn source_text(hir: &HirBuilder, span: Span) -> Name {
    gsw_names::source_text(hir.db, hir.item, span)
}
