//! `a ?? b`.

use gsw_names::source_text;
use gsw_names::types::Type;
use gsw_source::{Diagnostic, Span};
use gsw_syntax::ast;

use crate::errors::habits;
use crate::errors::values as errors;
use crate::hir::{Arm, Callee, ExpressionId, ExpressionKind, Pattern, PatternKind};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;

pub(super) fn infer_otherwise(
    cx: &mut Context,
    value: &ast::Expression,
    fallback: &ast::Expression,
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    // A hint, since the left side may be of another type than the whole: only its inside is converted.
    let wanted = expected.hint().map_or(Expected::Anything, |it| {
        Expected::Hint(it.clone().optional())
    });
    let value = cx.expression(value, &wanted);
    let ty = cx.hir.ty(value);
    let inner = if let Type::Optional(inner) = &ty {
        cx.hir.table.resolve(inner)
    } else if let Type::Variable(variable) = ty {
        let inner = cx.hir.fresh();
        cx.hir.table.bind(variable, &inner.clone().optional());
        inner
    } else {
        if !matches!(ty, Type::Invalid | Type::Never) {
            let (place, text) = (cx.hir.place(cx.hir.span(value)), cx.hir.show(&ty));
            let report = errors::needless_fallback(place, &text);
            let report = instead_of_fallback(&cx.hir, value, fallback.span, report);
            cx.hir.report(report);
        }
        cx.expression(fallback, &Expected::Hint(ty));
        return value;
    };
    // Both sides are converted to what is wanted one by one, as branches are; joining first could fail where each side converts.
    if let Expected::Type(ty) = expected
        && !cx.hir.table.is_open(ty)
    {
        let fallback = cx.expression(fallback, expected);
        return otherwise_of(&mut cx.hir, value, fallback, ty.clone(), span);
    }
    // To these other types convert, so a join from below would not find them.
    let near = if matches!(inner, Type::Json | Type::Secret | Type::Function(_)) {
        Expected::Type(inner.clone())
    } else {
        Expected::Hint(inner.clone())
    };
    let fallback = cx.expression(fallback, &near);
    let other = cx.hir.ty(fallback);
    let Some(joined) = cx.hir.table.join_types(&inner, &other) else {
        let fallback = cx.hir.coerce(fallback, &inner);
        return cx
            .hir
            .push(ExpressionKind::Otherwise { value, fallback }, inner, span);
    };
    let fallback = cx.hir.coerce(fallback, &joined);
    otherwise_of(&mut cx.hir, value, fallback, joined, span)
}

/// What to write instead of `??` after a value that exists or raises an error.
fn instead_of_fallback(
    hir: &HirBuilder,
    value: ExpressionId,
    fallback: Span,
    report: Diagnostic,
) -> Diagnostic {
    let text = |span| source_text(hir.db, hir.item, span);
    let kind = &hir.arena.get(value).kind;
    if let ExpressionKind::Index { base, index } = kind {
        let (base, index) = (text(hir.span(*base)), text(hir.span(*index)));
        let get = format!("{base}.get({index})");
        return habits::element_or_default(report, hir.place(hir.span(value)), &get);
    }
    if let ExpressionKind::Call {
        callee: Callee::Item { item, .. },
        ..
    } = kind
        && let Some(throws) = &lookup::signature(hir.db, *item).throws
        && let Some(error) = throws.kinds.iter().next()
    {
        return habits::caught_default(report, &error.name, &text(fallback));
    }
    report
}

/// `a ?? b` where both are to be of one type, which `b` already is.
fn otherwise_of(
    hir: &mut HirBuilder,
    value: ExpressionId,
    fallback: ExpressionId,
    joined: Type,
    span: Span,
) -> ExpressionId {
    let optional = joined.clone().optional();
    match hir.try_coerce(value, &optional) {
        Some(value) => hir.push(ExpressionKind::Otherwise { value, fallback }, joined, span),
        None => converted_otherwise(hir, value, fallback, joined, span),
    }
}

/// `a ?? b` where the inside of `a` must be converted: a `match` that does it.
fn converted_otherwise(
    hir: &mut HirBuilder,
    value: ExpressionId,
    fallback: ExpressionId,
    joined: Type,
    span: Span,
) -> ExpressionId {
    let optional = hir.ty(value);
    let Type::Optional(inner) = &optional else {
        return hir.coerce(value, &joined);
    };
    let value_span = hir.span(value);
    let local = hir.hidden_local((**inner).clone(), value_span);
    let inside = hir.local_value(local, value_span);
    let inside = hir.coerce(inside, &joined);
    let pattern = |kind, ty: &Type| Pattern {
        kind,
        ty: ty.clone(),
        span: value_span,
    };
    let binding = pattern(PatternKind::Binding(local), inner);
    let arms = vec![
        Arm {
            pattern: pattern(PatternKind::Some(Box::new(binding)), &optional),
            guard: None,
            body: inside,
        },
        Arm {
            pattern: pattern(PatternKind::Wildcard, &optional),
            guard: None,
            body: fallback,
        },
    ];
    hir.push(ExpressionKind::Match { value, arms }, joined, span)
}
