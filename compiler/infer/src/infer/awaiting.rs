//! `await` and `race`: what waits for tasks.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_source::Span;
use gsw_syntax::ast;

use crate::errors::{calls, elsewhere, values as errors};
use crate::hir::{ExpressionId, ExpressionKind, RacePolicy};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;

pub(super) fn infer_await(cx: &mut Context, value: &ast::Expression, span: Span) -> ExpressionId {
    let written = value;
    let value = cx.expression(value, &Expected::Anything);
    let ty = cx.hir.ty(value);
    match awaited(&mut cx.hir, &ty) {
        Some(ty) => cx.hir.push(ExpressionKind::Await(value), ty, span),
        None if matches!(ty, Type::Stream(_)) => not_awaitable(&mut cx.hir, "await", value, span),
        None if let Some(absence) = absence(&cx.hir, &ty) => {
            let (place, text) = (cx.hir.place(written.span), cx.hir.show(&ty));
            let report = errors::not_awaitable(place, "await", &text);
            cx.hir.report(match absence {
                Absence::OfAll => {
                    let word = Span::new(span.start, written.span.start);
                    let (word, end) = (cx.hir.place(word), cx.hir.place_after(written.span));
                    let fix = takes_method(written).then_some((word, end));
                    elsewhere::absent_task(report, fix)
                }
                Absence::OfElements => elsewhere::absent_tasks(report),
            });
            cx.hir.invalid(span)
        }
        None if waits_by_itself(written) => {
            let (place, text) = (cx.hir.place(written.span), cx.hir.show(&ty));
            let word = Span::new(span.start, written.span.start);
            let report = errors::not_awaitable(place, "await", &text);
            let word = cx.hir.place(word);
            let report = if let ast::ExpressionKind::Parallel { .. }
            | ast::ExpressionKind::ParallelFor { .. } = &written.kind
            {
                elsewhere::parallel_waits(report, word)
            } else if let ast::ExpressionKind::Race { .. } = &written.kind {
                elsewhere::race_waits(report, word)
            } else if let ast::ExpressionKind::SpawnDetached(_) = &written.kind {
                elsewhere::detached_gives_id(report, word)
            } else {
                elsewhere::calls_wait(report, word)
            };
            cx.hir.report(report);
            if let ast::ExpressionKind::SpawnDetached(_) = &written.kind {
                // The value of the run was wanted, which does not exist.
                return cx.hir.invalid(span);
            }
            // What the call gives is what was wanted.
            value
        }
        None => not_awaitable(&mut cx.hir, "await", value, span),
    }
}

/// Where tasks may be missing in a value that would else be awaited.
#[derive(Clone, Copy, Debug)]
enum Absence {
    /// `Task<T>?`, `[Task<T>]?`
    OfAll,
    /// `[Task<T>?]`
    OfElements,
}

fn absence(hir: &HirBuilder, ty: &Type) -> Option<Absence> {
    let is_optional = |ty: &Type| matches!(ty, Type::Optional(of) if holds_task(hir, of));
    let resolved = hir.table.resolve(ty);
    if is_optional(&resolved) {
        return Some(Absence::OfAll);
    }
    let Type::List(element) = resolved else {
        return None;
    };
    is_optional(&hir.table.resolve(&element)).then_some(Absence::OfElements)
}

fn holds_task(hir: &HirBuilder, ty: &Type) -> bool {
    let resolved = hir.table.resolve(ty);
    if let Type::List(element) = resolved {
        return holds_task(hir, &element);
    }
    matches!(resolved, Type::Task(_))
}

/// Whether a method may be called on it as it is written.
fn takes_method(value: &ast::Expression) -> bool {
    matches!(
        value.kind,
        ast::ExpressionKind::Name(_)
            | ast::ExpressionKind::Field { .. }
            | ast::ExpressionKind::TupleField { .. }
            | ast::ExpressionKind::Index { .. }
            | ast::ExpressionKind::Call { .. }
            | ast::ExpressionKind::Parenthesized(_)
    )
}

/// Whether it is a call or another form that waits where it has to, and gives no task.
fn waits_by_itself(value: &ast::Expression) -> bool {
    if let ast::ExpressionKind::Parenthesized(inner)
    | ast::ExpressionKind::By { call: inner, .. }
    | ast::ExpressionKind::With { call: inner, .. } = &value.kind
    {
        return waits_by_itself(inner);
    }
    matches!(
        value.kind,
        ast::ExpressionKind::Call { .. }
            | ast::ExpressionKind::Parallel { .. }
            | ast::ExpressionKind::ParallelFor { .. }
            | ast::ExpressionKind::Race { .. }
            | ast::ExpressionKind::SpawnDetached(_)
    )
}

fn awaited(hir: &mut HirBuilder, ty: &Type) -> Option<Type> {
    match hir.table.resolve(ty) {
        Type::Task(inner) => Some((*inner).clone()),
        // Lists and tuples of tasks are awaited as a whole, at any depth.
        Type::List(element) => Some(awaited(hir, &element)?.list()),
        Type::Tuple(parts) => {
            let parts: Option<Vec<Type>> = parts.iter().map(|it| awaited(hir, it)).collect();
            Some(Type::Tuple(parts?.into()))
        }
        // `tasks.map(t => await t)` before the type of `tasks` is known: whatever `t` is, it must be a task.
        Type::Variable(variable) => {
            let inner = hir.fresh();
            hir.table
                .bind(variable, &Type::Task(Arc::new(inner.clone())));
            Some(inner)
        }
        Type::Invalid => Some(Type::Invalid),
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::Map(..)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Function(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Text(_) => None,
    }
}

fn not_awaitable(
    hir: &mut HirBuilder,
    word: &str,
    value: ExpressionId,
    span: Span,
) -> ExpressionId {
    let place = hir.place(hir.span(value));
    let ty = hir.ty(value);
    let text = hir.show(&ty);
    let report = errors::not_awaitable(place, word, &text);
    let is_stream = matches!(hir.table.resolve(&ty), Type::Stream(_));
    let is_tuple = matches!(hir.table.resolve(&ty), Type::Tuple(_));
    hir.report(if is_stream {
        errors::whole_stream(report)
    } else if let Some(Absence::OfElements) = absence(hir, &ty) {
        elsewhere::absent_tasks(report)
    } else if is_tuple && word == "race" {
        errors::race_takes_list(report)
    } else {
        errors::spawned_first(report)
    });
    hir.invalid(span)
}

pub(super) fn infer_race(
    cx: &mut Context,
    value: &ast::Expression,
    errors: Option<&ast::Identifier>,
    span: Span,
) -> ExpressionId {
    let value = cx.expression(value, &Expected::Anything);
    let policy = errors.map_or(RacePolicy::First, |it| race_policy(&mut cx.hir, it));
    let ty = cx.hir.ty(value);
    let element = if let Type::List(element) = &ty {
        cx.hir.table.resolve(element)
    } else if ty == Type::Invalid {
        Type::Invalid
    } else {
        return not_awaitable(&mut cx.hir, "race", value, span);
    };
    // Checked before `awaited`, which would also take a list of lists: a race is between single tasks.
    if !matches!(element, Type::Task(_) | Type::Variable(_) | Type::Invalid) {
        return not_awaitable(&mut cx.hir, "race", value, span);
    }
    let ty = awaited(&mut cx.hir, &element).unwrap_or(Type::Invalid);
    let kind = ExpressionKind::Race {
        tasks: value,
        policy,
    };
    cx.hir.push(kind, ty, span)
}

/// The name after `errors` of a `race`.
fn race_policy(hir: &mut HirBuilder, name: &ast::Identifier) -> RacePolicy {
    match name.name.as_str() {
        "first" => RacePolicy::First,
        "merge" => RacePolicy::Merge,
        _ => {
            let place = hir.place(name.span);
            hir.report(calls::wrong_race_policy(place));
            RacePolicy::First
        }
    }
}
