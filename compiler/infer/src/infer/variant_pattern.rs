//! Patterns that name a declaration: variants, errors, constants, records.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_names::{Definition, KnownItem, MODEL_ERROR, Parameter, resolve_name, substitute};
use gsw_source::{ItemId, ItemKind, Name, Span, meant};
use gsw_syntax::{ast, is_damaged};

use crate::errors::{elsewhere, habits, patterns as errors, records};
use crate::hir::{Pattern, PatternKind};
use crate::infer::absence::way_to;
use crate::infer::context::Context;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::names::reference;
use crate::infer::pattern;
use crate::infer::record;

/// The fields in a pattern's parentheses, and whether it names them all.
type Fields<'a> = (&'a [ast::PatternField], ast::Rest);

/// `A`, `E.A`, `B(x, ..)`, a constant or an error; `None` when it was reported.
pub(super) fn variant_pattern(
    cx: &mut Context,
    path: &[ast::Identifier],
    fields: Option<Fields>,
    ty: &Type,
    span: Span,
) -> Option<PatternKind> {
    let plain = cx.hir.table.unchecked(ty);
    let definition = named_by_pattern(cx, path, &plain)?;
    match definition {
        Named::ModelError => model_error(cx, fields, ty, span),
        Named::Definition(Definition::Variant { item, variant }) => {
            of_enum(cx, item, variant, path, fields, ty, span)
        }
        Named::Definition(Definition::Item(item)) if lookup::is_error(cx.db, item) => {
            if cx.hir.table.relate(&Type::Error, &plain).is_none() {
                pattern::never_matches(
                    &mut cx.hir,
                    &format!("the error `{}`", item.name(cx.db)),
                    ty,
                    span,
                );
                return None;
            }
            let declared = lookup::fields(cx.db, item);
            if let Some(name) = whole_error(fields, declared) {
                return error_by_name(cx, name, item, declared, span);
            }
            let fields = infer_fields(cx, path, item, fields, declared, &[], span);
            Some(PatternKind::Error { item, fields })
        }
        Named::Definition(Definition::Item(item)) if item.kind(cx.db) == ItemKind::Const => {
            let own = lookup::signature(cx.db, item).result.clone();
            if cx.hir.table.relate(&own, &plain).is_none()
                // Either may be the wider one: a constant of a checked type in a `match` on its base, or the other way round.
                && cx.hir.table.relate(&plain, &own).is_none()
            {
                let what = format!("a constant of type `{}`", cx.hir.show(&own));
                pattern::never_matches(&mut cx.hir, &what, ty, span);
                return None;
            }
            Some(PatternKind::Constant(item))
        }
        Named::Definition(Definition::Item(item)) if item.kind(cx.db) == ItemKind::Record => {
            let name = path.last().map_or("", |it| it.name.as_str());
            let (place, text) = (cx.hir.place(span), cx.hir.show(ty));
            let report = errors::wrong_pattern(place, &format!("`{name}`"), &text);
            let fields = lookup::fields(cx.db, item);
            let fields: Vec<Name> = fields.iter().map(|it| it.name.clone()).collect();
            let report = elsewhere::record_by_parentheses(report, name, &fields);
            cx.hir.report(report);
            None
        }
        Named::Definition(_) => {
            let name = path.last().map_or("", |it| it.name.as_str());
            pattern::never_matches(&mut cx.hir, &format!("`{name}`"), ty, span);
            None
        }
    }
}

/// The family of errors that a model's call raises, which has no fields.
fn model_error(
    cx: &mut Context,
    fields: Option<Fields>,
    ty: &Type,
    span: Span,
) -> Option<PatternKind> {
    if cx.hir.table.unchecked(ty) != Type::Error {
        pattern::never_matches(&mut cx.hir, "`ModelError`", ty, span);
        return None;
    }
    if fields.is_some_and(|it| !it.0.is_empty()) {
        let place = cx.hir.place(span);
        cx.hir.report(habits::family_has_no_fields(place));
        return None;
    }
    Some(PatternKind::ModelError)
}

/// The name in the parentheses of an error that has several fields, none of that name: it was to be the error itself.
fn whole_error<'a>(fields: Option<Fields<'a>>, declared: &[Parameter]) -> Option<&'a ast::Pattern> {
    let (fields, rest) = fields?;
    let [only] = fields else {
        return None;
    };
    let ast::PatternKind::Binding(name) = &only.pattern.kind else {
        return None;
    };
    let is_field = declared.iter().any(|it| it.name == name.name);
    let is_whole = declared.len() > 1 && rest == ast::Rest::Complete && only.name.is_none();
    (is_whole && !is_field).then_some(&only.pattern)
}

/// Reports a name for an error where its fields are expected.
fn error_by_name(
    cx: &mut Context,
    name: &ast::Pattern,
    item: ItemId,
    declared: &[Parameter],
    span: Span,
) -> Option<PatternKind> {
    let owner = item.name(cx.db).clone();
    let names: Vec<&str> = declared.iter().map(|it| it.name.as_str()).collect();
    let place = cx.hir.place(span);
    let report = errors::fields_left_out(place, &names[1..], &owner);
    let report = elsewhere::error_in_parentheses(report, &owner, &names);
    cx.hir.report(report);
    // Binds the name, so that the arm's body is not reported as well.
    pattern::pattern_inside(cx, Name::default(), name, &Type::Invalid);
    let fields = Vec::new();
    Some(PatternKind::Error { item, fields })
}

/// What a capitalised name in a pattern over values of type `ty` means.
fn named_by_pattern(cx: &mut Context, path: &[ast::Identifier], ty: &Type) -> Option<Named> {
    let [name] = path else {
        return cx.names().written_path(path).map(Named::Definition);
    };
    // The enum that is matched decides, whatever the name means elsewhere. A constant may appear too, under its own name.
    if let Type::Enum(item, _) = ty {
        if let Some(variant) = lookup::variant_named(cx.db, *item, &name.name) {
            let definition = Definition::Variant {
                item: *item,
                variant,
            };
            cx.hir.refer(name.span, reference(definition));
            return Some(Named::Definition(definition));
        }
        let constant = resolve_name(cx.db, cx.file, &name.name)
            .filter(|it| matches!(it, Definition::Item(it) if it.kind(cx.db) == ItemKind::Const));
        if constant.is_none() {
            cx.names().unknown_variant(*item, name);
            return None;
        }
    }
    // The family of errors that a model's call raises is no declaration; one of a program under that name comes first.
    if name.name == MODEL_ERROR && resolve_name(cx.db, cx.file, &name.name).is_none() {
        return Some(Named::ModelError);
    }
    let definition = cx.names().resolve(&name.name, name.span, Some(ty))?;
    cx.hir.refer(name.span, reference(definition));
    Some(Named::Definition(definition))
}

fn of_enum(
    cx: &mut Context,
    item: ItemId,
    variant: u32,
    path: &[ast::Identifier],
    fields: Option<Fields>,
    ty: &Type,
    span: Span,
) -> Option<PatternKind> {
    // The type of a lambda's parameter, for example: the variant says which enum it is.
    if let Some(variable) = cx.hir.table.unknown(ty) {
        let arguments = cx.hir.fresh_arguments(lookup::arity(cx.db, item));
        cx.hir
            .table
            .bind(variable, &Type::Enum(item, arguments.into()));
    }
    let plain = cx.hir.table.unchecked(ty);
    let arguments = if let Type::Enum(other, arguments) = plain
        && other == item
    {
        arguments
    } else {
        let what = format!("a variant of `{}`", item.name(cx.db));
        if KnownItem::Result.is(cx.db, item) {
            pattern::of_other_sort(cx, &what, ty, span, habits::raises_instead);
        } else {
            pattern::never_matches(&mut cx.hir, &what, ty, span);
        }
        return None;
    };
    let declared = &lookup::variants(cx.db, item)[variant as usize].fields;
    let fields = infer_fields(cx, path, item, fields, declared, &arguments, span);
    Some(PatternKind::Variant {
        item,
        variant,
        fields,
    })
}

/// The payload's patterns by field; without parentheses every payload matches.
fn infer_fields(
    cx: &mut Context,
    path: &[ast::Identifier],
    item: ItemId,
    fields: Option<Fields>,
    declared: &[Parameter],
    arguments: &[Type],
    span: Span,
) -> Vec<(u32, Pattern)> {
    let owner = path.last().map_or_else(Name::default, |it| it.name.clone());
    let Some((fields, rest)) = fields else {
        let names: Vec<Name> = declared.iter().map(|it| it.name.clone()).collect();
        let end = Span::new(span.end, span.end);
        cx.scopes.leave_fields(&owner, end, &names);
        return Vec::new();
    };
    let mut given = vec![false; declared.len()];
    let mut patterns = Vec::with_capacity(fields.len());
    for (index, field) in fields.iter().enumerate() {
        let position = match &field.name {
            Some(name) => {
                let written = Written::of(name, field);
                if written == Written::Short {
                    cx.hir.findings.add_short_field(name.span);
                }
                let found = declared.iter().position(|it| it.name == name.name);
                if found.is_none() {
                    unknown_field(&mut cx.hir, item, name, written, &owner, declared);
                }
                found
            }
            None if index < declared.len() => Some(index),
            None => {
                if index == declared.len() && !is_damaged(cx.db, item) {
                    let place = cx.hir.place(field.pattern.span);
                    cx.hir.report(errors::too_many_fields(
                        place,
                        &owner,
                        declared.len(),
                        fields.len(),
                    ));
                }
                None
            }
        };
        let Some(position) = position else {
            // Binds the names, so that the arm's body is not reported as well.
            pattern::pattern_inside(cx, Name::default(), &field.pattern, &Type::Invalid);
            continue;
        };
        if std::mem::replace(&mut given[position], true) {
            let place = cx.hir.place(field.pattern.span);
            cx.hir
                .report(records::duplicate_field(place, &declared[position].name));
        }
        let ty = substitute(&declared[position].ty, arguments);
        let step = way_to(path, &declared[position].name);
        let pattern = pattern::pattern_inside(cx, step, &field.pattern, &ty);
        patterns.push((u32::try_from(position).unwrap_or(u32::MAX), pattern));
    }
    let whole = patterns.len() == fields.len();
    if rest == ast::Rest::Complete && whole && given.contains(&false) {
        let left = declared.iter().zip(given).filter(|(_, given)| !*given);
        let left: Vec<&str> = left.map(|(it, _)| it.name.as_str()).collect();
        left_out(&mut cx.hir, fields, &left, &owner, span);
    }
    patterns
}

/// Reports the fields that a pattern has `left` out without `..`.
fn left_out(
    hir: &mut HirBuilder,
    fields: &[ast::PatternField],
    left: &[&str],
    owner: &str,
    span: Span,
) {
    let report = errors::fields_left_out(hir.place(span), left, owner);
    // Before the bracket where there is no field.
    let (at, text) = match fields.last() {
        Some(last) => (last.pattern.span.end, ", .."),
        None => (span.end.saturating_sub(1), ".."),
    };
    let place = hir.place(Span::new(at, at));
    hir.report(errors::leave_out_rest(report, place, text));
}

/// How a pattern names a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// `title`, which is a name for what follows as well.
    Short,
    /// `title: it`
    WithPattern,
}

impl Written {
    fn of(name: &ast::Identifier, field: &ast::PatternField) -> Self {
        if name.span == field.pattern.span {
            Self::Short
        } else {
            Self::WithPattern
        }
    }
}

fn unknown_field(
    hir: &mut HirBuilder,
    item: ItemId,
    name: &ast::Identifier,
    written: Written,
    owner: &str,
    declared: &[Parameter],
) {
    if is_damaged(hir.db, item) {
        return;
    }
    let suggestion = meant(&name.name, declared.iter().map(|it| &it.name));
    let place = hir.place(name.span);
    let suggestion = suggestion.as_ref();
    let report = records::unknown_field(place, &name.name, owner, suggestion);
    hir.report(match suggestion {
        // What follows uses the name as it is written.
        Some(it) if written == Written::Short => {
            records::renamed_field(report, place, it, &name.name)
        }
        Some(_) => report,
        None => {
            let names: Vec<Name> = declared.iter().map(|it| it.name.clone()).collect();
            records::has_fields(report, &names)
        }
    });
}

/// `Bug { title, .. }`; `None` when it was reported.
pub(super) fn record_pattern(
    cx: &mut Context,
    path: &[ast::Identifier],
    fields: &[ast::PatternField],
    rest: ast::Rest,
    ty: &Type,
    span: Span,
) -> Option<PatternKind> {
    let braces = Span::new(path.last().map_or(span.start, |it| it.span.end), span.end);
    let (item, _) = record::record_item(cx, path, record::Braces::OfPattern(braces))?;
    if let Some(variable) = cx.hir.table.unknown(ty) {
        let arguments = cx.hir.fresh_arguments(lookup::arity(cx.db, item));
        cx.hir
            .table
            .bind(variable, &Type::Record(item, Arc::from(arguments)));
    }
    let plain = cx.hir.table.unchecked(ty);
    let arguments = if let Type::Record(other, arguments) = plain
        && other == item
    {
        arguments
    } else {
        pattern::never_matches(&mut cx.hir, &format!("a `{}`", item.name(cx.db)), ty, span);
        return None;
    };
    let declared = lookup::fields(cx.db, item);
    let fields = infer_fields(
        cx,
        path,
        item,
        Some((fields, rest)),
        declared,
        &arguments,
        span,
    );
    Some(PatternKind::Record { fields })
}

/// What a name in a pattern means.
enum Named {
    ModelError,
    Definition(Definition),
}
