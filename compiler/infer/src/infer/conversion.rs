//! `x as T`, `x as? T`.

use gsw_abi::builtin::BuiltinError;
use gsw_names::builtin_item;
use gsw_names::types::Type;
use gsw_source::Span;
use gsw_syntax::ast;

use crate::errors::values as errors;
use crate::hir::{Arm, Coercion, ExpressionId, ExpressionKind, Pattern, PatternKind};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::{literal, lookup, reflection};
use crate::item_bodies::Requirement;

pub(super) fn infer_conversion(
    cx: &mut Context,
    value: &ast::Expression,
    ty: &ast::TypeExpression,
    span: Span,
) -> ExpressionId {
    let target = cx.written_type(ty);
    // To `json` every value converts that can, so this is an ordinary conversion, with its ordinary report.
    if target == Type::Json {
        return cx.expression(value, &Expected::Type(target));
    }
    let value = converted_operand(cx, value);
    convert(&mut cx.hir, value, target, ty, span)
}

/// `x as? T`: `none` where `x as T` would raise, or where `x` is `none` itself. What raises in `x` is raised.
pub(super) fn infer_optional_conversion(
    cx: &mut Context,
    value: &ast::Expression,
    ty: &ast::TypeExpression,
    span: Span,
) -> ExpressionId {
    let target = cx.written_type(ty);
    let value = converted_operand(cx, value);
    let Type::Optional(inner) = cx.hir.table.unchecked(&cx.hir.ty(value)) else {
        return convert_if_it_fits(cx, value, target, ty, span);
    };
    let whole = target.clone().optional();
    let local = cx.hir.hidden_local((*inner).clone(), span);
    let inside = cx.hir.local_value(local, span);
    let body = convert_if_it_fits(cx, inside, target, ty, span);
    let kind = ExpressionKind::Chain {
        base: value,
        local,
        body,
    };
    cx.hir.push(kind, whole, span)
}

fn convert_if_it_fits(
    cx: &mut Context,
    value: ExpressionId,
    target: Type,
    ty: &ast::TypeExpression,
    span: Span,
) -> ExpressionId {
    let whole = target.clone().optional();
    let operand_span = cx.hir.span(value);
    let mut statements = Vec::new();
    // `x` is evaluated outside of the `catch`: in `json.parse(text) as? T` what parsing raises is no failed conversion.
    let local = reflection::named(&mut cx.hir, value, &mut statements);
    let operand = cx.hir.local_value(local, operand_span);
    let converted = convert(&mut cx.hir, operand, target, ty, span);
    // Reading JSON and text raises the error, a check of values in code the fault.
    let raised = if matches!(cx.hir.arena.get(converted).kind, ExpressionKind::As(_)) {
        BuiltinError::DecodeError
    } else {
        BuiltinError::AssertionFailed
    };
    let Some(item) = builtin_item(cx.db, raised) else {
        return cx.hir.push(ExpressionKind::Invalid, whole, span);
    };
    let value = cx.hir.coerce(converted, &whole);
    let pattern = Pattern {
        kind: PatternKind::Error {
            item,
            fields: Vec::new(),
        },
        ty: Type::Error,
        span,
    };
    let arm = Arm {
        pattern,
        guard: None,
        body: cx.hir.push(ExpressionKind::None, whole.clone(), span),
    };
    let kind = ExpressionKind::Catch {
        value,
        arms: vec![arm],
    };
    let tail = Some(cx.hir.push(kind, whole.clone(), span));
    cx.hir
        .push(ExpressionKind::Block { statements, tail }, whole, span)
}

/// The value that is converted.
fn converted_operand(cx: &mut Context, value: &ast::Expression) -> ExpressionId {
    // A literal in front of `as` is JSON that is to be read.
    let is_literal = matches!(
        value.kind,
        ast::ExpressionKind::Map(_) | ast::ExpressionKind::List(_)
    );
    let wanted = if is_literal {
        Expected::Type(Type::Json)
    } else {
        Expected::Anything
    };
    cx.expression(value, &wanted)
}

fn convert(
    hir: &mut HirBuilder,
    value: ExpressionId,
    target: Type,
    ty: &ast::TypeExpression,
    span: Span,
) -> ExpressionId {
    let actual = hir.ty(value);
    let (from, to) = (hir.table.unchecked(&actual), hir.table.unchecked(&target));
    if from == Type::Invalid || to == Type::Invalid {
        return hir.push(ExpressionKind::Invalid, target, span);
    }
    // A checked alias of `json` is read like any other target, because its check can fail.
    if from == Type::Json && target != Type::Json {
        hir.require(Requirement::Json, &target, ty.span);
        return hir.push(ExpressionKind::As(value), target, span);
    }
    // Before `try_coerce`, which would limit a literal's type to the union: with `as` the text is tested when it runs.
    if let Type::Literals(all) = &to {
        if matches!(from, Type::String | Type::Text(_)) {
            let value = hir.coerce(value, &Type::String);
            return hir.push(ExpressionKind::As(value), target, span);
        }
        if let Type::Literals(some) = &from
            && !some.iter().all(|it| all.contains(it))
        {
            let value = hir.converted(value, Coercion::Widen, &Type::String);
            return hir.push(ExpressionKind::As(value), target, span);
        }
    }
    // The name of a variant without payload is its JSON.
    if is_plain_enum(hir, &to) && matches!(from, Type::String | Type::Text(_) | Type::Literals(_)) {
        let text = hir.coerce(value, &Type::String);
        let json = literal::as_json(hir, text);
        return hir.push(ExpressionKind::As(json), target, span);
    }
    if let Some(converted) = hir.try_coerce(value, &target) {
        return converted;
    }
    not_convertible(hir, value, &target, span);
    hir.push(ExpressionKind::Invalid, target, span)
}

/// Whether all values of a type are names of variants.
fn is_plain_enum(hir: &HirBuilder, ty: &Type) -> bool {
    let Type::Enum(item, _) = ty else {
        return false;
    };
    let mut variants = lookup::variants(hir.db, *item).iter();
    variants.all(|it| it.fields.is_empty())
}

/// Reports an `x as T` that does not exist, with the method that converts where there is one.
fn not_convertible(hir: &mut HirBuilder, value: ExpressionId, target: &Type, span: Span) {
    let actual = hir.ty(value);
    let (place, from, to) = (hir.place(span), hir.show(&actual), hir.show(target));
    let report = errors::invalid_conversion(place, &from, &to);
    let (from, to) = (hir.table.operand(&actual), hir.table.operand(target));
    if from == Type::Secret {
        hir.report(errors::secret_stays(report));
        return;
    }
    let method = if to == Type::String {
        Some(".to_string()")
    } else if from == Type::Int && to == Type::Float {
        Some(".to_float()")
    } else if from == Type::Float && to == Type::Int {
        Some(".to_int()")
    } else {
        None
    };
    let text = gsw_names::source_text(hir.db, hir.item, hir.span(value));
    hir.report(match method {
        Some(method) => errors::method_converts(report, place, &text, method),
        None if from == Type::String => errors::parse_number(report),
        None => report,
    });
}
