//! Record literals.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_names::{Definition, Parameter, Presence, seems_declared, substitute};
use gsw_source::{Diagnostic, ItemId, ItemKind, Name, Span, meant};
use gsw_syntax::{ast, is_damaged};

use crate::errors::habits;
use crate::errors::records::{self as errors, Others};
use crate::hir::{Coercion, ExpressionId, ExpressionKind};
use crate::infer::argument;
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::name::kind_text;
use crate::infer::operands;

/// A record literal as it is written.
#[derive(Clone, Copy)]
struct Literal<'a> {
    path: &'a [ast::Identifier],
    fields: &'a [ast::FieldInit],
    span: Span,
}

/// `Bug { title: "x", ..base }`
pub(super) fn infer_record(
    cx: &mut Context,
    path: &[ast::Identifier],
    fields: &[ast::FieldInit],
    base: Option<&ast::Expression>,
    span: Span,
    hint: Option<&Type>,
) -> ExpressionId {
    let braces = Span::new(path.last().map_or(span.start, |it| it.span.end), span.end);
    let is_plain = base.is_none() && fields.iter().all(|it| it.value.is_some());
    let braces = match is_plain {
        true => Braces::OfLiteral(braces),
        false => Braces::Other,
    };
    let Some((item, checked)) = record_item(cx, path, braces) else {
        return lost_record(cx, fields, base, span);
    };
    let arguments = cx.hir.fresh_arguments(lookup::arity(cx.db, item));
    let ty = Type::Record(item, Arc::from(arguments.as_slice()));
    // Before the fields, so that each is checked against the type that the whole is wanted as.
    cx.hir.table.absorb_all(&ty, hint);
    let declared = lookup::fields(cx.db, item);
    let mut given = vec![false; declared.len()];
    let mut values = Vec::with_capacity(fields.len());
    let mut is_whole = true;
    for field in fields {
        match record_field(cx, item, declared, field, &arguments, &mut given) {
            Some(found) => values.push(found),
            None => is_whole = false,
        }
    }
    let base = base.map(|it| cx.expression(it, &Expected::Type(ty.clone())));
    // With a base every field has a value. Without one, and with a field that was reported, a missing field is most likely the one
    // that was misspelled.
    if base.is_none() {
        absent_fields(
            &mut cx.hir,
            declared,
            &arguments,
            &mut given,
            &mut values,
            span,
        );
        if is_whole {
            let literal = Literal { path, fields, span };
            missing_fields(&mut cx.hir, item, declared, &given, literal);
        }
    }
    let id = cx.hir.push(
        ExpressionKind::Record {
            item,
            fields: values,
            base,
        },
        ty,
        span,
    );
    match checked {
        // A literal in the name of a checked alias is checked; in the name of the record it has no check to pass.
        Some(alias) => cx.hir.converted(id, Coercion::Check, &alias),
        None => id,
    }
}

/// The braces after the name of a record.
#[derive(Clone, Copy)]
pub(super) enum Braces {
    /// Those of a literal that would be a call with parentheses.
    OfLiteral(Span),
    OfPattern(Span),
    /// They hold what parentheses cannot.
    Other,
}

/// The record that a path names, and the checked alias that it was reached through. `braces` are those of a literal that
/// would be a call with parentheses.
pub(super) fn record_item(
    cx: &mut Context,
    path: &[ast::Identifier],
    braces: Braces,
) -> Option<(ItemId, Option<Type>)> {
    let definition = cx.names().written_path(path)?;
    let last = path.last()?;
    let place = cx.hir.place(last.span);
    let Definition::Item(item) = definition else {
        let report = errors::not_a_record(place, &format!("`{}`", last.name));
        cx.hir.report(match definition {
            Definition::Variant { .. } => {
                with_parentheses(&cx.hir, report, "a variant", &last.name, braces)
            }
            Definition::Item(_) | Definition::Module(_) => report,
        });
        return None;
    };
    let found = match item.kind(cx.db) {
        ItemKind::Record => Some((item, None)),
        ItemKind::Alias => {
            let target = gsw_names::alias_target(cx.db, item);
            let Type::Record(record, _) = cx.hir.table.unchecked(&target) else {
                return None;
            };
            let checked =
                gsw_names::has_check(cx.db, item).then(|| Type::Checked(item, Arc::from([])));
            Some((record, checked))
        }
        ItemKind::Import
        | ItemKind::Function
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Human
        | ItemKind::External
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => None,
    };
    if found.is_none() {
        let what = format!("the {} `{}`", kind_text(item.kind(cx.db)), last.name);
        let report = errors::not_a_record(place, &what);
        cx.hir.report(match item.kind(cx.db) == ItemKind::Error {
            true => with_parentheses(&cx.hir, report, "an error", &last.name, braces),
            false => report,
        });
    }
    found
}

/// How a variant or error is made or taken apart, which has no braces.
fn with_parentheses(
    hir: &HirBuilder,
    report: Diagnostic,
    what: &str,
    name: &str,
    braces: Braces,
) -> Diagnostic {
    match (braces, as_call(hir, braces)) {
        (Braces::OfPattern(_), Some((place, text))) => {
            habits::taken_apart_by_call(report, place, text)
        }
        (Braces::OfPattern(_) | Braces::OfLiteral(_) | Braces::Other, call) => {
            errors::made_by_call(report, what, name, call)
        }
    }
}

/// The braces of a literal on one line, and the parentheses that take their place.
fn as_call(hir: &HirBuilder, braces: Braces) -> Option<(gsw_source::Place, String)> {
    let (Braces::OfLiteral(braces) | Braces::OfPattern(braces)) = braces else {
        return None;
    };
    let text = gsw_names::source_text(hir.db, hir.item, braces);
    let inside = text.trim_start().strip_prefix('{')?.strip_suffix('}')?;
    (!inside.contains('\n')).then(|| (hir.place(braces), format!("({})", inside.trim())))
}

/// The record that a value is of, or a part of.
pub(super) fn record_of(hir: &HirBuilder, ty: &Type) -> Option<ItemId> {
    if let Type::Partial(inner) | Type::Optional(inner) = ty {
        return record_of(hir, &hir.table.unchecked(inner));
    }
    let Type::Record(item, _) = ty else {
        return None;
    };
    Some(*item)
}

/// Whether values are of a type whose declaration has a mistake, or what declares its methods, and may have what is missed.
pub(super) fn is_of_damaged(hir: &HirBuilder, ty: &Type) -> bool {
    let plain = hir.table.unchecked(ty);
    let item = record_of(hir, &plain).or_else(|| operands::enum_of(&plain));
    item.is_some_and(|it| is_damaged(hir.db, it) || has_damaged_methods(hir, it))
}

/// How a value of a record is made, where its type stands in the place of one.
pub(super) fn how_made(
    hir: &HirBuilder,
    item: ItemId,
    report: Diagnostic,
    name: &str,
) -> Diagnostic {
    match lookup::makers(hir.db, item) {
        makers if makers.is_empty() => errors::record_is_made(report, name),
        makers => errors::made_by(report, &makers),
    }
}

/// Whether a declaration that could not be read seems to declare functions of the type: `impl P { … }`.
pub(super) fn has_damaged_methods(hir: &HirBuilder, item: ItemId) -> bool {
    seems_declared(hir.db, item.file(hir.db), item.name(hir.db))
}

/// Reports a field that the record does not have.
fn unknown_field(
    cx: &mut Context,
    item: ItemId,
    declared: &[Parameter],
    name: &ast::Identifier,
    given: &[bool],
) {
    if is_damaged(cx.db, item) {
        return;
    }
    let place = cx.hir.place(name.span);
    // Only fields that are still to be given are suggested.
    let rest = declared.iter().zip(given).filter(|(_, given)| !**given);
    let names: Vec<Name> = rest.map(|(it, _)| it.name.clone()).collect();
    let suggestion = meant(&name.name, &names);
    let owner = item.name(cx.db).clone();
    let report = errors::unknown_field(place, &name.name, &owner, suggestion.as_ref());
    let all: Vec<Name> = declared.iter().map(|it| it.name.clone()).collect();
    cx.hir.report(match suggestion {
        Some(_) => report,
        None => errors::has_fields(report, &all),
    });
}

fn record_field(
    cx: &mut Context,
    item: ItemId,
    declared: &[Parameter],
    field: &ast::FieldInit,
    arguments: &[Type],
    given: &mut [bool],
) -> Option<(u32, ExpressionId)> {
    let name = &field.name;
    let punned;
    let value = match &field.value {
        Some(value) => value,
        None => {
            let kind = ast::ExpressionKind::Name(name.name.clone());
            punned = ast::Expression {
                kind,
                span: name.span,
            };
            &punned
        }
    };
    let place = cx.hir.place(name.span);
    let Some(index) = declared.iter().position(|it| it.name == name.name) else {
        unknown_field(cx, item, declared, name, given);
        // Without a value the name is both, and one report on it is enough.
        if field.value.is_some() {
            cx.expression(value, &Expected::Anything);
        }
        return None;
    };
    if std::mem::replace(&mut given[index], true) {
        // Inferred all the same, for the errors in its value.
        cx.hir.report(errors::duplicate_field(place, &name.name));
    }
    let position = u32::try_from(index).ok()?;
    argument::refer_field(&mut cx.hir, name.span, item, 0, position);
    let wanted = substitute(&declared[index].ty, arguments);
    // In `Bug { title }` one word is the field and the value, so a report on the value has to say which of both it means.
    let before = cx.hir.findings.reported();
    let value = cx.expression(value, &Expected::Type(wanted));
    if field.value.is_none()
        && let Some(report) = cx.hir.findings.first_error_since(before)
    {
        errors::short_for(report, &name.name);
    }
    Some((position, value))
}

/// An optional field that is not written and has no default is `none`.
fn absent_fields(
    hir: &mut HirBuilder,
    declared: &[Parameter],
    arguments: &[Type],
    given: &mut [bool],
    values: &mut Vec<(u32, ExpressionId)>,
    span: Span,
) {
    for (index, (field, given)) in (0u32..).zip(declared.iter().zip(given)) {
        let is_optional = matches!(field.ty, Type::Optional(_));
        if !*given && is_optional && field.default == Presence::Absent {
            *given = true;
            let ty = substitute(&field.ty, arguments);
            // An empty span: an editor that asks what is under the cursor must not find a value that is not written.
            let end = Span::new(span.end, span.end);
            values.push((index, hir.push(ExpressionKind::None, ty, end)));
        }
    }
}

fn missing_fields(
    hir: &mut HirBuilder,
    item: ItemId,
    declared: &[Parameter],
    given: &[bool],
    literal: Literal<'_>,
) {
    let Literal { path, fields, span } = literal;
    let missing: Vec<&Parameter> = declared
        .iter()
        .zip(given)
        .filter(|(it, given)| !**given && it.default == Presence::Absent)
        // Whether one of an unknown type, which was reported, may be left out is not known.
        .filter(|(it, _)| it.ty != Type::Invalid)
        .map(|(it, _)| it)
        .collect();
    if missing.is_empty() || is_damaged(hir.db, item) {
        return;
    }
    let names: Vec<&str> = missing.iter().map(|it| it.name.as_str()).collect();
    let place = hir.place(path.last().map_or(span, |it| it.span));
    let owner = item.name(hir.db).clone();
    let report = errors::missing_field(place, &names, &owner);
    // What no value is certain for is left to the author, who gets another report.
    let values = missing.iter().filter_map(|it| {
        let value = (it.check == Presence::Absent).then(|| simplest(hir, &it.ty))?;
        Some(format!("{}: {}", it.name, value?))
    });
    let values: Vec<String> = values.collect();
    hir.report(match values.is_empty() {
        false => {
            let last = fields.last().map(|it| match &it.value {
                Some(value) => value.span.end,
                None => it.name.span.end,
            });
            let (at, others) = match last {
                Some(end) => (end, Others::Some),
                None => (span.end.saturating_sub(1), Others::None),
            };
            let at = hir.place(Span::new(at, at));
            errors::add_fields(report, at, &values, others)
        }
        true => report,
    });
}

/// The simplest value of a type, as it is written; `None` where there is no such or it may be refused.
fn simplest(hir: &HirBuilder, ty: &Type) -> Option<String> {
    let text = match hir.table.resolve(ty) {
        Type::Bool => "false",
        Type::Int => "0",
        Type::Float => "0.0",
        Type::String => "\"\"",
        Type::Duration => "0s",
        Type::List(_) => "[]",
        Type::Map(..) => "{}",
        Type::Json | Type::Optional(_) => "none",
        Type::Literals(names) => return names.first().map(|it| format!("{it:?}")),
        Type::Enum(item, _) => {
            let mut variants = lookup::variants(hir.db, item).iter();
            let plain = variants.find(|it| it.fields.is_empty())?;
            return Some(plain.name.to_string());
        }
        Type::Unit
        | Type::Bytes
        | Type::Time
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Checked(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Queue(_)
        | Type::Stream(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => return None,
    };
    Some(text.to_owned())
}

/// Checks the parts of an invalid record literal, for their own mistakes.
fn lost_record(
    cx: &mut Context,
    fields: &[ast::FieldInit],
    base: Option<&ast::Expression>,
    span: Span,
) -> ExpressionId {
    for value in fields.iter().filter_map(|it| it.value.as_ref()).chain(base) {
        cx.expression(value, &Expected::Anything);
    }
    cx.hir.invalid(span)
}
