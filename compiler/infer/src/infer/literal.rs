//! Literals and interpolated strings.

use gsw_names::types::{Type, is_media};
use gsw_source::{Name, Span, nearest};
use gsw_syntax::{ast, number_too_large};

use crate::errors::literals;
use crate::hir::{Coercion, ExpressionId, ExpressionKind, Part};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::table::Blame;
use crate::item_bodies::Requirement;

pub(super) fn infer_literal(
    hir: &mut HirBuilder,
    literal: &ast::Literal,
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    match literal {
        ast::Literal::Int(value) => push_int(hir, *value, span),
        ast::Literal::Float(bits) => hir.push(ExpressionKind::Float(*bits), Type::Float, span),
        ast::Literal::Bool(value) => hir.push(ExpressionKind::Bool(*value), Type::Bool, span),
        ast::Literal::Duration(nanoseconds) => {
            hir.push(ExpressionKind::Duration(*nanoseconds), Type::Duration, span)
        }
        ast::Literal::None => {
            let wanted = expected.hint().map(|it| hir.table.unchecked(it));
            // Any other hint is ignored: `none` where an `int` is wanted has its own type and is a mismatch.
            let is_usable = |it: &Type| matches!(it, Type::Optional(_) | Type::Json);
            let ty = match wanted.filter(is_usable) {
                Some(wanted) => wanted.optional(),
                None => hir.table.fresh(Blame::Binding).optional(),
            };
            hir.push(ExpressionKind::None, ty, span)
        }
        ast::Literal::String(text) => infer_string(hir, text, span, expected),
    }
}

/// An int literal. What no sign makes fit 64 bits was reported by the lexer; `9223372036854775808` is held for the minus of a literal,
/// and here is none: `5 - 9223372036854775808`, or `-9223372036854775808.abs()`, where it belongs to the whole.
pub(super) fn push_int(hir: &mut HirBuilder, value: Option<i128>, span: Span) -> ExpressionId {
    match value.map(i64::try_from) {
        Some(Ok(value)) => hir.push(ExpressionKind::Int(value), Type::Int, span),
        Some(Err(_)) => {
            let place = hir.place(span);
            hir.report(number_too_large(place));
            hir.invalid(span)
        }
        None => hir.invalid(span),
    }
}

fn infer_string(
    hir: &mut HirBuilder,
    text: &Name,
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    let kind = ExpressionKind::String(text.clone());
    // A variable per literal is what makes unions work; where a `string` is wanted it would only cost.
    if let Some(Type::String) = expected.hint().map(|it| hir.table.resolve(it)) {
        return hir.push(kind, Type::String, span);
    }
    let Some(literals) = expected.hint().and_then(|it| hir.table.wanted_literals(it)) else {
        let ty = hir.table.literal(text, span);
        return hir.push(kind, ty, span);
    };
    let ty = Type::Literals(literals.clone());
    if literals.contains(text) {
        return hir.push(kind, ty, span);
    }
    // Here the union is certain, so the report can name the nearest literal. Under a hint the literal may yet go elsewhere.
    if let Expected::Type(_) = expected {
        let suggestion = nearest(text, literals.iter());
        let place = hir.place(span);
        let wanted = hir.show(&ty);
        hir.report(literals::not_in_union(
            place,
            text,
            &wanted,
            suggestion.as_ref(),
        ));
        return hir.push(ExpressionKind::Invalid, ty, span);
    }
    let ty = hir.table.literal(text, span);
    hir.push(kind, ty, span)
}

/// The text of a `user` entry, which may hold images and documents.
pub(super) fn user_text(cx: &mut Context, text: &ast::Expression) -> ExpressionId {
    let ast::ExpressionKind::Interpolation(parts) = &text.kind else {
        return cx.expression(text, &Expected::Type(Type::String));
    };
    let text = interpolated(cx, parts, Shown::TextAndMedia, text.span);
    cx.hir.coerce(text, &Type::String)
}

pub(super) fn infer_interpolation(
    cx: &mut Context,
    parts: &[ast::StringPart],
    span: Span,
) -> ExpressionId {
    interpolated(cx, parts, Shown::Text, span)
}

fn interpolated(
    cx: &mut Context,
    parts: &[ast::StringPart],
    shown: Shown,
    span: Span,
) -> ExpressionId {
    let mut is_secret = false;
    let mut converted = Vec::with_capacity(parts.len());
    for part in parts {
        converted.push(match part {
            ast::StringPart::Text(text) => Part::Text(text.clone()),
            ast::StringPart::Expression(expression) => {
                let id = cx.expression(expression, &Expected::Anything);
                // A text that shows a secret is one: otherwise interpolation would be the way to log it.
                is_secret |= is_shown_secret(&mut cx.hir, id, shown);
                Part::Expression(id)
            }
        });
    }
    let ty = if is_secret {
        Type::Secret
    } else {
        Type::String
    };
    cx.hir
        .push(ExpressionKind::Interpolation(converted), ty, span)
}

/// Whether an interpolated value is a secret; one that has no text is reported.
fn is_shown_secret(hir: &mut HirBuilder, id: ExpressionId, shown: Shown) -> bool {
    let ty = hir.ty(id);
    let plain = hir.table.unchecked(&ty);
    let inside = if let Type::Optional(inner) = &plain {
        hir.table.unchecked(inner)
    } else {
        plain
    };
    if inside == Type::Secret {
        return true;
    }
    if shown == Shown::TextAndMedia && is_media(&hir.table.zonk(&ty)) {
        return false;
    }
    let span = hir.span(id);
    hir.require(Requirement::Json, &ty, span);
    false
}

/// A string that the compiler makes.
pub(super) fn push_text(hir: &mut HirBuilder, text: &str, span: Span) -> ExpressionId {
    hir.push(ExpressionKind::String(Name::new(text)), Type::String, span)
}

pub(super) fn as_json(hir: &mut HirBuilder, id: ExpressionId) -> ExpressionId {
    if hir.ty(id) == Type::Json {
        return id;
    }
    hir.converted(id, Coercion::ToJson, &Type::Json)
}

/// What an interpolated text may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Text,
    /// Images and documents as well.
    TextAndMedia,
}
