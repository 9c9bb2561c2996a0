//! Lists, maps, tuples, ranges and what reaches into them.

use std::sync::Arc;

use gsw_names::types::{Type, TypeVariable};
use gsw_source::Span;
use gsw_syntax::ast;

use crate::errors::{records, values as errors};
use crate::hir::{ExpressionId, ExpressionKind, Local, RangeEnd};
use crate::infer::coerce::Siblings;
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::table::{Blame, Table};
use crate::item_bodies::Requirement;

/// What is wanted of a collection literal: below checks and `?`.
fn wanted_collection(table: &Table, expected: &Expected) -> Option<Type> {
    let mut ty = table.unchecked(expected.hint()?);
    if let Type::Optional(inner) = &ty {
        ty = table.unchecked(inner);
    }
    Some(ty)
}

pub(super) fn infer_list(
    cx: &mut Context,
    elements: &[ast::Expression],
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    let whole = wanted_collection(&cx.hir.table, expected);
    let (wanted, part) = if let Some(Type::List(element)) = &whole {
        // Beside a `[json]`, as in `all += [1]`, nothing else can be meant.
        let part = if **element == Type::Json {
            Expected::Type(Type::Json)
        } else {
            cx.hir.table.part_of(expected, element)
        };
        (Some((**element).clone()), part)
    } else if whole == Some(Type::Json) {
        (
            Some(Type::Json),
            cx.hir.table.part_of(expected, &Type::Json),
        )
    } else {
        (None, Expected::Anything)
    };
    let ids: Vec<_> = elements.iter().map(|it| cx.expression(it, &part)).collect();
    let (element, ids) = side(
        &mut cx.hir,
        ids,
        &part,
        wanted.as_ref(),
        errors::PartsOf::List,
    );
    cx.hir.push(ExpressionKind::List(ids), element.list(), span)
}

fn joined_elements(
    hir: &mut HirBuilder,
    ids: Vec<ExpressionId>,
    of: errors::PartsOf,
) -> (Type, Vec<ExpressionId>) {
    let (ty, ids) = hir.join(ids, Siblings::Parts(of));
    if ty == Type::Never {
        // Elements that never give a value leave the element type open.
        (hir.fresh(), ids)
    } else {
        (ty, ids)
    }
}

pub(super) fn infer_map(
    cx: &mut Context,
    entries: &[ast::MapEntry],
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    let whole = wanted_collection(&cx.hir.table, expected);
    let wanted = if let Some(Type::Map(key, value)) = whole {
        Some(((*key).clone(), (*value).clone()))
    } else if whole != Some(Type::Json) {
        None
    } else if entries.is_empty() {
        Some((Type::String, Type::Json))
    } else {
        // Keys of several types have a text; which one they are is for them to say.
        Some((cx.hir.fresh(), Type::Json))
    };
    let (key_part, value_part) = match &wanted {
        Some((key, value)) => (
            cx.hir.table.part_of(expected, key),
            cx.hir.table.part_of(expected, value),
        ),
        None => (Expected::Anything, Expected::Anything),
    };
    let mut keys = Vec::with_capacity(entries.len());
    let mut values = Vec::with_capacity(entries.len());
    for entry in entries {
        keys.push(cx.expression(&entry.key, &key_part));
        values.push(cx.expression(&entry.value, &value_part));
    }
    let (key, keys) = side(
        &mut cx.hir,
        keys,
        &key_part,
        wanted.as_ref().map(|it| &it.0),
        errors::PartsOf::Keys,
    );
    let (value, values) = side(
        &mut cx.hir,
        values,
        &value_part,
        wanted.as_ref().map(|it| &it.1),
        errors::PartsOf::Map,
    );
    cx.hir.require(Requirement::Key, &key, span);
    let entries = keys.into_iter().zip(values).collect();
    let ty = Type::Map(Arc::new(key), Arc::new(value));
    cx.hir.push(ExpressionKind::Map(entries), ty, span)
}

/// The elements of a list literal, or the keys or values of a map literal, and their type.
fn side(
    hir: &mut HirBuilder,
    ids: Vec<ExpressionId>,
    part: &Expected,
    wanted: Option<&Type>,
    of: errors::PartsOf,
) -> (Type, Vec<ExpressionId>) {
    if let Expected::Type(ty) = part {
        // The elements were checked one by one against it; joining would lose the wanted type where all of them are narrower.
        return (ty.clone(), ids);
    }
    if !ids.is_empty() {
        return joined_elements(hir, ids, of);
    }
    match wanted {
        Some(ty) => (ty.clone(), ids),
        // An empty literal is the one place where nothing can say the type, so here the user is asked to.
        None => (hir.table.fresh(Blame::Binding), ids),
    }
}

pub(super) fn infer_tuple(
    cx: &mut Context,
    elements: &[ast::Expression],
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    let wanted = wanted_collection(&cx.hir.table, expected);
    let mut ids = Vec::with_capacity(elements.len());
    let mut types = Vec::with_capacity(elements.len());
    for (index, element) in elements.iter().enumerate() {
        let part = if let Some(Type::Tuple(wanted)) = &wanted
            && wanted.len() == elements.len()
        {
            cx.hir.table.part_of(expected, &wanted[index])
        } else if wanted == Some(Type::Json) {
            cx.hir.table.part_of(expected, &Type::Json)
        } else {
            Expected::Anything
        };
        let id = cx.expression(element, &part);
        // A tuple keeps the type of each part, so there is nothing to join; a wanted type is settled by the caller's `coerce`.
        types.push(cx.hir.ty(id));
        ids.push(id);
    }
    cx.hir
        .push(ExpressionKind::Tuple(ids), Type::Tuple(types.into()), span)
}

pub(super) fn infer_range(
    cx: &mut Context,
    start: &ast::Expression,
    end: &ast::Expression,
    range_end: ast::RangeEnd,
    span: Span,
) -> ExpressionId {
    let start = cx.expression(start, &Expected::Type(Type::Int));
    let end = cx.expression(end, &Expected::Type(Type::Int));
    let range_end = match range_end {
        ast::RangeEnd::Exclusive => RangeEnd::Exclusive,
        ast::RangeEnd::Inclusive => RangeEnd::Inclusive,
    };
    cx.hir.push(
        ExpressionKind::Range {
            start,
            end,
            range_end,
        },
        Type::Int.list(),
        span,
    )
}

pub(super) fn infer_tuple_field(
    cx: &mut Context,
    base: &ast::Expression,
    index: u32,
    index_span: Span,
    span: Span,
) -> ExpressionId {
    let base = cx.expression(base, &Expected::Anything);
    tuple_part(&mut cx.hir, base, index, index_span, span)
}

/// An element of a tuple that was inferred.
pub(super) fn tuple_part(
    hir: &mut HirBuilder,
    base: ExpressionId,
    index: u32,
    index_span: Span,
    span: Span,
) -> ExpressionId {
    let ty = hir.ty(base);
    match hir.table.unchecked(&ty) {
        Type::Tuple(types) if (index as usize) < types.len() => {
            let ty = types[index as usize].clone();
            hir.push(ExpressionKind::TupleField { base, index }, ty, span)
        }
        Type::Invalid => hir.invalid(span),
        Type::Variable(_) => unknown_receiver(hir, base, &index.to_string(), span),
        other @ (Type::Unit
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
        | Type::List(_)
        | Type::Map(..)
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Text(_)) => {
            let (place, text) = (hir.place(index_span), hir.show(&ty));
            let report = records::unknown_field(place, &index.to_string(), &text, None);
            hir.report(if let Type::Tuple(types) = other {
                records::parts_of_tuple(report, types.len())
            } else if let Type::List(_) = other {
                let dot = Span::new(index_span.start.saturating_sub(1), index_span.end);
                records::element_of_list(report, index, hir.place(dot))
            } else {
                report
            });
            hir.invalid(span)
        }
    }
}

pub(super) fn infer_index(
    cx: &mut Context,
    base: &ast::Expression,
    index: &ast::Expression,
    span: Span,
) -> ExpressionId {
    let base = cx.expression(base, &Expected::Anything);
    let ty = cx.hir.ty(base);
    // `xs[1..3]` is what people write from other languages; as an index of a list it would be reported as `[int]` for `int`.
    if matches!(index.kind, ast::ExpressionKind::Range { .. }) {
        let place = cx.hir.place(index.span);
        cx.hir.report(errors::slice_instead(place));
        return cx.hir.invalid(span);
    }
    let (index, ty) = match cx.hir.table.unchecked(&ty) {
        Type::List(element) => (
            cx.expression(index, &Expected::Type(Type::Int)),
            (*element).clone(),
        ),
        Type::Map(key, value) => (
            cx.expression(index, &Expected::Type((*key).clone())),
            (*value).clone(),
        ),
        Type::Json => (json_index(cx, index), Type::Json),
        Type::Variable(_) => {
            cx.expression(index, &Expected::Anything);
            return unknown_receiver(&mut cx.hir, base, "[]", span);
        }
        other @ (Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Text(_)
        | Type::Invalid) => {
            cx.expression(index, &Expected::Anything);
            not_indexable(&mut cx.hir, base, &other);
            return cx.hir.invalid(span);
        }
    };
    cx.hir.push(ExpressionKind::Index { base, index }, ty, span)
}

fn not_indexable(hir: &mut HirBuilder, base: ExpressionId, plain: &Type) {
    if *plain == Type::Invalid {
        return;
    }
    let (place, text) = (hir.place(hir.span(base)), hir.show(&hir.ty(base)));
    let report = errors::not_indexable(place, &text);
    hir.report(if let Type::Optional(_) = plain {
        errors::may_be_none(report)
    } else if let Type::Tuple(_) = plain {
        errors::parts_by_number(report)
    } else if hir.table.operand(plain) == Type::String {
        errors::part_of_text(report)
    } else {
        report
    });
}

/// A `json` is indexed by position or by name.
fn json_index(cx: &mut Context, index: &ast::Expression) -> ExpressionId {
    let id = cx.expression(index, &Expected::Anything);
    let ty = cx.hir.ty(id);
    let wanted = if cx.hir.table.operand(&ty) == Type::String {
        Type::String
    } else {
        Type::Int
    };
    cx.hir.coerce(id, &wanted)
}

/// Reports that something is asked of a value whose type is not known yet.
pub(super) fn unknown_receiver(
    hir: &mut HirBuilder,
    base: ExpressionId,
    name: &str,
    span: Span,
) -> ExpressionId {
    let place = hir.place(hir.span(base));
    let mut report = errors::cannot_infer_here(place, name);
    if let Some(variable) = hir.table.unknown(&hir.ty(base)) {
        if matches!(hir.table.blame(variable), Blame::Mistake) {
            return hir.invalid(span);
        }
        if let Some((holder, name, ty)) = holder(hir, variable) {
            report = errors::annotate_holder(report, hir.place(holder), &name, &ty);
        }
        // Reported once: neither its binding nor what else is asked of it is reported again.
        hir.table.suppress(variable);
        hir.table.bind(variable, &Type::Invalid);
    }
    hir.report(report);
    hir.invalid(span)
}

/// The first local with a name that holds something of an unknown type, such as a queue of it.
fn holder(hir: &HirBuilder, variable: TypeVariable) -> Option<(Span, String, String)> {
    let holds = |it: &&Local| {
        !it.name.is_empty()
            && hir.table.unknown(&it.ty) != Some(variable)
            && hir.table.occurs(variable, &it.ty)
    };
    let local = hir.locals.locals().iter().find(holds)?;
    Some((local.span, local.name.to_string(), hir.show(&local.ty)))
}
