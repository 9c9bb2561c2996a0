//! Record literals.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_names::{Definition, Parameter, Presence, substitute};
use gsw_source::{ItemId, ItemKind, Name, Span, nearest};
use gsw_syntax::ast;

use crate::errors::records as errors;
use crate::hir::{Coercion, ExpressionId, ExpressionKind};
use crate::infer::argument;
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::name::kind_text;

/// `Bug { title: "x", ..base }`
pub(super) fn infer_record(
    cx: &mut Context,
    path: &[ast::Identifier],
    fields: &[ast::FieldInit],
    base: Option<&ast::Expression>,
    span: Span,
    hint: Option<&Type>,
) -> ExpressionId {
    let Some((item, checked)) = record_item(cx, path) else {
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
            missing_fields(&mut cx.hir, item, declared, &given, path, span);
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

/// The record that a path names, and the checked alias that it was reached through.
pub(super) fn record_item(
    cx: &mut Context,
    path: &[ast::Identifier],
) -> Option<(ItemId, Option<Type>)> {
    let definition = cx.names().written_path(path)?;
    let last = path.last()?;
    let place = cx.hir.place(last.span);
    let Definition::Item(item) = definition else {
        let report = errors::not_a_record(place, &format!("`{}`", last.name));
        cx.hir.report(match definition {
            Definition::Variant { .. } => errors::made_by_call(report, &last.name),
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
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => None,
    };
    if found.is_none() {
        let what = format!("the {} `{}`", kind_text(item.kind(cx.db)), last.name);
        cx.hir.report(errors::not_a_record(place, &what));
    }
    found
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
        // Only fields that are still to be given are suggested.
        let rest = declared.iter().zip(&*given).filter(|(_, given)| !**given);
        let names: Vec<Name> = rest.map(|(it, _)| it.name.clone()).collect();
        let suggestion = nearest(&name.name, &names);
        let owner = item.name(cx.db).clone();
        cx.hir.report(errors::unknown_field(
            place,
            &name.name,
            &owner,
            suggestion.as_deref(),
        ));
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
        && let Some(report) = cx.hir.findings.first_since(before)
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
            // An empty span: an editor that asks what is under the cursor must not find a value that nobody wrote.
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
    path: &[ast::Identifier],
    span: Span,
) {
    let names: Vec<&str> = declared
        .iter()
        .zip(given)
        .filter(|(it, given)| !**given && it.default == Presence::Absent)
        .map(|(it, _)| it.name.as_str())
        .collect();
    if !names.is_empty() {
        let place = hir.place(path.last().map_or(span, |it| it.span));
        let owner = item.name(hir.db).clone();
        hir.report(errors::missing_field(place, &names, &owner));
    }
}

/// Looks at the parts of a record literal that came to nothing, for their own mistakes.
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
